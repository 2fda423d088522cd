"""Accuracy along one setting: the size of debates, their temperature, how far agents should agree.

Arms that differ in the setting alone are a curve. A chart has the curves of one dataset, told apart
by protocol, or those of one protocol, told apart by dataset. Curves of two points are not drawn.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from moot.analyses.analysis import analysis
from moot.analyses.ladders import SIZES, Ladder, StepSetting, find_ladders
from moot.analyses.measured_arms import (
    MeasuredArm,
    gather_arms,
    group_by,
    make_slug,
    note_arms,
    panel_of_models,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.tradeoff import ACCURACY, FEW, PRICES
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.results import Measure
from moot.core.stored import Arm
from moot.core.table import Report

LEAST = 3
"""Points of a curve that is drawn."""
INTERVALS = "Whiskers are 95 % intervals over questions."


class ArmCurve(NamedTuple):
    """Arms that differ in one setting, on one dataset.

    Attributes:
        ladder: the arms, with the setting and what tells it from others of its protocol.
        dataset: on which they are measured.
        steps: each arm with the value of the setting, the least first.
        untold: the accuracy of the arm that has no value of the setting; None if there is none.
    """

    ladder: Ladder
    dataset: str
    steps: list[tuple[float, MeasuredArm]]
    untold: float | None


CurveName = Callable[[ArmCurve], str]


def find_curves(arms: Sequence[MeasuredArm], settings: Sequence[StepSetting]) -> list[ArmCurve]:
    """Return the curves of ``LEAST`` points or more that the arms make, by setting and dataset."""
    known: list[Arm] = []
    for arm in {arm.arm.name: arm.arm for arm in arms}.values():
        if all((arm.protocol, arm.factors) != (own.protocol, own.factors) for own in known):
            known.append(arm)
    by_name = {arm.name: arm for arm in known}
    placed = {(arm.arm.name, arm.dataset): arm for arm in arms}
    found = []
    for ladder in find_ladders(known, settings):
        first = by_name[ladder.rungs[0].arm]
        unset = {**first.factors, ladder.setting: None}
        same = [a.name for a in known if (a.protocol, a.factors) == (first.protocol, unset)]
        for dataset in dict.fromkeys(arm.dataset for arm in arms):
            steps = [
                (rung.size, step)
                for rung in ladder.rungs
                if (step := placed.get((rung.arm, dataset)))
            ]
            without = [plain for name in same if (plain := placed.get((name, dataset)))]
            if len(steps) >= LEAST:
                untold = without[0].accuracy if without else None
                found.append(ArmCurve(ladder, dataset, steps, untold))
    return found


def _draw_both(
    found: Sequence[ArmCurve],
    name: str,
    title: str,
    caption: str,
    axes: Sequence[Axis],
    further: Callable[[MeasuredArm], DataRow],
    of_protocol: Sequence[Axis] = (),
) -> Iterator[Chart]:
    """Yield the charts of each dataset with several protocols, and of each protocol.

    Args:
        found: the curves along one setting.
        name: what the names of the charts begin with.
        title: of the charts, but for what they are of.
        caption: how to read them.
        axes: those across.
        further: gives the fields of a row that are only of these charts.
        of_protocol: those across where all curves are of one protocol, if they are others.
    """
    names = {each.ladder.protocol for each in found}
    for dataset, own in group_by(found, lambda each: each.dataset).items():
        if len(names) > 1 or len({each.dataset for each in found}) == 1:
            of = f"on {dataset}" + (f": {min(names)}" if len(names) == 1 else "")
            alone = len({each.ladder.protocol for each in own}) == 1
            label = _name_by_settings if alone else _name_by_protocol
            yield _draw(
                make_slug(name, dataset), f"{title} {of}", caption, own, label, axes, further
            )
    for kind, own in group_by(found, lambda each: each.ladder.protocol).items():
        if len({each.dataset for each in own}) > 1:
            across = of_protocol or axes
            yield _draw(
                make_slug(name, kind),
                f"{title} of {kind}",
                caption,
                own,
                _name_by_dataset,
                across,
                further,
            )


def _name_by_protocol(curve: ArmCurve) -> str:
    return f"{curve.ladder.protocol} {curve.ladder.label}"


def _name_by_dataset(curve: ArmCurve) -> str:
    return f"{curve.dataset} {curve.ladder.label}"


def _name_by_settings(curve: ArmCurve) -> str:
    return curve.ladder.label or curve.ladder.protocol


def _draw(
    name: str,
    title: str,
    caption: str,
    found: Sequence[ArmCurve],
    label: CurveName,
    axes: Sequence[Axis],
    further: Callable[[MeasuredArm], DataRow],
) -> Chart:
    arms = [arm for each in found for _, arm in each.steps]
    panel = panel_of_models(arms)
    if len(found) > FEW and not panel and len({each.dataset for each in found}) > 1:
        panel, label = "dataset", _name_by_settings
    rows = [
        {
            **arm.row,
            "dataset": each.dataset,
            "curve": re.sub(r"model=[^,]*,? ?", "", label(each)).strip(", ")
            or each.ladder.protocol,
            "value": size,
            "untold": each.untold,
            **further(arm),
        }
        for each in found
        for size, arm in each.steps
    ]
    drawn = group_by(rows, _name_curve).values()
    shown = [
        axis
        for axis in axes
        if all(row.get(axis.field) is not None for row in rows)
        and any(len({row[axis.field] for row in own}) > 1 for own in drawn)
    ]
    missing = ", ".join(axis.title for axis in axes if axis not in shown)
    note = [f"Not shown, as it is not known of every method or always the same: {missing}"]
    note = note * bool(missing)
    untold = any(each.untold is not None for each in found)
    note += ["Dashed line: the same method without this setting"] * untold
    return Chart(
        name,
        title,
        caption,
        rows,
        Plot(
            "lines",
            tuple(shown),
            ACCURACY,
            colour="curve",
            panel=panel,
            reference="untold" if untold else None,
            tooltip=(Axis("arm", kind="text"), Axis("questions")),
        ),
        (*note_arms(arms), *note),
    )


def _name_curve(row: DataRow) -> str:
    return f"{row['curve']}\n{row['dataset']}\n{row['model']}"


_COLUMNS = ("dataset", "curve", "value", "accuracy", "calls", "tokens", "cost", "questions")


@analysis(
    source="Prejudice and Fidelity, figures 5 and 6",
    group="settings",
    needs=("accuracy",),
    place=8,
    name="scaling",
    draws=True,
    tried=True,
)
def analyse_scaling(runs: RecordedRuns) -> Report:
    """Show accuracy as debates grow: by agents, samples or rounds, and by what these take.

    The same methods stand over the calls, the tokens and the dollars of a debate.
    """

    def further(arm: MeasuredArm) -> DataRow:
        got = arm.result
        return {"calls": got.calls / got.n, "tokens": got.tokens, "cost": got.cost.mean}

    arms = gather_arms(runs)
    prices = Axis("calls", "calls per debate", "log"), PRICES["tokens"].axis, PRICES["cost"].axis
    charts = [
        chart
        for setting in SIZES
        for chart in _draw_both(
            find_curves(arms, [setting]),
            f"scaling-{setting}",
            f"Accuracy by {setting}",
            f"Methods that differ in {setting} alone are joined; over the calls, tokens and "
            f"dollars of a debate they are the same methods. {INTERVALS} After Prejudice and "
            "Fidelity, figures 5 and 6.",
            (Axis("value", setting, steps=True), *prices),
            further,
        )
    ]
    lacking = f"no {LEAST} methods differ in agents, samples or rounds alone"
    return report_charts(runs, "Scaling", charts, _COLUMNS, lacking=lacking)


@analysis(
    source="Prejudice and Fidelity, figure 8",
    group="settings",
    needs=("accuracy",),
    place=9,
    name="temperature",
    draws=True,
    tried=True,
)
def analyse_temperature(runs: RecordedRuns) -> Report:
    """Show accuracy against the temperature, of methods that differ in it alone."""
    charts = _draw_both(
        find_curves(gather_arms(runs), ["temperature"]),
        "temperature",
        "Accuracy by temperature",
        f"Methods that differ in their temperature alone are joined. {INTERVALS} After Prejudice "
        "and Fidelity, figure 8.",
        (Axis("value", "temperature", steps=True),),
        lambda _: {},
    )
    lacking = f"no {LEAST} methods differ in their temperature alone"
    return report_charts(runs, "Temperature", charts, _COLUMNS, lacking=lacking)


FIRST_ROUND = Axis("first-agreement", "pairs of agents that agree in the first round", "share")
IN_THE_END = Axis("unanimous", "debates in which all agree in the end", "share")
"""The agreement that was measured, in charts of one protocol (figure 5) and in others (6)."""


@analysis(
    source="arXiv:2311.17371, figures 5 and 6",
    group="settings",
    needs=("accuracy",),
    place=6,
    name="agreement",
    draws=True,
    tried=True,
)
def analyse_agreement(runs: RecordedRuns) -> Report:
    """Show accuracy against how far agents are told to agree, and how far they do."""

    def further(arm: MeasuredArm) -> DataRow:
        differ, agree = (
            arm.result.others.get(name, Measure()).mean for name in ("first-diversity", "unanimous")
        )
        first = None if differ is None else 1 - differ
        return {FIRST_ROUND.field: first, IN_THE_END.field: agree}

    told = Axis("value", "agreement told, %", steps=True)
    charts = _draw_both(
        find_curves(gather_arms(runs), ["agreement"]),
        "agreement",
        "Accuracy by agreement",
        "Against how far agents are told to agree, where a dashed line is the same method told "
        "nothing; and against the agreement that came of it, over debates: the share of pairs of "
        "debaters whose first answers agree (of two debaters, of debates in which they do), or of "
        "debates in which all agree in the end; there the lines are those of least squares. "
        f"{INTERVALS} After arXiv:2311.17371, figures 5 "
        "and 6.",
        (told, IN_THE_END),
        further,
        (told, FIRST_ROUND),
    )
    lacking = f"no {LEAST} methods differ alone in how far agents are told to agree"
    return report_charts(runs, "Agreement", charts, _COLUMNS, lacking=lacking)
