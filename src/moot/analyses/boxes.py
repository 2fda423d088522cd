"""Accuracy by protocol: how far its settings move it."""

from statistics import fmean

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import gather_arms, group_by, note_arms, report_charts
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, Plot
from moot.core.table import Report


@analysis(
    source="arXiv:2311.17371, figures 1 and 2",
    needs=("accuracy",),
    place=2,
    name="boxes",
    draws=True,
)
def analyse_boxes(runs: RecordedRuns) -> Report:
    """Show how the accuracy of each protocol is spread over its arms.

    A panel for each dataset and each model.
    """
    arms = gather_arms(runs)
    several = len({arm.model for arm in arms}) > 1
    rows, shown = [], []
    for alike in group_by(arms, lambda arm: f"{arm.dataset}\n{arm.model}").values():
        kinds = group_by(alike, lambda arm: arm.protocol)
        if len(kinds) < 2 or max(map(len, kinds.values())) < 2:
            continue
        place = f"{alike[0].dataset}: {alike[0].model}" if several else alike[0].dataset
        for own in sorted(kinds.values(), key=lambda own: -fmean(arm.accuracy for arm in own)):
            told = [arm.arm.settings.get("agreement") is not None for arm in own]
            shown += own
            rows += [
                arm.row | {"panel": place, "dataset": arm.dataset, "told": each}
                for arm, each in zip(own, told, strict=True)
            ]
    chart = Chart(
        "boxes",
        "Accuracy by protocol",
        "Each small mark is an arm of the protocol; a cross, one whose agents are told how far to "
        "agree. The box has the middle half of them and their median, the whiskers the rest; the "
        "diamond is their mean, by which protocols are sorted. After arXiv:2311.17371, figures 1 "
        "and 2.",
        rows,
        Plot(
            "boxes",
            Axis("accuracy", "accuracy", "share"),
            Axis("protocol", "", "text"),
            panel="panel" if len({row["panel"] for row in rows}) > 1 else "",
            hollow="told",
            tooltip=(
                Axis("arm", kind="text"),
                Axis("low", "from", "share"),
                Axis("high", "to", "share"),
            ),
        ),
        note_arms(shown) if shown else (),
    )
    columns = ("dataset", "model", "protocol", "arm", "accuracy", "questions")
    lacking = "no dataset has two protocols of which one has several arms"
    return report_charts(runs, "Protocols", [chart] if rows else [], columns, lacking=lacking)
