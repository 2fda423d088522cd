"""What is kept of one arm on one dataset while its debates stream by."""

from collections import defaultdict

from moot.core.results import Flips, Mean, Measure
from moot.core.stored import DebateValues
from moot.metrics.by_round import FLIPS, ROUND
from moot.metrics.nodes import LAYER, NODE, SWEEP
from moot.studies.accuracies import Key, with_interval
from moot.studies.equal_budget import Took
from moot.studies.statistics.intervals import Cluster

_PARTS = (NODE, LAYER, SWEEP, ROUND)  # accuracies of parts of a debate
_FLIPS = {flip: flip.replace("-", "_") for flip in FLIPS.values()}

_SHOWN = {
    *("accuracy", "first-accuracy", "failed", "unparsed", "oracle-gap", "calls", "replayed"),
    *("retries", "prompt-tokens", "completion-tokens", "cached-tokens", "cost", "seconds"),
    *_FLIPS,
}  # what ArmResult has a field for


class Tally:
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
        self.took: dict[Key, Took] = {}
        self._prices = prices
        self._sums: dict[str, float] = defaultdict(float)
        self._known: dict[str, int] = defaultdict(int)
        self._parts: dict[str, dict[str, Cluster]] = defaultdict(dict)

    def add(self, row: DebateValues) -> None:
        """Count one more debate."""
        self.n += 1
        self.failed += row.failed
        sums, known = self._sums, self._known
        for name, value in row.values.items():
            if value is None:
                continue
            if ":" in name and name.startswith(_PARTS):
                part = self._parts[name]
                total, size = part.get(row.question, (0.0, 0))
                part[row.question] = Cluster(total + value, size + 1)
            else:
                sums[name] += value
                known[name] += 1
        accuracy = row.values.get("accuracy")
        if accuracy is not None:
            key = row.question, row.replicate
            self.right[key] = accuracy
            if self._prices:
                self.took[key] = Took.of(row.values)

    def measure(self, name: str) -> Measure:
        """A metric's sum."""
        known = self._known.get(name, 0)
        return Measure(total=self._sums[name] if known else None, known=known)

    def others(self) -> dict[str, Measure]:
        """Every metric for which there is no field."""
        names = sorted(name for name in self._known if name.partition(":")[0] not in _SHOWN)
        return {name: self.measure(name) for name in names}

    def count(self, name: str) -> int:
        """The sum of what is counted in whole numbers."""
        return round(self._sums.get(name, 0.0))

    def accuracies(self, of: str) -> dict[str, Mean]:
        """The accuracy of each node, layer, sweep or round, in order."""
        found = {
            name.removeprefix(of): with_interval(values.values())
            for name, values in self._parts.items()
            if name.startswith(of)
        }
        return dict(sorted(found.items(), key=lambda each: _counted(each[0])))

    def numbered(self, of: str) -> dict[int, Mean]:
        """The same of what has numbers for names."""
        return {int(number): mean for number, mean in self.accuracies(of).items()}

    def flips(self, into: str = "") -> Flips | None:
        """From the first answer to the last, or into one round; None where nobody could."""
        if not self._known.get(f"wrong-to-right{into}"):
            return None
        return Flips(**{field: self.count(f"{flip}{into}") for flip, field in _FLIPS.items()})

    def round_flips(self) -> dict[int, Flips]:
        """Into each round, in order."""
        rounds = sorted(
            int(number)
            for flip, colon, number in (name.partition(":") for name in self._known)
            if colon and flip in _FLIPS
        )
        return {number: found for number in rounds if (found := self.flips(f":{number}"))}


def _counted(name: str) -> tuple[str, int, str]:
    """What sorts C10 behind C9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0), name
