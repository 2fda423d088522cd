"""What is kept of one arm on one dataset while its debates stream by."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add

from moot.core.results import Flips, Mean, Measure
from moot.core.stored import DebateValues
from moot.metrics.by_round import FLIPS, ROUND
from moot.metrics.network_accuracy import LAYER, NODE, SWEEP
from moot.statistics.accuracies import Key, mean_with_interval
from moot.statistics.intervals import Cluster
from moot.studies.equal_budget import DrawCost

_BLOCK = 256
"""Debates whose values are added up together, name by name, which costs much less."""
_PARTS = (NODE, LAYER, SWEEP, ROUND)  # accuracies of parts of a debate
_FLIPS = {flip: flip.replace("-", "_") for flip in FLIPS.values()}

_SHOWN = {
    *("accuracy", "first-accuracy", "failed", "unparsed", "oracle-gap", "calls", "replayed"),
    *("retries", "prompt-tokens", "completion-tokens", "cached-tokens", "cost", "seconds"),
    *_FLIPS,
}  # what ArmResult has a field for


class ArmTally:
    """The debates of one arm on one dataset, summed up.

    Attributes:
        n: how many they are.
        failed: those of them without a verdict.
        right: the accuracy of each.
        took: what each took, where that is asked for.
    """

    def __init__(self, *, prices: bool = False) -> None:
        self.n = self.failed = 0
        self.right: dict[Key, float] = {}
        self.took: dict[Key, DrawCost] = {}
        self._prices = prices
        self._sums: dict[str, float] = defaultdict(float)
        self._known: dict[str, int] = defaultdict(int)
        self._parts: dict[str, dict[str, Cluster]] = defaultdict(dict)

    def add(self, rows: Iterable[DebateValues]) -> None:
        """Count more debates."""
        waiting: dict[tuple[str, ...], list[DebateValues]] = defaultdict(list)
        for row in rows:
            self.n += 1
            self.failed += row.failed
            names = tuple(row.values)
            waiting[names].append(row)
            if len(waiting[names]) == _BLOCK:
                self._add_up(names, waiting.pop(names))
            accuracy = row.values.get("accuracy")
            if accuracy is not None:
                key = row.question, row.replicate
                self.right[key] = accuracy
                if self._prices:
                    self.took[key] = DrawCost.of(row.values)
        for names, left in waiting.items():
            self._add_up(names, left)

    def _add_up(self, names: tuple[str, ...], rows: Sequence[DebateValues]) -> None:
        """Count rows that have values of the same names."""
        columns = zip(*[row.values.values() for row in rows], strict=True)
        for name, column in zip(names, columns, strict=True):
            if not (given := [value for value in column if value is not None]):
                continue
            if ":" in name and name.startswith(_PARTS):
                self._add_part(self._parts[name], rows, column)
            else:  # not by sum(), which newer Pythons round otherwise
                self._sums[name] = reduce(add, given, self._sums[name])
                self._known[name] += len(given)

    def _add_part(
        self,
        part: dict[str, Cluster],
        rows: Iterable[DebateValues],
        column: Iterable[float | None],
    ) -> None:
        """Count the values of a part of the debate, question by question."""
        for row, value in zip(rows, column, strict=True):
            if value is not None:
                total, size = part.get(row.question, (0.0, 0))
                part[row.question] = Cluster(total + value, size + 1)

    def measure(self, name: str) -> Measure:
        """Return a metric's sum."""
        known = self._known.get(name, 0)
        return Measure(total=self._sums[name] if known else None, known=known)

    def others(self) -> dict[str, Measure]:
        """Return every metric for which there is no field."""
        names = sorted(name for name in self._known if name.partition(":")[0] not in _SHOWN)
        return {name: self.measure(name) for name in names}

    def count(self, name: str) -> int:
        """Return the sum of what is counted in whole numbers."""
        return round(self._sums.get(name, 0.0))

    def mean_by_name(self, of: str) -> dict[str, Mean]:
        """Return the accuracy of each node, layer, sweep or round, in order."""
        found = {
            name.removeprefix(of): mean_with_interval(values.values())
            for name, values in self._parts.items()
            if name.startswith(of)
        }
        return dict(sorted(found.items(), key=lambda each: _count_nodes(each[0])))

    def mean_by_number(self, of: str) -> dict[int, Mean]:
        """Return the same for metrics that have numbers for names."""
        return {int(number): mean for number, mean in self.mean_by_name(of).items()}

    def count_flips(self, into: str = "") -> Flips | None:
        """Return how often debaters changed, or kept, a right or a wrong answer, over all debates.

        Args:
            into: empty to compare first and last answers; ``:2`` to compare those of round 2 with
                those before.

        Returns:
            None if no debate has the two answers to compare.
        """
        if not self._known.get(f"wrong-to-right{into}"):
            return None
        return Flips(**{field: self.count(f"{flip}{into}") for flip, field in _FLIPS.items()})

    def count_round_flips(self) -> dict[int, Flips]:
        """Return the changes into each round, in order."""
        rounds = sorted(
            int(number)
            for flip, colon, number in (name.partition(":") for name in self._known)
            if colon and flip in _FLIPS
        )
        return {number: found for number in rounds if (found := self.count_flips(f":{number}"))}


def _count_nodes(name: str) -> tuple[str, int, str]:
    """Return a key that sorts C10 behind C9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0), name
