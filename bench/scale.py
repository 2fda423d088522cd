"""How large studies may get: time and memory of planning, running, measuring and reporting.

    python bench/scale.py                       1,000,000 planned, 100,000 recorded debates
    python bench/scale.py --debates 10000       a tenth of both, in a tenth of the time
    python bench/scale.py --only plan run
    python bench/scale.py --only questions      100,000 questions: run, again, store, show, report

Every figure is that of a process of its own, started for it. The exit code is 1 where a bound is
missed. See README.md for what is planned, run, measured and reported.
"""

import argparse
import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Any, NamedTuple

MODEL = "scripted/scale"
SEED = 500
"""Questions that are really debated; the others are copies of these debates."""
ARMS: list[dict[str, Any]] = [
    {"protocol": "single"},
    {"protocol": "self-consistency"},
    {"name": "two rounds", "protocol": "society-of-minds"},
    {"name": "three rounds", "protocol": "society-of-minds", "rounds": 3},
]
RUNS = (2_000, 20_000)
"""Debates of the two runs whose memory is compared."""


class Figure(NamedTuple):
    """One line of the table; a bound is None where there is none."""

    name: str
    seconds: float
    most_seconds: float | None
    megabytes: float
    most_megabytes: float | None
    note: str = ""

    @property
    def missed(self) -> bool:
        """Whether it is above a bound."""
        pairs = ((self.seconds, self.most_seconds), (self.megabytes, self.most_megabytes))
        return any(most is not None and value > most for value, most in pairs)


class Taken(NamedTuple):
    """What a process took: wall and CPU seconds, its peak of memory in MB, and what it printed."""

    seconds: float
    cpu: float
    megabytes: float
    said: str


def process(*arguments: str | Path) -> Taken:
    """Run one to its end. With processes of its own, the peak is that of the greatest of them."""
    began = perf_counter()
    with subprocess.Popen([sys.executable, *map(str, arguments)], stdout=subprocess.PIPE) as ran:
        said = ran.stdout.read().decode() if ran.stdout else ""
        _, status, used = os.wait4(ran.pid, 0)
        ran.returncode = os.waitstatus_to_exitcode(status)
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, arguments))} ended with {ran.returncode}\n{said}")
    unit = 1 if sys.platform == "darwin" else 1024
    cpu = used.ru_utime + used.ru_stime
    return Taken(perf_counter() - began, cpu, used.ru_maxrss * unit / 1e6, said)


def shapes(debates: int, folder: Path) -> dict[str, dict[str, Any]]:
    """The studies that are planned, each of so many debates."""
    social = "society-of-minds"
    sums = {"name": "arithmetic", "difficulty": 4}
    file = folder / "questions.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for n in range(debates):
            text = f"What is the sum of {n} and {n + 1}, in whole numbers?"
            lines.write(json.dumps({"id": f"own-{n}", "question": text, "answer": str(2 * n + 1)}))
            lines.write("\n")
    return {
        "questions x 10 arms": {
            "datasets": [{**sums, "n": debates // 10}],
            "arms": [{"protocol": social, "agents": [2, 3, 4, 5, 6], "rounds": [2, 3]}],
        },
        "x 100 arms x 10 replicates": {
            "datasets": [{**sums, "n": debates // 1000}],
            "arms": [{"protocol": social, "agents": [*range(2, 12)], "rounds": [*range(1, 11)]}],
            "replicates": 10,
        },
        "a file of questions x 1 arm": {
            "datasets": [{"name": "file", "path": str(file)}],
            "arms": [{"protocol": "single"}],
        },
    }


def planning(debates: int, share: float) -> Iterator[Figure]:
    with TemporaryDirectory() as place:
        for name, shape in shapes(debates, Path(place)).items():
            study = Path(place) / "study.json"
            study.write_text(json.dumps({"name": "scale", "settings": {"model": MODEL}} | shape))
            taken = process(__file__, "--do", "plan", study)
            planned = f"{int(taken.said):,}"
            yield Figure(f"plan {planned}: {name}", taken.seconds, 10 * share, taken.megabytes, 300)


def plan(study: str) -> None:
    """Plan a study and go through all its debates, as a run does."""
    from moot.studies.lab import open_lab
    from moot.studies.plan import Plan
    from moot.studies.study_file import load

    async def estimated(made: Plan) -> None:
        async with open_lab(Path(study).parent / "store") as lab:
            lab.use_models([model()])
            made.estimate_arms(lab)

    made = Plan(load(json.loads(Path(study).read_text(encoding="utf-8"))))
    asyncio.run(estimated(made))
    print(sum(1 for _ in made.tasks()))


def model() -> Any:
    """A model that takes no time and is wrong now and then."""
    import moot

    def say(call: moot.Call) -> moot.Reply:
        """The right sum, or one beside it, after a few words."""
        asked = call.messages[-1].content
        sums = re.findall(
            r"What is the result of ([\d+*-]+)\?", "".join(m.content for m in call.messages)
        )
        right = eval(sums[0])
        luck = blake2b(f"{call.draw}{asked}".encode(), digest_size=2).digest()
        off = luck[0] % 3 if luck[1] < 100 else 0
        words = "First the products, then the sums, from left to right and one by one. " * 3
        return moot.Reply(
            text=f"{words}Final answer: {right + off}",
            prompt_tokens=len(asked) // 4,
            completion_tokens=50,
            seconds=0.5,
            cost=len(asked) * 1e-7,
        )

    return moot.Scripted(say, name="scale")


def refusing_model() -> Any:
    """A model that takes no time and refuses every call."""
    import moot
    from moot.core.errors import RefusedError

    def refuse(_: moot.Call) -> moot.Reply:
        raise RefusedError("it is asked for too much")

    return moot.Scripted(refuse, name="scale")


def held(questions: int, place: Path, arms: list[dict[str, Any]], *, fails: bool = False) -> str:
    """Hold the debates of a study; the run's id."""
    import moot

    study = {
        "name": "scale",
        "settings": {"model": MODEL},
        "datasets": [{"name": "arithmetic", "difficulty": 4, "n": questions}],
        "arms": arms,
    }
    speaks = refusing_model() if fails else model()
    outcome = asyncio.run(moot.run(study, store=place, models=[speaks]))
    assert outcome.done == outcome.debates
    assert outcome.failed == outcome.done * fails, outcome.reasons
    return outcome.run


def failing(share: float) -> Iterator[Figure]:
    """Run debates of three agents and two rounds whose first calls are all refused."""
    debates = int(RUNS[1] * share)
    with TemporaryDirectory() as place:
        taken = process(__file__, "--do", "fail", str(debates), place)
    yield Figure(f"run {debates:,} that fail", taken.seconds, None, taken.megabytes, None)


def running(share: float) -> Iterator[Figure]:
    few, many = (int(debates * share) for debates in RUNS)
    peaks = []
    for debates in (few, many):
        with TemporaryDirectory() as place:
            taken = process(__file__, "--do", "run", str(debates), place)
        peaks.append(taken.megabytes)
        grown = (peaks[-1] - peaks[0]) * 1e6 / (many - few)
        note = f"{grown:.0f} bytes a debate above the other" if peaks[1:] else ""
        yield Figure(f"run {debates:,}", taken.seconds, None, taken.megabytes, None, note)


def asking(questions: int) -> Iterator[Figure]:
    """Run a debate of one call on each question, and again; then read the run."""
    share = questions / 100_000
    with TemporaryDirectory() as place:
        own = ("--do", "run", str(questions), place)
        ran = process(__file__, *own)
        packing = float(process(__file__, "--do", "pack", place).said)
        size = (Path(place) / "moot.db").stat().st_size / 1e6
        note = f"{ran.cpu:.1f} s of CPU, {ran.cpu / (ran.cpu - packing):.3f} of it uncompressed"
        yield Figure(
            f"run {questions:,} questions", ran.seconds, 25 * share, ran.megabytes, 120, note
        )
        again = process(__file__, *own)
        yield Figure("run them again", again.seconds, 4 * share, again.megabytes, 120)
        yield Figure("the store", 0, None, size, 200 * share)
        for name, *more in (("show",), ("report", "--out", f"{place}/report.html")):
            taken = process("-m", "moot", name, "scale", "--store", place, *more)
            note = f"{taken.cpu:.1f} s of CPU"
            yield Figure(f"moot {name}", taken.seconds, None, taken.megabytes, None, note)


def pack(place: str) -> None:
    """Print the CPU seconds that compressing the transcripts of a store takes."""
    from moot.ledger.compression import compress, decompress

    took = 0.0
    with sqlite3.connect(Path(place) / "moot.db") as store:
        for (stored,) in store.execute("SELECT transcript FROM debates"):
            content = decompress(stored, "a transcript")
            began = thread_time()
            compress(content)
            took += thread_time() - began
    print(took)


def renamed(transcript: bytes, name: str, other: str) -> bytes:
    """A stored transcript, as one of the question of another name."""
    from moot.ledger.compression import compress, decompress

    names = (f'"id":"{each}"'.encode() for each in (name, other))
    return compress(decompress(transcript, name).replace(*names))


def recorded(debates: int, place: Path) -> str:
    """A store of so many debates, without values: copies under other ids of debates really held."""
    run = held(SEED, place, ARMS)
    copies = debates // (SEED * len(ARMS))
    with sqlite3.connect(place / "moot.db") as store:
        store.create_function("renamed", 3, renamed)
        store.execute("PRAGMA synchronous = OFF")
        store.execute("UPDATE debates SET metrics = x'7b7d', values_digest = NULL")
        for copy in range(1, copies):
            store.execute(
                """
                INSERT INTO debates
                    (run, arm, dataset, question, replicate, failed, metrics, transcript)
                SELECT run, arm, dataset, question || ?1, replicate, failed, metrics,
                    renamed(transcript, question, question || ?1)
                FROM debates WHERE id <= ?2
                """,
                (f"-{copy}", SEED * len(ARMS)),
            )
        (replies,) = store.execute("SELECT MAX(id) FROM replies").fetchone()
        for _ in range(1, copies):
            store.execute(
                """
                INSERT INTO replies (identity, run, created, model, replicate, seat, repeat,
                    prompt_tokens, completion_tokens, cost, request, reply)
                SELECT randomblob(16), run, created, model, replicate, seat, repeat,
                    prompt_tokens, completion_tokens, cost, request, reply
                FROM replies WHERE id <= ?
                """,
                (replies,),
            )
        (found,) = store.execute("SELECT COUNT(*) FROM debates").fetchone()
        assert found == copies * SEED * len(ARMS)
    store.close()
    return run


def reading(debates: int, share: float, place: Path) -> Iterator[Figure]:
    began = perf_counter()
    run = recorded(debates, place)
    size = (place / "moot.db").stat().st_size / 1e6
    took = perf_counter() - began
    print(f"a store of {size:,.0f} MB, made in {took:.0f} s", file=sys.stderr)
    for name in ("measure", "measure again"):
        taken = process("-m", "moot", "measure", run, "--store", place)
        note = taken.said.splitlines()[0].partition(": ")[2]
        yield Figure(f"{name} {debates:,}", taken.seconds, 60 * share, taken.megabytes, None, note)
    page = place / "report.html"
    taken = process("-m", "moot", "report", run, "--store", place, "--out", page)
    size = page.stat().st_size / 1e6
    yield Figure(
        f"report {debates:,}", taken.seconds, 30 * share, taken.megabytes, None, f"{size:.1f} MB"
    )
    yield Figure(f"the report's file of {debates:,}", 0, None, size, 20)


PARTS = ("plan", "run", "fail", "read", "questions")
HEAD = ("", "s", "at most", "MB", "at most", "")


def show(figures: list[Figure], *, markdown: bool) -> None:
    """Print the table."""
    lines = [
        (
            each.name,
            f"{each.seconds:.1f}" if each.seconds else "",
            "" if each.most_seconds is None else f"{each.most_seconds:g}",
            f"{each.megabytes:.0f}",
            "" if each.most_megabytes is None else f"{each.most_megabytes:g}",
            each.note,
        )
        for each in figures
    ]
    if markdown:
        for cells in (HEAD, ("---",) * len(HEAD), *lines):
            print(f"| {' | '.join(cells)} |")
        return
    widths = [max(map(len, column)) for column in zip(HEAD, *lines, strict=True)]
    for cells in (HEAD, *lines):
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--debates", type=int, default=100_000, help="recorded; ten times planned")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=[])
    parser.add_argument("--store", type=Path, help="keep the store here, in a new folder")
    parser.add_argument("--markdown", action="store_true", help="the table as Markdown")
    parser.add_argument("--do", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.do:
        what, *given = options.do
        if what == "run":
            held(int(given[0]), Path(given[1]), ARMS[:1])
        elif what == "fail":
            held(int(given[0]), Path(given[1]), ARMS[2:3], fails=True)
        else:
            {"plan": plan, "pack": pack}[what](*given)
        return
    share = options.debates / 100_000
    chosen = options.only or PARTS
    figures: list[Figure] = []
    if "plan" in chosen:
        figures += planning(options.debates * 10, share)
    if "run" in chosen:
        figures += running(min(share, 1))
    if "fail" in chosen:
        figures += failing(min(share, 1))
    if "read" in chosen:
        with TemporaryDirectory() as place:
            figures += reading(options.debates, share, options.store or Path(place))
    if "questions" in chosen:
        figures += asking(options.debates)
    show(figures, markdown=options.markdown)
    if missed := [each.name for each in figures if each.missed]:
        sys.exit(f"above its bound: {', '.join(missed)}")


if __name__ == "__main__":
    main()
