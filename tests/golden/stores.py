"""Stores that earlier commits made: they open, show what they showed, and are run again unpaid.

Each is the file of a study that an earlier commit ran, beside the study::

    git worktree add --detach ../earlier COMMIT
    PYTHONPATH=../earlier/src python -m moot run COMMIT.toml --yes --store STORE
    xz -9e --stdout STORE/moot.db > tests/golden/data/stores/COMMIT.db.xz
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import moot
from golden import debates, packed, surfaces

COMMITS = ("785d64e", "7f65b631", "e86f4448", "35fb27c5")
"""The oldest was made before prompts and draws became what they are: it is paid for anew."""
UNPAID = COMMITS[1:]


def make(*, record: bool = False) -> dict[str, packed.Values]:
    """Open each store, and run its study again; by commit, what is shown and what it took."""
    figures, words = {}, {}
    with packed.scratch() as folder:
        for commit in COMMITS:
            figures[commit], words[commit] = _open(commit, folder)
    return {"figures": packed.plain(figures), "words": packed.plain(words)}


def _open(commit: str, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    store = packed.unpack_store(commit, folder)
    shown = surfaces.run_command(folder, "show", "earlier", "--json", "--store", str(store))
    run = json.loads(shown)["run"]
    listed = debates.export(folder, store, [run])[run]
    held, sentences = _by_arm(listed)
    figures, words = packed.split(_timeless(json.loads(shown)))
    made = {"shown": figures, "debates": held}
    if commit in UNPAID:
        made["again"] = _run_again(commit, store)
    return made, {"shown": words, "sentences": sentences}


def _run_again(commit: str, store: Path) -> dict[str, Any]:
    """Run the study again from its replies; return its key, and how many replies were paid for."""
    before = surfaces.count_replies(store)
    study = packed.STORES / f"{commit}.toml"
    outcome = asyncio.run(moot.run(study, store=store, replay=True))
    rows = debates.export(store.parent, store, [outcome.run])[outcome.run]
    return {
        "run": outcome.run,
        "debates": outcome.done,
        "failed": outcome.failed,
        "paid": surfaces.count_replies(store) - before,
        "verdicts": {
            f"{row['arm']}, {row['question']}": row["events"][-1]["verdict"] for row in rows
        },
    }


def _by_arm(rows: list[dict[str, Any]]) -> tuple[packed.Values, packed.Values]:
    figures, words = {}, {}
    for arm in sorted({row["arm"] for row in rows}):
        here = [row for row in rows if row["arm"] == arm]
        figures[arm], words[arm] = debates.split_debates(here)
    return figures, words


def _timeless(value: Any) -> Any:
    """Return a JSON value without what differs from run to run, or from place to place."""
    if isinstance(value, list):
        return [_timeless(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _timeless(each)
        for key, each in value.items()
        if key not in {"store", "began", "created", "changed"}
    }
