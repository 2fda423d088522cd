"""What debating is worth: against the first answer, and against the baseline."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from moot.analyses.analysis import analysis
from moot.analyses.debate_values import DebatesByArm, group_debates
from moot.analyses.measured_arms import (
    MeasuredArm,
    by_dataset,
    gather_arms,
    group_by,
    make_slug,
    name_left_out,
    note_arms,
    panel_of_models,
    read_mean,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.display_text import format_things
from moot.core.results import ArmResult, Mean
from moot.core.table import Column, Report
from moot.statistics.accuracies import Key, average_means, cluster_by_question
from moot.statistics.intervals import interval, mean

STEPS = {"gain-to-last": "its last answer", "gain-to-verdict": "the verdict"}
"""What is compared with the first agent's first answer, by metric."""


@analysis(
    source="arXiv:2311.17371, figure 4",
    group="accuracy",
    needs=tuple(STEPS)[:1],
    place=5,
    name="gains",
    draws=True,
    tried=True,
)
def analyse_gains(runs: RecordedRuns) -> Report:
    """Show what a debate adds to the first agent's first answer, by protocol.

    Only methods whose agents can speak more than once are shown; a debate that ended in the first
    round is one without a gain.
    """
    every = gather_arms(runs)
    arms = [arm for arm in every if arm.may_go_on]
    notes = list(_note_left_out(arms, every))
    rows = list(_list_gains(arms, group_debates(runs.values)))
    chart = Chart(
        "gains",
        "What debating adds to the first agent's first answer",
        "The gain in accuracy from the first agent's first answer to its last, and to the "
        "verdict, divided by the first answer's accuracy: the mean of a protocol's variants, "
        f"averaged over {_count_datasets(rows)} that count alike. Whiskers are 95 % intervals over "
        "questions, with the first answer's accuracy taken as given. After arXiv:2311.17371, "
        "figure 4.",
        rows,
        Plot(
            "bars",
            Axis("gain", "gain, relative to the first answer's accuracy", "points"),
            Axis("protocol", "", "text"),
            colour="to",
            panel=panel_of_models(arms),
            reference=0,
            tooltip=(Axis("datasets"),),
        ),
        (*note_arms(arms), *notes) if arms else (),
    )
    columns = ("model", "protocol", "to", "gain", "datasets")
    own = {"to": Column("from the first answer to"), "gain": Column("relative gain", "points")}
    lacking = "no first answer is right" if arms else "no agent can speak twice"
    return report_charts(
        runs, "Gains", [chart] if rows else [], columns, own, lacking=lacking, notes=notes
    )


def _list_gains(arms: Sequence[MeasuredArm], debates: DebatesByArm) -> Iterator[DataRow]:
    """Yield the rows of each model, the protocol first whose verdicts gain the most."""
    for model in group_by(arms, lambda arm: arm.model).values():
        kinds = group_by(model, lambda arm: arm.protocol).values()
        found = [list(_relative_gains(kind, debates)) for kind in kinds]
        for each in sorted(found, key=_verdict_last):
            yield from each


def _note_left_out(arms: Sequence[MeasuredArm], every: Sequence[MeasuredArm]) -> Iterator[str]:
    """Yield what the bars leave out, in sentences."""
    if left := name_left_out(arms, every):
        yield f"Not shown, since no agent can speak twice: {left}"
    zero = [arm for arm in arms if relative_gain(arm.result, "gain-to-verdict") is None]
    if zero:
        named = ", ".join(f"{arm.label} on {arm.dataset}" for arm in zero)
        yield f"Left out, since no first answer is right or known: {named}"


def _count_datasets(rows: Sequence[DataRow]) -> str:
    """Say over how many datasets the rows are averaged."""
    least, *_, most = sorted([int(row["datasets"] or 0) for row in rows] * 2 or [0, 0])
    whole = format_things(most, "dataset")
    return whole if least == most else f"{least} to {whole}"


def relative_gain(result: ArmResult, metric: str) -> float | None:
    """A gain in parts of the first answer's accuracy; None where either is unknown, or it is 0."""
    gain = result.others[metric].mean if metric in result.others else None
    return gain / result.first_accuracy if gain is not None and result.first_accuracy else None


def _relative_gains(arms: Sequence[MeasuredArm], debates: DebatesByArm) -> Iterator[DataRow]:
    """Yield a row for each step: the mean over datasets of the mean of the arms."""
    for metric, words in STEPS.items():
        parts = [_average_gain(own, metric, debates) for own in by_dataset(arms).values()]
        known = [part for part in parts if part.mean is not None]
        if known:
            names = {"protocol": arms[0].protocol, "model": arms[0].model, "to": f"to {words}"}
            yield {**names, **read_mean("gain", average_means(known)), "datasets": len(known)}


def _average_gain(arms: Sequence[MeasuredArm], metric: str, debates: DebatesByArm) -> Mean:
    """Return the mean of the arms' relative gains on one dataset, with its interval."""
    gains: list[float] = []
    scaled: dict[Key, list[float]] = {}
    reach = 0.0
    for arm in arms:
        gain, first = relative_gain(arm.result, metric), arm.result.first_accuracy
        if gain is None or not first:
            continue
        gains.append(gain)
        reach = max(reach, 1 / first)
        for key, values in debates.get((arm.dataset, arm.result.arm), {}).items():
            if (one := values.get(metric)) is not None:
                scaled.setdefault(key, []).append(one / first)
    if not gains:
        return Mean()
    clusters = cluster_by_question({key: fmean(own) for key, own in scaled.items()})
    ends, centre = interval(clusters, bounds=(-reach, reach)), fmean(gains)
    aside = centre - (mean(clusters) or 0.0)  # arms may have been read on different debates
    low, high = (None, None) if ends is None else (end + aside for end in ends)
    return Mean(mean=centre, low=low, high=high, n=len(scaled), questions=len(clusters))


def _verdict_last(rows: Sequence[DataRow]) -> float:
    return -max((float(row["gain"] or 0) for row in rows[-1:]), default=0.0)


@analysis(
    source="arXiv:2311.17371, section 3",
    group="accuracy",
    needs=("accuracy",),
    place=4,
    name="improvement",
    draws=True,
    tried=True,
)
def analyse_improvement(runs: RecordedRuns) -> Report:
    """Show how much better each method is than the baseline, in parts of the baseline's accuracy.

    Of several models, each has a panel and a baseline of its own.
    """
    charts = []
    for dataset, own in by_dataset(gather_arms(runs)).items():
        pairs = [(arm, row) for arm in own if (row := _compare_with_baseline(arm))]
        if not pairs:
            continue
        arms = [arm for arm, _ in pairs]
        bases = dict.fromkeys(arm.baseline.label for arm in arms if arm.baseline)
        charts.append(
            Chart(
                make_slug("improvement", dataset),
                f"Improvement over the baseline on {dataset}",
                "The difference of accuracies on the questions that both have, with its 95 % "
                "interval, divided by the baseline's accuracy, which is taken as given. "
                f"Baseline: {', '.join(bases)}. A filled dot has an interval without 0; it is not "
                "corrected for the number of methods.",
                [row for _, row in pairs],
                Plot(
                    "dots",
                    Axis("relative", "relative to the baseline's accuracy", "points"),
                    Axis("arm", "", "text"),
                    panel=panel_of_models(arms),
                    hollow="unsure",
                    reference=0,
                    tooltip=(
                        Axis("difference", "difference of accuracies", "points"),
                        Axis("questions"),
                    ),
                ),
                note_arms(arms),
            )
        )
    columns = ("arm", "model", "relative", "difference", "questions")
    lacking = "no method was compared with a baseline that is ever right"
    return report_charts(runs, "Improvement", charts, columns, _COLUMNS, lacking=lacking)


_COLUMNS = {
    "relative": Column("relative %", "points"),
    "difference": Column("difference", "points"),
}


def _compare_with_baseline(arm: MeasuredArm) -> DataRow | None:
    """Return an arm's gain over its baseline, as a share of the baseline's accuracy.

    None where either accuracy is unknown, or the baseline's is 0.
    """
    gap, base = arm.result.difference, arm.baseline
    if gap is None or gap.mean is None or base is None or not base.accuracy.mean:
        return None
    of = base.accuracy.mean
    low, high = (None if end is None else end / of for end in (gap.low, gap.high))
    sure = low is not None and high is not None and (low > 0 or high < 0)
    return {
        "arm": arm.label,
        "model": arm.model,
        "relative": gap.mean / of,
        "low": low,
        "high": high,
        "unsure": not sure,
        "difference": gap.mean,
        "questions": gap.questions,
    }
