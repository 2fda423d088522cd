"""The values of a run's debates, by dataset and arm: what analyses over several arms begin with."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from moot.core.stored import DebateValues
from moot.statistics.accuracies import Key

Values = Mapping[str, float | None]
Debates = dict[Key, Values]
Held = dict[tuple[str, str], Debates]  # by dataset and arm

FAILED = "failed"
"""Among the values, by this name: 1 for a debate without a verdict, else 0."""


def held(rows: Iterable[DebateValues]) -> Held:
    """The debates whose accuracy is known, failed ones included: these are not correct."""
    found: Held = {}
    for row in rows:
        if row.values.get("accuracy") is not None:
            own = found.setdefault((row.dataset, row.arm), {})
            own[row.question, row.replicate] = row.values | {FAILED: float(row.failed)}
    return found


def right(debates: Debates, keys: Iterable[Key]) -> dict[Key, float]:
    """Return the accuracy of some of these debates."""
    return {key: debates[key].get("accuracy") or 0.0 for key in keys}


def mean(values: Sequence[Values], name: str) -> float | None:
    """Return the mean per debate; None where it is unknown in any of them."""
    known = [value for each in values if (value := each.get(name)) is not None]
    return fmean(known) if known and len(known) == len(values) else None


def tokens(values: Sequence[Values]) -> float | None:
    """Prompt and completion tokens per debate; None where a count is unknown in any."""
    prompt, completion = mean(values, "prompt-tokens"), mean(values, "completion-tokens")
    return None if prompt is None or completion is None else prompt + completion
