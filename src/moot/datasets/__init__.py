"""Floor 0b: datasets, each one file that yields questions.

``dataset.py`` says what a dataset is and holds the registry; ``records.py`` reads published files,
``data_files.py`` keeps and downloads them; ``library.py`` is what the floors above ask for
questions. ``examples.py`` reads and chooses worked examples; ``columns.py`` makes questions of the
rows of a user's file. A module with the name of a dataset is that dataset.
"""

DATASETS = {
    "arithmetic": "arithmetic",
    "chess_moves": "chess-moves",
    "chess_state_tracking": "chess-state-tracking",
    "ciar": "ciar",
    "debatepedia": "debatepedia",
    "file": "file",
    "gpqa": "gpqa",
    "gsm8k": "gsm8k",
    "hub": "hub",
    "mmlu": "mmlu",
    "piqa": "piqa",
    "published": "cosmosqa medqa ramdocs strategyqa",
    "pubmedqa": "pubmedqa",
    "starters": "starters",
}
"""The datasets in each module."""
