"""Floor 0b: datasets, each one file that yields questions.

``dataset.py`` says what a dataset is and holds the registry; ``records.py`` reads published files,
``data_files.py`` keeps and downloads them; ``library.py`` is what the floors above ask for questions.
``examples.py`` chooses worked examples, ``example_files.py`` reads those of the user's own files.
Every other module here is a dataset and has its name.
"""
