"""The values of a run's debates, by dataset and arm: what analyses over several arms begin with."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from moot.core.stored import DebateValues
from moot.statistics.accuracies import Key

MetricValues = Mapping[str, float | None]
DebateValuesByKey = dict[Key, MetricValues]
DebatesByArm = dict[tuple[str, str], DebateValuesByKey]  # by dataset and arm

FAILED = "failed"
"""Among the values, by this name: 1 for a debate without a verdict, else 0."""


def group_debates(rows: Iterable[DebateValues]) -> DebatesByArm:
    """The debates whose accuracy is known, failed ones included: these are not correct."""
    found: DebatesByArm = {}
    for row in rows:
        if row.values.get("accuracy") is not None:
            own = found.setdefault((row.dataset, row.arm), {})
            failed, values = float(row.failed), row.values
            known = values.get(FAILED) == failed  # not so in records of an older moot
            own[row.question, row.replicate] = values if known else {**values, FAILED: failed}
    return found


def sum_values(
    rows: Iterable[DebateValues], *measures: str
) -> dict[tuple[str, str], dict[Key, float]]:
    """Return the sums of measures by dataset and arm, of debates in which all are known."""
    grouped: dict[tuple[str, str], dict[Key, float]] = {}
    for each in rows:
        known = [value for name in measures if (value := each.values.get(name)) is not None]
        if len(known) == len(measures):
            own = grouped.setdefault((each.dataset, each.arm), {})
            own[each.question, each.replicate] = sum(known)
    return grouped


def accuracies_of(debates: DebateValuesByKey, keys: Iterable[Key]) -> dict[Key, float]:
    """Return the accuracy of some of these debates."""
    return {key: debates[key].get("accuracy") or 0.0 for key in keys}


def mean_value(values: Sequence[MetricValues], name: str) -> float | None:
    """Return the mean per debate; None where it is unknown in any of them."""
    known = [value for each in values if (value := each.get(name)) is not None]
    return fmean(known) if known and len(known) == len(values) else None


def mean_tokens(values: Sequence[MetricValues]) -> float | None:
    """Prompt and completion tokens per debate; None where a count is unknown in any."""
    prompt, completion = (
        mean_value(values, "prompt-tokens"),
        mean_value(values, "completion-tokens"),
    )
    return None if prompt is None or completion is None else prompt + completion
