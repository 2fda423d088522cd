"""Values of metrics that are newer than the debates: computed from the transcripts.

A metric keeps its meaning for good, and another meaning is another metric. So a stored value is one
of the metric of its name, and a name that a debate lacks is of a metric that came later. It is
computed anew when an analysis asks for it, and not kept; ``moot measure`` keeps it.
"""

from collections.abc import Iterable, Sequence

from moot.analyses.recorded_runs import RecordedRuns
from moot.core.events import Transcript
from moot.core.results import Measure
from moot.core.stored import DebateValues
from moot.metrics.metric import Metric
from moot.metrics.metric import registry as metrics
from moot.studies.measured_record import replace_withheld


def find_values(runs: RecordedRuns, names: Sequence[str]) -> list[DebateValues]:
    """Return the values of every debate, with those of these metrics computed where they lack.

    Of a secret question, what depends on words that the store does not have is unknown.
    """
    asked = [metrics.get(name, where="metric") for name in names]
    lacking: dict[str, dict[tuple[str, str, int], DebateValues]] = {}
    for row in runs.values:
        if not all(one.name in row.values for one in asked):
            own = lacking.setdefault(row.arm, {})
            own[row.dataset, row.question, row.replicate] = row
    if not lacking:
        return runs.values
    made: dict[tuple[str, str, str, int], DebateValues] = {}
    for arm, own in lacking.items():
        for debate in runs.debates(arm):
            place = debate.dataset, debate.question, debate.replicate
            if (old := own.get(place)) is not None:
                newer = {
                    one.name: _measure(one, debate.transcript)
                    for one in asked
                    if one.name not in old.values
                }
                made[arm, *place] = old._replace(values={**old.values, **newer})
    return [
        made.get((row.arm, row.dataset, row.question, row.replicate), row) for row in runs.values
    ]


def find_measures(
    runs: RecordedRuns, names: Sequence[str]
) -> dict[tuple[str, str], dict[str, Measure]]:
    """Return the sums of these metrics by dataset and joined arm, with those computed anew."""
    sums = {
        (each.dataset, each.arm): {name: each.others.get(name, Measure()) for name in names}
        for each in runs.joined.arms
    }
    if (values := find_values(runs, names)) is not runs.values:
        grouped: dict[tuple[str, str], list[DebateValues]] = {key: [] for key in sums}
        for row in values:
            grouped.setdefault((row.dataset, row.arm), []).append(row)
        sums |= {
            key: {name: _add_up(row.values[name] for row in own) for name in names}
            for key, own in grouped.items()
        }
    return sums


def _add_up(values: Iterable[float | None]) -> Measure:
    known = [value for value in values if value is not None]
    return Measure(total=sum(known) if known else None, known=len(known))


def _measure(one: Metric, transcript: Transcript) -> float | None:
    value = one(transcript)
    if value is not None and transcript.question.secret:
        return value if one(replace_withheld(transcript)) == value else None
    return value
