"""The analysis ``accuracy``: how often the arms of runs are right, and at what price."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from moot.analyses.analysis import analysis
from moot.analyses.arm_tables import (
    SWEEPS,
    tabulate_accuracies,
    tabulate_budgets,
    tabulate_changes,
    tabulate_parts,
    tabulate_rounds,
    tabulate_variances,
)
from moot.analyses.measured_arms import read_mean
from moot.analyses.method_table import build_method_table
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import Family, family_of
from moot.analyses.summary import describe_run, describe_savings, summarise_results
from moot.core.chart import Axis, Chart, Plot
from moot.core.display_text import (
    format_count,
    format_things,
    on_one_line,
)
from moot.core.results import ArmResult, Results
from moot.core.table import Report
from moot.statistics.accuracies import correct_by_holm

DRAWN = 40
"""The most arms of a dataset that are drawn."""


@analysis(
    source="Should we be going MAD?, table 3; exact tests and intervals",
    group="accuracy",
    name="accuracy",
    place=0,
)
def analyse_accuracy(
    runs: RecordedRuns,
    *,
    family: Family = "dataset",
    margin: Annotated[
        Annotated[float, Meta(gt=0, le=100)] | None,
        Meta(
            description="points within which a debate and a vote count as equal; none: never equal"
        ),
    ] = None,
) -> Report:
    """Tell whether debates are worth their tokens, how often each method is right, at what price.

    Each debate is better than a vote of as many tokens, worse, equal within the margin, or open.
    Also self-consistency for the price of each debate, changes of mind, rounds, the parts of
    networks, and how much replicates differ.
    """
    whole = runs.whole if margin is None else runs.compute_whole(margin / 100)
    return report_accuracy(runs.select(correct_family(whole, family)), family=family)


def report_accuracy(found: Results, *, family: Family = "dataset") -> Report:
    """Report results.

    Args:
        found: of a run, or of several that are joined.
        family: what their p is corrected for.
    """
    every = found.arms
    tables = [
        build_method_table(found),
        *tabulate_accuracies(every, family),
        tabulate_budgets(every),
        tabulate_changes(every),
        tabulate_parts(every),
        tabulate_rounds(every),
        tabulate_variances(every),
    ]
    swept = any(len(arm.sweeps) > 1 for arm in every)
    return Report(
        title=f"Accuracy: {found.name}",
        about=f"{found.run}: {describe_run(found)}",
        tables=[table for table in tables if table.rows],
        notes=(*filter(None, [describe_savings(found)]), *[SWEEPS] * swept),
        simulated=found.simulated,
        charts=tuple(_draw_accuracies(every)),
        findings=tuple(summarise_results(found)),
        data=[found],
        verdicts=found.verdicts,
    )


def correct_family(results: Results, family: Family) -> Results:
    """Return results with p corrected within these families; those of a dataset have it already."""
    if family == "dataset":
        return results
    arms = correct_by_holm(
        results.arms,
        "difference",
        by=lambda arm: family_of(family, arm.dataset, arm.baseline or ""),
    )
    return replace(results, arms=tuple(arms))


def _draw_accuracies(every: Sequence[ArmResult]) -> Iterator[Chart]:
    """Yield the accuracies of each dataset with their intervals; of many arms the best."""
    for number, dataset in enumerate(dict.fromkeys(arm.dataset for arm in every), 1):
        own = [arm for arm in every if arm.dataset == dataset and arm.accuracy.mean is not None]
        best = sorted(own, key=lambda arm: (not arm.is_baseline, -(arm.accuracy.mean or 0.0)))
        drawn = [arm for arm in own if arm in best[:DRAWN]]
        if len(drawn) < 2:
            continue
        left = f" The best {len(drawn)} of {len(own)} methods." * (len(drawn) < len(own))
        asked = sorted({arm.accuracy.questions for arm in drawn})
        least = f"{format_count(asked[0])} to " * (len(asked) > 1)
        hollow = ", hollow: a baseline" * any(arm.is_baseline for arm in drawn)
        rows = [
            {
                "arm": on_one_line(arm.label, 160),
                **read_mean("accuracy", arm.accuracy),
                "hollow": arm.is_baseline,
            }
            for arm in drawn
        ]
        yield Chart(
            f"accuracy-{number}" if number > 1 else "accuracy",
            f"Accuracy on {on_one_line(dataset, 60)}",
            f"Dots: the share of right verdicts{hollow}; bars: 95 % intervals over "
            f"{least}{format_things(asked[-1], 'question')}.{left}",
            rows,
            Plot(
                "dots",
                Axis("accuracy", "accuracy", "share"),
                Axis("arm", "", "text"),
                hollow="hollow",
                tooltip=(Axis("questions", "questions"),),
            ),
        )
