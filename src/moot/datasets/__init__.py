"""Floor 0b: datasets, each one file that yields questions.

``dataset.py`` says what a dataset is and holds the registry; ``records.py`` reads published files,
``data_files.py`` keeps and downloads them; ``library.py`` is what the floors above ask for
questions. ``examples.py`` reads and chooses worked examples; ``columns.py`` makes questions of the
rows of a user's file. A module with the name of a dataset is that dataset.
"""
