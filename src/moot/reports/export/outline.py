"""What is exported: the debates of runs, one after the other, and their totals."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from math import sqrt
from typing import NamedTuple

from moot.core.events import Transcript
from moot.core.redaction import redact
from moot.core.stored import DebateRow, DebateValues, RunRow


class PartKey(NamedTuple):
    """An arm on a dataset in a run; the debates of one follow each other in the store."""

    run: int
    arm: str
    dataset: str


class ExportedDebate:
    """A debate with the run it belongs to; its transcript is decoded when it is asked for."""

    def __init__(self, run: RunRow, row: DebateRow) -> None:
        self.run, self.row = run, row

    @property
    def key(self) -> PartKey:
        """The part that it belongs to."""
        return PartKey(self.run.id, self.row.arm, self.row.dataset)

    @cached_property
    def transcript(self) -> Transcript:
        """What happened, as it may be shown."""
        return redact(self.row.transcript)


class ExportPart:
    """The totals of an arm on a dataset; its debates are added in the order of the store.

    Memory does not grow with their number.

    Attributes:
        debates: how many there are.
        failed: those of them that ended without a verdict.
        questions: how many were debated.
        replicates: how often the question that was debated most often was.
        sums: of each metric, over the debates in which it is known.
        known: the number of these debates.
    """

    def __init__(self) -> None:
        self.debates = self.failed = self.questions = self.replicates = 0
        self.sums: dict[str, float] = defaultdict(float)
        self.known: dict[str, int] = defaultdict(int)
        self._question: str | None = None
        self._right: list[float] = []
        self._n, self._sum, self._squares = 0, 0.0, 0.0  # over questions with a right answer

    def add(self, row: DebateValues) -> None:
        """Count one debate."""
        if row.question != self._question:
            self._close_question()
            self._question = row.question
            self.questions += 1
        self.debates += 1
        self.failed += row.failed
        self.replicates = max(self.replicates, row.replicate + 1)
        for name, value in row.values.items():
            if value is not None:
                self.sums[name] += value
                self.known[name] += 1
        right = row.values.get("accuracy")
        if right is not None:
            self._right.append(right)

    def means(self) -> Iterator[tuple[str, float]]:
        """Yield each metric with its mean over the debates in which it is known."""
        return ((name, self.sums[name] / self.known[name]) for name in sorted(self.known))

    def accuracy(self) -> tuple[float, float] | None:
        """Return the mean over questions of their accuracy, and its standard error.

        None where no right answer is known. The error is 0 where there is one question alone.
        """
        self._close_question()
        if not self._n:
            return None
        mean = self._sum / self._n
        spread = max(0.0, self._squares - self._sum * mean) / max(1, self._n - 1)
        return mean, sqrt(spread / self._n)

    def _close_question(self) -> None:
        if self._right:
            value = sum(self._right) / len(self._right)
            self._right.clear()
            self._n += 1
            self._sum += value
            self._squares += value * value


class Outline:
    """What is known of all debates before the first is written.

    Attributes:
        metrics: the names of all values that any debate has, as columns stand.
        parts: every arm on every dataset.
    """

    def __init__(self) -> None:
        self.parts: dict[PartKey, ExportPart] = defaultdict(ExportPart)
        self._names: set[str] = set()

    def add(self, run: RunRow, row: DebateValues) -> None:
        """Take in one debate."""
        self._names.update(row.values)
        self.parts[PartKey(run.id, row.arm, row.dataset)].add(row)

    def covers(self, values: Iterable[str]) -> bool:
        """Whether all these values are known to it by name."""
        return self._names.issuperset(values)

    @property
    def metrics(self) -> list[str]:
        """The registered metrics by name; after them rounds, layers and nodes, by number."""
        return sorted(self._names, key=_place)


def _place(name: str) -> tuple[bool, str, int, str]:
    stem, colon, part = name.partition(":")
    number = int(part) if part.isdecimal() else 0
    return bool(colon), stem, number, part
