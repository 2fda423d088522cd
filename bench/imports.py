"""What the import of a log costs, beside reading its answers alone; the memory that it takes.

    python bench/imports.py                       # the logs in ../shared/data/debates that are there
    python bench/imports.py --rounds 7 LOG ...    # other logs
    python bench/imports.py --grown 500 LOG       # a log grown to 500 MB: seconds and peak memory
    python bench/imports.py --grown 500 --audit LOG

CPU seconds are of the whole process, threads included, the least of some interleaved rounds in a
process that has imported the log before: what is loaded once is left out. *Reading* is
``moot.extract`` on each reply that should have an answer, with what its agent heard. *Without rules*
is an import whose debates are not decided by further rules.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from moot.contrib.imports import arms
from moot.contrib.imports.import_run import ImportedRun, import_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, find_format
from moot.contrib.imports.log_survey import LogSurvey
from moot.contrib.imports.logged_questions import make_question
from moot.contrib.imports.transcripts import read_answers
from moot.contrib.imports.who_read import find_reads
from moot.extend.studies import open_lab

DEBATES = Path(__file__).resolve().parents[2] / "shared" / "data" / "debates"


def import_fresh(path: Path) -> ImportedRun:
    """Import a log into a store of its own, as ``moot import`` does."""

    async def work(store: Path) -> ImportedRun:
        log = Log(path)
        async with open_lab(str(store)) as lab:
            return await import_log(lab, log, find_format(log))

    with TemporaryDirectory() as folder:
        return asyncio.run(work(Path(folder) / "store.db"))


def make_reading(path: Path) -> Callable[[], int]:
    """Return a function that reads every answer of a log, and returns how many there are."""
    log = Log(path)
    debates = [each for each in find_format(log).read(log) if not isinstance(each, Unread)]
    survey = LogSurvey()
    survey.read(debates)
    kinds = survey.find_kinds()
    asked = [
        (
            each,
            make_question(each.question, each.id, kinds[each.dataset]).question,
            find_reads(each),
        )
        for each in debates
    ]

    def read() -> int:
        return sum(len(read_answers(*each)) for each in asked)

    return read


@contextmanager
def without_rules() -> Iterator[None]:
    """Let no debate be decided by a further rule."""
    rules, arms.RULES = arms.RULES, ()
    try:
        yield
    finally:
        arms.RULES = rules


def spend(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure(path: Path, rounds: int) -> None:
    """Print the line of a log."""
    found, read = import_fresh(path), make_reading(path)
    read()
    whole, plain, alone = [], [], []
    for _ in range(rounds):
        whole.append(spend(lambda: import_fresh(path)))
        with without_rules():
            plain.append(spend(lambda: import_fresh(path)))
        alone.append(spend(read))
    replies = found.read + found.unread_answers
    base = min(alone)
    line = f"{path.name:24}{found.debates:8,}{replies:9,}{1e3 * base:9.0f}"
    for seconds in (min(plain), min(whole)):
        line += f"{1e3 * seconds:9.0f}" + (f" ({seconds / base:4.2f} x)" if replies else " " * 9)
    print(line, flush=True)


def grow(path: Path, size: int, target: Path) -> None:
    """Write a log of the given size: the members of a JSON file again and again, with new keys."""
    with path.open(encoding="utf-8") as file:
        members = json.load(file)
    pairs = list(members.items()) if isinstance(members, dict) else None
    opening, closing = ("{", "}") if pairs else ("[", "]")
    with target.open("w", encoding="utf-8") as file:
        file.write(opening)
        again = 0
        while file.tell() < size:
            for number, each in enumerate(pairs or members):
                file.write(",\n" if again or number else "\n")
                if pairs:
                    key, value = each
                    file.write(f"{json.dumps(f'{key} ({again})')}: {json.dumps(value)}")
                else:
                    name = each.get("question_id", number)
                    file.write(json.dumps({**each, "question_id": f"{name}-{again}"}))
            again += 1
        file.write(f"\n{closing}\n")


def measure_grown(path: Path, megabytes: int, *, audit: bool) -> None:
    """Print the seconds and the peak memory of commands on a grown log."""
    with TemporaryDirectory() as folder:
        big, store = Path(folder) / f"grown{path.suffix}", Path(folder) / "store.db"
        grow(path, megabytes << 20, big)
        for command in ("import", "audit")[: 1 + audit]:
            more = ["--json"] if audit else []
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            begun = time.monotonic()
            asked = [sys.executable, "-m", "moot", command, str(big), "--store", str(store), *more]
            process = subprocess.Popen(asked, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = status
            del before
            print(
                f"{command:8}{big.stat().st_size / 1e6:9,.0f} MB{time.monotonic() - begun:9.1f} s"
                f"{used.ru_utime + used.ru_stime:9.1f} s of CPU{used.ru_maxrss / 1024:9.0f} MB at most"
                + (f"  exit code {os.waitstatus_to_exitcode(status)}" if status else ""),
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("logs", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--grown", type=int, metavar="MB", help="grow the log to this size")
    parser.add_argument("--audit", action="store_true", help="of a grown log, audit it, too")
    options = parser.parse_args()
    names = ("llm-agora-*", "society-*", "oversight-nyu", "motions-*")
    logs = options.logs or [each for name in names for each in sorted(DEBATES.glob(name))]
    if options.grown:
        for path in logs:
            measure_grown(path, options.grown, audit=options.audit)
        return
    print(
        f"{'log':24}{'debates':>8}{'replies':>9}{'reading':>9}{'without rules':>18}{'import':>18}"
    )
    for path in logs:
        measure(path, options.rounds)


if __name__ == "__main__":
    main()
