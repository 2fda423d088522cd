"""The analysis ``accuracy``: how often the arms of runs are right, and at what price."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from moot.analyses.analysis import analysis
from moot.analyses.arm_tables import (
    SWEEPS,
    ArmLine,
    tabulate_accuracies,
    tabulate_budgets,
    tabulate_changes,
    tabulate_parts,
    tabulate_rounds,
    tabulate_variances,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import Family, family_of
from moot.analyses.summary import describe_run, describe_savings, summarise_runs
from moot.core.chart import Axis, Chart, Plot
from moot.core.display_text import (
    format_things,
    on_one_line,
)
from moot.core.results import Results
from moot.core.table import Report
from moot.statistics.accuracies import correct_differences

DRAWN = 40
"""The most arms of a dataset that are drawn."""


@analysis(
    source="Should we be going MAD?, table 3; exact tests and intervals", name="accuracy", place=0
)
def analyse_accuracy(
    runs: RecordedRuns,
    *,
    family: Family = "dataset",
) -> Report:
    """Tell how often each arm is right, how far above its baseline, and at what price.

    Also self-consistency for the price of each debate, changes of mind, rounds, the parts of
    networks, and how much replicates differ.
    """
    return report_accuracy(runs.results, family=family)


def report_accuracy(found: Sequence[Results], *, family: Family = "dataset") -> Report:
    """Report the results of runs.

    Args:
        found: of one or more runs.
        family: what p is corrected for.
    """
    found = _correct(found, family)
    every = [ArmLine(each, arm) for each in found for arm in each.arms]
    tables = [
        *tabulate_accuracies(every, family),
        tabulate_budgets(every),
        tabulate_changes(every),
        tabulate_parts(every),
        tabulate_rounds(every),
        tabulate_variances(every),
    ]
    swept = any(len(line.arm.sweeps) > 1 for line in every)
    return Report(
        title=f"Accuracy: {', '.join(dict.fromkeys(each.name for each in found))}",
        about=" ".join(f"{each.run}: {describe_run(each)}" for each in found),
        tables=[table for table in tables if table.rows],
        notes=(*filter(None, map(describe_savings, found)), *[SWEEPS] * swept),
        simulated=any(each.simulated for each in found),
        charts=tuple(_draw_accuracies(every)),
        findings=tuple(summarise_runs(found)),
        data=found,
    )


def _correct(found: Sequence[Results], family: Family) -> list[Results]:
    """Return the results with p corrected within these families."""
    if family == "dataset":
        return list(found)
    kin: dict[object, list[tuple[int, int]]] = {}
    for run, each in enumerate(found):
        for place, arm in enumerate(each.arms):
            if arm.difference is not None:
                own = family_of(family, arm.dataset, arm.baseline or "")
                key = own if family == "all" else (run, *own)
                kin.setdefault(key, []).append((run, place))
    arms = [list(each.arms) for each in found]
    for places in kin.values():
        gaps = [gap for run, place in places if (gap := arms[run][place].difference)]
        for (run, place), gap in zip(places, correct_differences(gaps), strict=True):
            arms[run][place] = replace(arms[run][place], difference=gap)
    both = zip(found, arms, strict=True)
    return [replace(each, arms=tuple(own)) for each, own in both]


def _draw_accuracies(every: Sequence[ArmLine]) -> Iterator[Chart]:
    """Yield the accuracies of each dataset with their intervals; of many arms the best."""
    for number, dataset in enumerate(dict.fromkeys(line.arm.dataset for line in every), 1):
        own = [
            line
            for line in every
            if line.arm.dataset == dataset and line.arm.accuracy.mean is not None
        ]
        best = sorted(own, key=lambda line: (not line.marked, -(line.arm.accuracy.mean or 0.0)))
        drawn = [line for line in own if line in best[:DRAWN]]
        if len(drawn) < 2:
            continue
        left = f" The best {len(drawn)} of {len(own)} arms." * (len(drawn) < len(own))
        n = max(line.arm.accuracy.questions for line in drawn)
        rows = [
            {
                "arm": line.name,
                "accuracy": got.mean,
                "low": got.low,
                "high": got.high,
                "questions": got.questions,
                "hollow": line.marked,
            }
            for line in drawn
            if (got := line.arm.accuracy)
        ]
        yield Chart(
            f"accuracy-{number}" if number > 1 else "accuracy",
            f"Accuracy on {on_one_line(dataset, 60)}",
            f"Dots: the share of right verdicts, hollow: a baseline; bars: 95 % intervals over "
            f"{format_things(n, 'question')}.{left}",
            rows,
            Plot(
                "dots",
                Axis("accuracy", "accuracy", "share"),
                Axis("arm", "", "text"),
                hollow="hollow",
                tooltip=(Axis("questions", "questions"),),
            ),
        )
