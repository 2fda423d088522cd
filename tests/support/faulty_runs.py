"""A small run whose store fails once, at its N-th operation; then the same without a fault.

Each in a process of its own, forked from this one, which has imported all. Run alone:
``python tests/support/faulty_runs.py FOLDER KIND OPERATION FIRST STEP MOST`` prints a line of JSON
for each N that was reached: FIRST, FIRST + STEP and so on up to MOST.
"""

import json
import os
import shutil
import signal
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import moot
from support.sqlite_faults import FULL, Faults

HANGS = 60.0
"""Seconds after which a run is taken to hang; it takes less than one."""
STUDY = {
    "name": "small",
    "settings": {"model": "scripted/put"},
    "datasets": [{"name": "arithmetic", "n": 4}],
    "arms": [
        {"protocol": "society-of-minds", "agents": 2, "rounds": 2},
        {"protocol": "self-consistency", "samples": 3},
    ],
}
CALLS = 20
"""Of the whole study: four debates of four calls; the votes have the first two of these and one."""


def give_reply(call: Any, note: Callable[[str], object]) -> str:
    """Return the reply to a call, which depends on messages and seed alone; note its digest."""
    told = repr(([str(each) for each in call.messages], call.seed))
    digest = blake2b(told.encode(), digest_size=8).hexdigest()
    note(digest)
    return f"Final answer: {int(digest, 16) % 19}"


def run(store: str | Path, log: Path, limit: int | None = None) -> dict[str, Any]:
    """Run the study, and return how it ended; ``log`` gets a line for each reply that was given."""

    def note(digest: str) -> None:
        with log.open("a") as file:
            file.write(digest + "\n")

    model = moot.Scripted(lambda call: give_reply(call, note), name="put")
    try:
        outcome = moot.run_sync(STUDY, store=store, models=[model], limit=limit)
    except moot.MootError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    rows = [
        {name: row[name] for name in ("arm", "debates", "failed", "accuracy", "calls", "tokens")}
        for row in outcome.records
    ]
    return {"rows": rows, "stopped": outcome.stopped or ""}


def fork(work: Callable[[], dict[str, Any]], to: Path) -> dict[str, Any]:
    """Do work in a fork of this process, and return what it returns, or how it ended."""
    to.unlink(missing_ok=True)
    pid = os.fork()
    if not pid:
        try:
            to.write_text(json.dumps(work()))
        except BaseException:  # noqa: BLE001 - it is what is looked for
            to.write_text(json.dumps({"crash": traceback.format_exc()}))
        os._exit(0)
    until = time.monotonic() + HANGS
    while not os.waitpid(pid, os.WNOHANG)[0]:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return {"hangs": True}
        time.sleep(0.005)
    return json.loads(to.read_text()) if to.exists() else {"crash": "the process ended"}


def count_asked(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def count_durable(store: Path) -> int:
    """How many replies are in a store, as SQLite reads a copy of it without moot."""
    copy = store.with_name("looked-at")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    found = 0
    for file in copy.glob("moot.db"):
        with suppress(sqlite3.Error), closing(sqlite3.connect(file)) as connection:
            ((found,),) = connection.execute("SELECT count(*) FROM replies").fetchall()
            break
    return found


def main(folder: Path, kind: str, operation: str, first: int, step: int, most: int) -> None:
    run(folder / "warm", folder / "warm.log")  # what a run imports late is there before a fork
    half = folder / "half"
    plain = fork(lambda: run(folder / "plain", folder / "plain.log"), folder / "out")
    sys.stdout.write(json.dumps({"plain": plain}) + "\n")
    fork(lambda: run(half, folder / "half.log", 2), folder / "out")
    begun = count_asked(folder / "half.log") if kind == "resumed" else []
    code = FULL if operation == "full" else None
    store, log = folder / "store", folder / "asked.log"
    for number in range(first, most + 1, step):
        shutil.rmtree(store, ignore_errors=True)
        log.unlink(missing_ok=True)
        if kind == "resumed":
            shutil.copytree(half, store)

        def fail(at: int = number) -> dict[str, Any]:
            faults = Faults().install()
            faults.fail("write" if operation == "full" else operation, at, code)
            return run(store, log) | {"met": bool(faults.failed)}

        failed = fork(fail, folder / "out")
        told = {"number": number, "failed": failed, "before": len(begun + count_asked(log))}
        told["durable"] = count_durable(store)
        asked = begun + count_asked(log)
        log.unlink(missing_ok=True)
        told["again"] = fork(lambda: run(store, log), folder / "out")
        told["asked"] = len(count_asked(log))
        told["twice"] = len(asked + count_asked(log)) - len(set(asked + count_asked(log)))
        told["rows"] = count_durable(store)
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        if not failed.get("met", True):
            return


if __name__ == "__main__":
    place, of, at, *numbers = sys.argv[1:]
    main(Path(place), of, at, *map(int, numbers))
