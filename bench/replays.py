"""Whether stores of an earlier commit open, and replay to the same verdicts without a new call.

    python bench/replays.py COMMIT                      every study that needs no download
    python bench/replays.py COMMIT --studies sums --limit 5

The code of COMMIT runs shipped studies with a simulated model, in a store each, and exports their
debates. Then the code of this checkout

- exports the same runs: every event and every value of a metric is the same;
- runs the same studies under another name in the same stores: no call is paid for, and every turn
  and every verdict is the same.

What differs between any two runs is left out: seconds, and which replies came from the ledger.
Fields and metrics that COMMIT does not know are left out, too. The exit code is 1 when anything
differs.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STUDIES = (
    *("protocols", "sums", "table3-sums", "table3-few-shot-sums", "agreement-sums"),
    *("temperature-sums", "networks-sums", "fidelity-agents-sums", "fidelity-rounds-sums"),
    *("prejudice-model-level-sums", "judge-bias-sums"),
    *("social-bias-sums", "transfer-sums", "refinement-sums", "essays-own"),
)
MODEL = "simulated/people?accuracy=0.6&unparseable=0.1"
UNLIKE = {"replayed", "seconds", "cost", "retries"}
"""Fields of events that differ between two runs of the same study."""

Key = tuple[Any, ...]
Debate = dict[str, Any]


def moot(source: Path, store: Path, *words: str) -> str:
    """Run the command line of some checkout; gives what it prints.

    Raises:
        SystemExit: it failed.
    """
    done = subprocess.run(
        [sys.executable, "-m", "moot", *words, "--store", str(store)],
        env=os.environ | {"PYTHONPATH": str(source / "src"), "MOOT_TRACEBACK": "1"},
        cwd=store.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{source.name}: moot {' '.join(words)}: {done.stderr[-2000:]}")
    return done.stdout


def export(source: Path, store: Path, run: str, file: str) -> dict[Key, Debate]:
    """The debates of a run, by arm, dataset, question and replicate."""
    path = store.parent / file
    moot(source, store, "export", run, "--format", "jsonl", "--out", str(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {(row["arm"], row["dataset"], row["question"], row["replicate"]): row for row in rows}


def differences(old: dict[Key, Debate], new: dict[Key, Debate]) -> Iterator[str]:
    """Where the debates of two runs of the same study differ."""
    if old.keys() != new.keys():
        yield f"{len(old.keys() ^ new.keys())} debates are in one of both only"
    for key in old.keys() & new.keys():
        before, after = old[key]["values"], new[key]["values"]
        for name in before:
            if name not in after:
                yield f"{key}: no value of {name}"
            elif not _of_time(name) and before[name] != after[name]:
                yield f"{key}: {name} was {before[name]}, is {after[name]}"
        events, others = old[key]["events"], new[key]["events"]
        if len(events) != len(others):
            yield f"{key}: {len(events)} events became {len(others)}"
        for place, (event, other) in enumerate(zip(events, others, strict=False)):
            for path, one, two in _unlike(event, other):
                yield f"{key}: event {place}, {path} was {one!r}, is {two!r}"


def _of_time(name: str) -> bool:
    return "seconds" in name or name == "replayed" or name.startswith(("cost", "retries"))


def _unlike(old: Any, new: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Values that differ, of all that the old event has."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name, value in old.items():
            if name not in UNLIKE:
                yield from _unlike(value, new.get(name), f"{path}.{name}".lstrip("."))
    elif old != new:
        yield path, old, new


def replay(study: str, limit: int, earlier: Path, folder: Path) -> tuple[list[str], str]:
    """Run a study by the earlier code, and again by this one.

    Returns:
        What differs, and the figures of it in words.
    """
    folder.mkdir()
    store = folder / "store"
    how = ("--limit", str(limit), "--model", MODEL, "--yes", "--json")
    ran = json.loads(moot(earlier, store, "run", study, *how))
    old = export(earlier, store, ran["run"], "old.jsonl")
    found = [f"read: {each}" for each in differences(old, export(ROOT, store, ran["run"], "r"))]
    (folder / "again.toml").write_text(f'name = "again"\nextends = "{study}"\n')
    again = json.loads(moot(ROOT, store, "run", "again.toml", *how))
    new = export(ROOT, store, again["run"], "new.jsonl")
    found += [f"replayed: {each}" for each in differences(old, new)]
    turns = [each for row in new.values() for each in row["events"] if each["event"] == "turn"]
    paid = sum(not turn.get("replayed") for turn in turns)
    if paid:
        found.append(f"{paid} calls were paid for again")
    return found, f"{len(new)} debates, {len(turns)} turns, {paid} paid for again"


def main() -> None:
    """Compare; print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commit")
    parser.add_argument("--studies", default=",".join(STUDIES), help="names, with commas")
    parser.add_argument("--limit", type=int, default=2, help="questions of each dataset")
    given = parser.parse_args()
    worse = False
    with TemporaryDirectory() as scratch:
        earlier = Path(scratch) / "earlier"
        git = ("git", "-C", str(ROOT), "worktree")
        subprocess.run([*git, "add", "--quiet", "--detach", earlier, given.commit], check=True)
        try:
            for study in given.studies.split(","):
                found, words = replay(study, given.limit, earlier, Path(scratch) / study)
                worse |= bool(found)
                print(f"{study}: {words}, {len(found)} differences", flush=True)
                for each in found[:10]:
                    print("   ", each[:300])
        finally:
            subprocess.run([*git, "remove", "--force", earlier], check=True)
    sys.exit(worse)


if __name__ == "__main__":
    main()
