"""What rounds are worth: debaters that are right in each, and how they change."""

from collections.abc import Iterator, Sequence

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import (
    MeasuredArm,
    by_dataset,
    gather_arms,
    make_slug,
    name_left_out,
    note_arms,
    panel_of_models,
    read_mean,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, Plot
from moot.core.recorded_settings import SizeSettings, read_settings
from moot.core.table import Column, Report

FEW = 6
"""The most arms whose intervals are drawn."""
FLIPS = {
    "kept_right": "stayed right",
    "kept_wrong": "stayed wrong",
    "wrong_to_right": "wrong to right",
    "right_to_wrong": "right to wrong",
}


@analysis(
    source="moot",
    group="debate",
    needs=("accuracy",),
    place=12,
    name="rounds",
    draws=True,
    tried=True,
)
def analyse_rounds(runs: RecordedRuns) -> Report:
    """Show the debaters that are right in each round, and how they change between rounds.

    Two charts for each dataset, of methods with two rounds or more.
    """
    charts = [
        chart
        for dataset, arms in by_dataset(gather_arms(runs)).items()
        for chart in (*_draw_rounds(dataset, arms), *_draw_flips(dataset, arms))
    ]
    notes = [note for chart in charts for note in chart.notes if note.startswith("Not shown")]
    columns = ("arm", "model", "round", "flip", "accuracy", "share", "debates", "debaters")
    own = {
        "flip": Column("change"),
        "accuracy": Column("debaters right %", "percent"),
        "share": Column("share %", "percent"),
    }
    return report_charts(
        runs, "Rounds", charts, columns, own, lacking="no method has two rounds", notes=notes
    )


def _draw_rounds(dataset: str, arms: Sequence[MeasuredArm]) -> Iterator[Chart]:
    own = [arm for arm in arms if len(arm.result.rounds) > 2]  # two are told by the other chart
    if not own:
        return
    rows = [
        arm.row | {"round": number, "debates": got.n, **read_mean("accuracy", got)}
        for arm in own
        for number, got in sorted(arm.result.rounds.items())
        if got.mean is not None
    ]
    yield Chart(
        make_slug("rounds", dataset),
        f"Debaters that are right, by round, on {dataset}",
        "The share of debaters that are right in each round"
        + ("; whiskers are 95 % intervals over questions. " if len(own) <= FEW else ". ")
        + "Where debates end early, fewer and harder questions go on to the later rounds: then "
        "marks are smaller, and a line compares different questions.",
        rows,
        Plot(
            "lines",
            Axis("round", "round", steps=True),
            Axis("accuracy", "debaters that are right", "share"),
            colour="arm",
            panel=panel_of_models(own),
            size=Axis("debates", "debates"),
            whiskers=len(own) <= FEW,
            tooltip=(Axis("questions"),),
        ),
        (*note_arms(own), *_note_left_out(dataset, own, arms, 3)),
    )


def _count_rounds(arm: MeasuredArm, least: int) -> int:
    return read_settings(arm.arm.settings, SizeSettings).rounds or least


def _note_left_out(
    dataset: str, shown: Sequence[MeasuredArm], every: Sequence[MeasuredArm], number: int
) -> Iterator[str]:
    """Yield a sentence that names arms that could go on to a round, and of which no debate did."""
    able = [arm for arm in every if arm.may_go_on and _count_rounds(arm, number) >= number]
    if left := name_left_out(shown, able):
        yield f"Not shown, since no debate on {dataset} went on to round {number}: {left}"


def _draw_flips(dataset: str, arms: Sequence[MeasuredArm]) -> Iterator[Chart]:
    rows = [row for arm in arms for row in _count_flips(arm)]
    if rows:
        own = [arm for arm in arms if arm.result.round_flips]
        several = panel_of_models(own)
        yield Chart(
            make_slug("flips", dataset),
            f"How debaters change on {dataset}",
            "Of the debaters that spoke in a round and before, how many went from a right or a "
            "wrong answer to a right or a wrong one. Answers that could not be read are wrong. The "
            "number beside a bar is that of these debaters.",
            [row | {"panel": f"{row['model']}: {row['round']}"} for row in rows]
            if several
            else rows,
            Plot(
                "bars",
                Axis("share", "", "share", (0, 1)),
                Axis("arm", "", "text"),
                colour="flip",
                panel="panel" if several else "round",
                label="whole",
                stacked=True,
                tooltip=(Axis("debaters"),),
            ),
            (*note_arms(own), *_note_left_out(dataset, own, arms, 2)),
        )


def _count_flips(arm: MeasuredArm) -> Iterator[dict[str, str | float | bool | None]]:
    for number, flips in sorted(arm.result.round_flips.items()):
        whole = sum(getattr(flips, name) for name in FLIPS)
        for name, words in FLIPS.items():
            if whole:
                count = getattr(flips, name)
                yield {
                    "arm": arm.label,
                    "model": arm.model,
                    "round": f"round {number}",
                    "flip": words,
                    "share": count / whole,
                    "debaters": count,
                    "whole": str(whole) if words == "stayed right" else None,
                }
