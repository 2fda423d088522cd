"""The JSON of every analysis on recorded runs: studies that were run once, of simulated agents.

The store was made by commit 35fb27c5, from shipped studies that need no download, each with a few
questions, and from one of planted peers and choices.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from golden import packed, surfaces

STORE = "analysed"
MOST = 4
"""The most runs on which one analysis is looked at."""
PAIRS = {
    "compare": ("--pair", "single=society-of-minds"),
    "sensitivity": ("--factor", "exchange"),
}
"""What an analysis needs beside a run."""
NOT_HERE = {"essay-rankings": "nobody has ranked essays in the recorded runs"}


def make(*, record: bool = False) -> dict[str, packed.Values]:
    """Analyse the recorded runs; by analysis and run, figures and words of the report.

    With ``record`` it is found out anew on which runs each has something to analyse.
    """
    pairs = packed.read("analyses.words")
    figures, words = {}, {}
    with packed.scratch() as folder:
        store = packed.unpack_store(STORE, folder)
        wanted = _try_all(store) if record else [each.partition(" on ")[::2] for each in pairs]
        for name, run in wanted:
            report = analyse(name, run, store)
            figures[f"{name} on {run}"], words[f"{name} on {run}"] = packed.split(report)
    return {"figures": packed.plain(figures), "words": packed.plain(words)}


def analyse(name: str, run: str, store: Path) -> Any:
    how = ("--format", "json", "--store", str(store))
    told = surfaces.run_command(store, "analyse", name, run, *PAIRS.get(name, ()), *how)
    return json.loads(told)


def _try_all(store: Path) -> list[tuple[str, str]]:
    """Return each analysis with the runs that it has something to say about."""
    with closing(sqlite3.connect(store / "moot.db")) as file:
        runs = [key for (key,) in file.execute("SELECT key FROM runs ORDER BY key")]
    found: list[tuple[str, str]] = []
    for name in surfaces.analysis_names():
        begin = len(found)
        for run in runs:
            if len(found) - begin == MOST:
                break
            try:
                analyse(name, run, store)
            except AssertionError:
                continue
            found.append((name, run))
    return found
