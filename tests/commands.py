"""What tests of commands have in common: models, a small study, an environment."""

import os
import sqlite3

FOUR = "scripted?reply=Final answer: 4"


SIMULATED = "simulated/people?accuracy=0.6"


STUDY = f"""
name = "small"
[settings]
model = "{SIMULATED}"
[[datasets]]
name = "arithmetic"
n = 4
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
"""


def environment():
    """This process's, without what would lead moot elsewhere."""
    return {key: value for key, value in os.environ.items() if not key.startswith("MOOT_")}


def begun(file):
    """Whether a run has got its first reply."""
    if not file.exists():
        return False
    with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as connection:
        try:
            return connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0] > 0
        except sqlite3.OperationalError:  # being made at this moment
            return False
