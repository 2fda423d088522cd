"""Accuracy by how the first agent was asked."""

from collections.abc import Iterator, Sequence

from moot.analyses.analysis import analysis
from moot.analyses.anchoring import HEADINGS, describe_values, group_by_opening, name_groups
from moot.analyses.measured_arms import (
    MeasuredArm,
    by_dataset,
    gather_arms,
    make_slug,
    note_arms,
    panel_of_models,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, Plot
from moot.core.recorded_settings import OpeningSettings, read_settings
from moot.core.stored import Arm
from moot.core.table import Column, Report


@analysis(
    source="Prejudice and Fidelity, tables 1 and 2",
    group="settings",
    needs=("accuracy",),
    place=7,
    name="openings",
    draws=True,
    tried=True,
)
def analyse_openings(runs: RecordedRuns) -> Report:
    """Show accuracy by how the first agent is asked, a panel for each model.

    Of methods that differ in nothing but ``opening`` and ``distance``.
    """
    charts = [chart for each in by_dataset(gather_arms(runs)).items() for chart in _draw(*each)]
    columns = ("model", "group", "opening", "accuracy", "questions")
    own = {
        "group": Column("arms", head="methods"),
        "opening": Column("opening", head="planted answer"),
    }
    lacking = "no two methods differ in their opening alone"
    return report_charts(runs, "Openings", charts, columns, own, lacking=lacking)


def _opening(arm: Arm) -> OpeningSettings:
    return read_settings(arm.settings, OpeningSettings)


def _draw(dataset: str, arms: Sequence[MeasuredArm]) -> Iterator[Chart]:
    known = {arm.arm.name: arm for arm in arms}
    grouped = group_by_opening([arm.arm for arm in arms])
    told = {describe_values(_opening(arm)) for own in grouped for arm in own} - {""} != {"near"}
    rows = []
    for own, name in zip(grouped, name_groups(grouped), strict=True):
        for each in own:
            put = _opening(each)
            far = describe_values(put) if told else ""
            opening = HEADINGS[put.opening]
            rows.append(
                known[each.name].row
                | {"group": name, "opening": f"{opening} ({far})" if far else opening}
            )
    if rows:
        order = list(HEADINGS.values())
        rows.sort(key=lambda row: (order.index(str(row["opening"]).split(" ")[0]), row["opening"]))
        shown = [known[each.name] for own in grouped for each in own]
        yield Chart(
            make_slug("openings", dataset),
            f"Accuracy by opening on {dataset}",
            "How often verdicts are right when the first agent, or each sample, is asked openly, "
            "or whether a value is the right answer: the right one, a wrong one, or one of either "
            "kind. Whiskers are 95 % intervals over questions. After Prejudice and Fidelity, "
            "tables 1 and 2.",
            rows,
            Plot(
                "dots",
                Axis("opening", "opening", "text"),
                Axis("accuracy", "accuracy", "share"),
                colour="group",
                panel=panel_of_models(shown),
                tooltip=(Axis("questions"),),
            ),
            note_arms(shown),
        )
