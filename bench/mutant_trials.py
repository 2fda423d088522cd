"""Tests tried on mutants, nearest first."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

from mutant_copies import Copy
from mutant_places import Mutant, with_probes

APART = re.compile(r"/(frameworks|cluster)/|browser")
"""Files of tests with frameworks, Ray and browsers: only a module's own is tried."""
LONG = ("slow", "soak")
"""Marks of tests that only run where they are a module's own."""


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    Attributes:
        key: the mutant's.
        place: its file and line.
        fault: what was and what becomes of it.
        killer: the test that kills it, or how else it is noticed; empty where it lives.
        tried: the kind of this test, or of all.
        seconds: that all took.
    """

    key: str
    place: str
    fault: str
    killer: str
    tried: str
    seconds: float

    @property
    def killed(self) -> bool:
        """Whether any test notices it."""
        return bool(self.killer)


class Trial:
    """Tests, tried on mutants.

    Attributes:
        limit: seconds that the tests of one kind may take.
        reached: for each mutant's key, the tests that reach it, empty where no test ran; None
            before anything is known of it.
        took: seconds of each test without a fault.
    """

    def __init__(self, limit: float):
        self.limit = limit
        self.reached: dict[str, set[str]] | None = None
        self.took: dict[str, float] = {}

    def survey(self, copy: Copy, drawn: list[Mutant], limit: float, workers: int) -> str:
        """Run all quick tests once to see which reach each mutant's place; say how that went."""
        files = self._files(copy)
        spread = ("-n", str(workers), "--dist", "worksteal", *quick(copy))
        with copy.holding(with_probes(copy.root, drawn)):
            ran = copy.run(files, limit, *spread)
        if not ran.took:
            sys.exit(f"no test ran: {ran.said}")
        self.took = ran.took
        self.reached = {each.key: set() for each in drawn}
        for number, test in copy.written("reached"):
            self.reached[drawn[number].key].add(test)
        if not ran.ended:  # what it has not come to is tried last
            for tests in self.reached.values():
                tests.add("")
        end = "to the end" if ran.ended else "as long as they might"
        return (
            f"{len(self.took)} tests ran {end}, {ran.seconds:.0f} s: {ran.said.splitlines()[-1:]}"
        )

    def first(self, copy: Copy, mutant: Mutant, killer: str) -> Iterator[tuple[str, list[str]]]:
        """Where a fault is noticed most likely: what noticed it before, what is named for it."""
        files = copy.test_files()
        path, _, name = killer.partition("[")[0].partition("::")
        same = [each for each in files if Path(each).name == Path(path).name] if killer else []
        function = name.rpartition("::")[2]
        holding = [
            f"{each}::{name}" for each in same if _mentions(copy, each, rf"def {function}\(")
        ]
        yield "known", holding or same
        yield "own", _named_for(mutant, files)
        yield "those that name it", self._near(copy, mutant)

    def _near(self, copy: Copy, mutant: Mutant) -> list[str]:
        module = rf"\bmoot\.(\w+\.)*{mutant.file.stem}\b"
        return [each for each in self._files(copy) if _mentions(copy, each, module)]

    def _files(self, copy: Copy) -> list[str]:
        return [each for each in copy.test_files() if not APART.search(each)]

    def then(self, copy: Copy, mutant: Mutant) -> Iterator[tuple[str, list[str]]]:
        """All others, nearest first."""
        assert self.reached is not None
        files, near = self._files(copy), self._near(copy, mutant)
        folder = f"tests/{'/'.join(mutant.file.parent.parts[2:])}".rstrip("/") + "/"
        reached = self.reached[mutant.key]
        of_files = {
            test.partition(" (")[0].partition("::")[0] for test in reached if "(setup)" in test
        }
        tests = {test.rpartition(" (")[0] for test in reached if "(call)" in test}
        tests = {test for test in tests if test.partition("::")[0] not in of_files} | of_files

        def rank(test: str) -> tuple[bool, bool, float]:
            file = test.partition("::")[0]
            return (file not in near, not file.startswith(folder), self.took.get(test, 1))

        spent, some = 0.0, []
        for test in sorted(tests, key=rank):
            spent += self.took.get(test, 1)
            if spent < self.limit / 3:
                some.append(test)
        yield f"{len(some)} of {len(tests)} that reach it", some
        if "" in reached or not reached:
            yield "its folder's", [each for each in files if each.startswith(folder)]
        if "" in reached:
            yield "all", files

    def judge(self, copy: Copy, mutant: Mutant, stages: Iterable[tuple[str, list[str]]]) -> Verdict:
        """Try one kind of tests after the other."""
        start, killer, tried = monotonic(), "", []
        place = f"{mutant.file}:{mutant.line}"
        fault = f"{mutant.was!r} -> {mutant.becomes!r}"
        for kind, tests in stages:
            if not tests:
                continue
            options = () if kind in {"known", "own"} else quick(copy)
            if killer := noticed(copy, mutant, tests, self.limit, options):
                tried = [kind]
                break
            tried.append(kind)
        seconds = round(monotonic() - start, 1)
        return Verdict(mutant.key, place, fault, killer, ", ".join(tried), seconds)


def quick(copy: Copy) -> tuple[str, ...]:
    """Options that leave out what takes long, by the marks that this commit has."""
    project = (copy.root / "pyproject.toml").read_text()
    marks = [f"not {mark}" for mark in LONG if f'"{mark}: ' in project]
    return ("-m", " and ".join(marks)) if marks else ()


def _named_for(mutant: Mutant, files: list[str]) -> list[str]:
    """The files of tests that are named for a mutant's module, or for its folder."""
    file = mutant.file
    stem = file.parent.name if file.stem == "__init__" else file.stem.strip("_")
    return [each for each in files if Path(each).name == f"test_{stem}.py"]


def _mentions(copy: Copy, file: str, pattern: str) -> bool:
    return re.search(pattern, (copy.root / file).read_text()) is not None


def noticed(
    copy: Copy, mutant: Mutant, tests: list[str], limit: float, options: tuple[str, ...]
) -> str:
    """The first test that fails on a mutant and not without it; empty where none does."""
    text = mutant.replaced((copy.root / mutant.file).read_bytes(), mutant.becomes).decode()
    spared: tuple[str, ...] = ()
    for _ in range(4):
        with copy.holding({mutant.file: text}):
            ran = copy.run(tests, limit, "-x", *options, *spared)
        if ran.passed:
            return ""
        if not ran.ended:
            without = copy.run(tests, limit / 3, "-x", *options, *spared)
            return (
                f"no end in {limit:.0f} s, else {without.seconds:.0f} s" if without.passed else ""
            )
        if ran.failed:
            if copy.run([ran.failed], limit).passed:
                return ran.failed
            spared += ("--deselect", ran.failed)
        elif copy.run(tests, limit, "--collect-only", *options).passed:
            return f"pytest does not start: {(ran.said.splitlines() or [''])[-1]}"
        else:
            tests = sorted({each.partition("::")[0] for each in tests})
    return ""


Stages = Callable[[Copy, Mutant], Iterable[tuple[str, list[str]]]]


def judged(
    trial: Trial, made: list[Copy], drawn: list[Mutant], stages: Stages
) -> Iterator[Verdict]:
    """The verdicts on mutants, as many at once as there are copies."""
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in made:
        free.put(copy)

    def judge(mutant: Mutant) -> Verdict:
        copy = free.get()
        try:
            return trial.judge(copy, mutant, stages(copy, mutant))
        finally:
            free.put(copy)

    pool = ThreadPoolExecutor(len(made))
    try:
        for done in as_completed([pool.submit(judge, mutant) for mutant in drawn]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)  # who ends it waits for those that run, and no others
