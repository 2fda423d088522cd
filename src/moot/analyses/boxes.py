"""Accuracy by protocol: how far its settings move it."""

from collections.abc import Sequence
from statistics import fmean

import msgspec

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import (
    MeasuredArm,
    gather_arms,
    group_by,
    note_arms,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.recorded_settings import read_settings
from moot.core.table import Report


@analysis(
    source="arXiv:2311.17371, figures 1 and 2",
    group="accuracy",
    needs=("accuracy",),
    place=2,
    name="boxes",
    draws=True,
    tried=True,
)
def analyse_boxes(runs: RecordedRuns) -> Report:
    """Show how the accuracy of each protocol is spread over its variants.

    A panel for each dataset and each model. Methods whose agents are told how far to agree stand
    beside the box, and count in neither box, median nor mean.
    """
    arms = gather_arms(runs)
    several = len({arm.model for arm in arms}) > 1
    rows: list[DataRow] = []
    shown: list[MeasuredArm] = []
    for alike in group_by(arms, lambda arm: f"{arm.dataset}\n{arm.model}").values():
        kinds = group_by(alike, lambda arm: arm.protocol)
        if len(kinds) < 2 or max(map(len, kinds.values())) < 2:
            continue
        place = f"{alike[0].dataset}: {alike[0].model}" if several else alike[0].dataset
        for own in sorted(kinds.values(), key=_find_place):
            shown += own
            rows += [
                arm.row | {"panel": place, "dataset": arm.dataset, "told": _is_told(arm)}
                for arm in own
            ]
    several_panels = len({row["panel"] for row in rows}) > 1
    chart = Chart(
        "boxes",
        "Accuracy by protocol",
        "Each small mark is a variant of the protocol. The box has the middle half of them and "
        "their median, the whiskers the rest; the diamond is their mean, by which protocols are "
        "sorted. A cross is a method whose agents are told how far to agree: it is in none of "
        "these. After arXiv:2311.17371, figures 1 and 2.",
        rows,
        Plot(
            "boxes",
            Axis("accuracy", "accuracy", "share"),
            Axis("protocol", "", "text"),
            panel="panel" if several_panels else "",
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
    lacking = "no dataset has two protocols of which one has several variants"
    return report_charts(runs, "Protocols", [chart] if rows else [], columns, lacking=lacking)


class _Agreement(msgspec.Struct, frozen=True):
    agreement: int | None = None


def _is_told(arm: MeasuredArm) -> bool:
    """Whether an arm's agents are told how far to agree."""
    return read_settings(arm.arm.settings, _Agreement).agreement is not None


def _find_place(arms: Sequence[MeasuredArm]) -> tuple[bool, float]:
    """Return the place of a protocol: by the mean of its arms; without a box behind all others."""
    own = [arm.accuracy for arm in arms if not _is_told(arm)]
    return not own, -fmean(own or [arm.accuracy for arm in arms])
