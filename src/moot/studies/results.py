"""From the measured debates of a run to its results, arm by arm and dataset by dataset."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from moot.core.results import ArmResult, Difference, Flips, Mean, Measure, Results
from moot.core.stored import DebateValues
from moot.metrics.nodes import LAYER, NODE, SWEEP
from moot.studies.statistics.intervals import Cluster, interval, mean
from moot.studies.statistics.paired import holm, mcnemar
from moot.studies.statistics.power import smallest_difference, smallest_mean_difference

Key: TypeAlias = tuple[str, int]  # question, replicate: one debate of an arm on a dataset

_SHOWN = {
    *("accuracy", "first-accuracy", "failed", "unparsed", "oracle-gap", "calls", "replayed"),
    *("retries", "prompt-tokens", "completion-tokens", "cached-tokens", "cost", "seconds"),
    *("wrong-to-right", "right-to-wrong", "kept-right", "kept-wrong"),
}  # what ArmResult has a field for


class _Tally:
    """What is kept of one arm on one dataset while its debates stream by."""

    def __init__(self) -> None:
        self.n = self.failed = 0
        self.right: dict[Key, float] = {}
        self.sums: dict[str, float] = defaultdict(float)
        self.known: dict[str, int] = defaultdict(int)
        self.parts: dict[str, dict[Key, float]] = defaultdict(dict)

    def add(self, row: DebateValues) -> None:
        self.n += 1
        self.failed += row.failed
        for name, value in row.values.items():
            if value is None:
                continue
            if name.startswith((NODE, LAYER, SWEEP)):
                self.parts[name][row.question, row.replicate] = value
            else:
                self.sums[name] += value
                self.known[name] += 1
        accuracy = row.values.get("accuracy")
        if accuracy is not None:
            self.right[row.question, row.replicate] = accuracy

    def measure(self, name: str) -> Measure:
        known = self.known.get(name, 0)
        return Measure(total=self.sums[name] if known else None, known=known)

    def count(self, name: str) -> int:
        return round(self.sums.get(name, 0.0))

    def accuracies(self, of: str) -> dict[str, Mean]:
        """The accuracy of each node, layer or sweep of a network, in order."""
        found = {
            name.removeprefix(of): with_interval(values)
            for name, values in self.parts.items()
            if name.startswith(of)
        }
        return dict(sorted(found.items(), key=lambda each: _counted(each[0])))

    def flips(self) -> Flips | None:
        if not self.known.get("wrong-to-right"):
            return None
        names = Flips.__struct_fields__
        return Flips(**{name: self.count(name.replace("_", "-")) for name in names})


def summarise(
    rows: Iterable[DebateValues],
    *,
    run: str,
    name: str,
    simulated: Collection[str] = (),
    baseline: str | None = None,
    arms: Sequence[str] = (),
) -> Results:
    """Take the results of a run from the values of its debates, each seen once.

    Args:
        rows: one for each debate, failed ones included, in any order.
        run: the run's key.
        name: the study's name.
        simulated: the names of the arms with an agent that is no language model.
        baseline: the arm that the others are compared with, on the debates both have.
        arms: the order in which arms are shown; others follow as they come.
    """
    tallies: dict[tuple[str, str], _Tally] = defaultdict(_Tally)
    for row in rows:
        tallies[row.dataset, row.arm].add(row)
    place = {arm: number for number, arm in enumerate(arms)}
    datasets = list(dict.fromkeys(dataset for dataset, _ in tallies))
    keys = sorted(tallies, key=lambda key: (datasets.index(key[0]), place.get(key[1], len(arms))))
    found = [_arm(key, tallies, baseline, simulated=key[1] in simulated) for key in keys]
    return Results(
        run=run,
        name=name,
        simulated=bool(simulated),
        baseline=baseline,
        arms=tuple(arm for dataset in datasets for arm in _corrected(found, dataset)),
    )


def _corrected(arms: list[ArmResult], dataset: str) -> list[ArmResult]:
    """The arms of a dataset, each p with its correction for how many there are."""
    own = [arm for arm in arms if arm.dataset == dataset]
    values = [arm.difference.p for arm in own if arm.difference and arm.difference.p is not None]
    adjusted = iter(holm(values))
    return [
        replace(arm, difference=replace(gap, p_holm=next(adjusted)))
        if (gap := arm.difference) and gap.p is not None
        else arm
        for arm in own
    ]


def _arm(
    key: tuple[str, str],
    tallies: dict[tuple[str, str], _Tally],
    baseline: str | None,
    *,
    simulated: bool,
) -> ArmResult:
    (dataset, arm), tally = key, tallies[key]
    other = tallies.get((dataset, baseline)) if baseline is not None and arm != baseline else None
    return ArmResult(
        dataset=dataset,
        arm=arm,
        simulated=simulated,
        n=tally.n,
        failed=tally.failed,
        unparsed=tally.count("unparsed"),
        accuracy=with_interval(tally.right),
        first_accuracy=tally.measure("first-accuracy").mean,
        difference=None if other is None else difference(tally.right, other.right),
        flips=tally.flips(),
        oracle_gap=tally.measure("oracle-gap").mean,
        calls=tally.count("calls"),
        replayed=tally.count("replayed"),
        retries=tally.count("retries"),
        prompt_tokens=tally.measure("prompt-tokens"),
        completion_tokens=tally.measure("completion-tokens"),
        cached_tokens=tally.measure("cached-tokens"),
        cost=tally.measure("cost"),
        seconds=tally.measure("seconds"),
        others={name: tally.measure(name) for name in sorted(tally.known) if name not in _SHOWN},
        nodes=tally.accuracies(NODE),
        layers={int(layer): mean for layer, mean in tally.accuracies(LAYER).items()},
        sweeps={int(sweep): mean for sweep, mean in tally.accuracies(SWEEP).items()},
    )


def _counted(name: str) -> tuple[str, int, str]:
    """What sorts C10 behind C9."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0), name


def _by_question(values: dict[Key, float]) -> dict[str, Cluster]:
    clusters: dict[str, Cluster] = {}
    for (question, _), value in values.items():
        total, count = clusters.get(question, Cluster(0.0, 0))
        clusters[question] = Cluster(total + value, count + 1)
    return clusters


def with_interval(values: dict[Key, float]) -> Mean:
    """The mean of values from 0 to 1 by (question, replicate), with its interval."""
    clusters = _by_question(values).values()
    low, high = interval(clusters) or (None, None)
    return Mean(mean=mean(clusters), low=low, high=high, n=len(values), questions=len(clusters))


def difference(arm: dict[Key, float], baseline: dict[Key, float]) -> Difference:
    """How far an arm is above the baseline, on the (question, replicate) that both have.

    The test counts questions, not replicates: a question is for the arm when the arm has it right
    more often over the paired replicates. With one replicate this is McNemar's own count.
    """
    pairs = {key: value - baseline[key] for key, value in arm.items() if key in baseline}
    if not pairs:
        return Difference()
    clusters = _by_question(pairs).values()
    low, high = interval(clusters, bounds=(-1.0, 1.0)) or (None, None)
    better = sum(cluster.total > 0 for cluster in clusters)
    worse = sum(cluster.total < 0 for cluster in clusters)
    n = len(clusters)
    replicated = len(pairs) > n
    return Difference(
        mean=mean(clusters),
        low=low,
        high=high,
        pairs=len(pairs),
        questions=n,
        better=better,
        worse=worse,
        p=mcnemar(better, worse),
        smallest=smallest_mean_difference(clusters)
        if replicated
        else smallest_difference(n, (better + worse) / n),
    )
