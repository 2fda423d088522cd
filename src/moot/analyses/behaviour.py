"""How arms debate: measures of the behaviour of debaters beside each other."""

from collections.abc import Iterator, Mapping, Sequence

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import (
    MeasuredArm,
    by_dataset,
    gather_arms,
    group_by,
    make_slug,
    name_left_out,
    note_arms,
    report_charts,
)
from moot.analyses.newer_metrics import find_measures
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.results import Measure
from moot.core.table import Column, Report

MEASURES = {
    "consensus-accuracy": "the majority is right",
    "any-correct": "any agent is ever right",
    "change-rate-of-all": "agents that change",
    "first-diversity": "first answers differ",
    "unanimous": "all agree in the end",
}
"""What is shown, by metric: the four of the paper, and how often debaters end of one mind."""
LEFT = "Not shown, since no agent can speak twice:"
"""The beginning of the note that names the arms that are left out."""
ArmMeasures = Mapping[tuple[str, str], Mapping[str, Measure]]
"""What was measured, by dataset and arm, then by metric."""
BEST = 3
"""Arms of a protocol that are compared with each other."""
EXPLAINED = (
    f"The most accurate method of each protocol, then the {BEST} most accurate of each "
    "that has several. Means over debates: the share of debates in which the majority's "
    "last answer is right, of those with a majority; in which any agent was ever right; of "
    "all debaters, those that changed their answer, 0 in a debate that ended before "
    "anybody spoke twice; of pairs of debaters whose first answers differ; and of debates "
    "that end with all of one mind. There is no mark where no debate tells. After "
    "arXiv:2311.17371, figure 7, which draws the first four on a wheel: --radar."
)


@analysis(
    source="arXiv:2311.17371, figure 7",
    group="debate",
    needs=("consensus-accuracy",),
    place=11,
    name="behaviour",
    draws=True,
    tried=True,
)
def analyse_behaviour(runs: RecordedRuns, *, radar: bool = False) -> Report:
    """Show how methods debate, by five measures: the best methods, then those of each protocol.

    A chart for each dataset on which agents debate: rows of dots, or radars, as in the paper.
    """
    known = find_measures(runs, tuple(MEASURES))
    charts, notes = list[Chart](), list[str]()
    for dataset, every in by_dataset(gather_arms(runs)).items():
        charts += _draw(dataset, every, known, radar=radar)
        notes += [note for chart in charts[-1:] for note in chart.notes if note.startswith(LEFT)]
    columns = ("panel", "arm", "measure", "value", "debates")
    own = {"value": Column("mean %", "percent")}
    lacking = "no agent can speak twice"
    return report_charts(runs, "Behaviour", charts, columns, own, lacking=lacking, notes=notes)


def _draw(
    dataset: str, every: Sequence[MeasuredArm], measured: ArmMeasures, *, radar: bool
) -> Iterator[Chart]:
    arms = [arm for arm in every if arm.may_go_on]
    values = {id(arm): measured[dataset, arm.result.arm] for arm in arms}
    panels = _choose_panels(arms)
    several = len({arm.model for arm in arms}) > 1
    rows: list[DataRow] = [
        {
            "panel": panel,
            "arm": f"{arm.label} · {arm.model}" if several else arm.label,
            "measure": words,
            "value": values[id(arm)][metric].mean,
            "debates": values[id(arm)][metric].known,
        }
        for panel, own in panels.items()
        for metric, words in MEASURES.items()
        for arm in own
        if values[id(arm)][metric].known
    ]
    left = name_left_out(arms, every)
    if rows:
        yield Chart(
            make_slug("behaviour", dataset),
            f"How methods debate on {dataset}",
            EXPLAINED,
            rows,
            Plot(
                "radar" if radar else "dots",
                Axis("value", "share", "share", (0, 1)),
                Axis("measure", "", "text"),
                colour="arm",
                panel="panel" if len(panels) > 1 else "",
                tooltip=(Axis("debates"),),
            ),
            (*note_arms(arms), *[f"{LEFT} {left}"] * bool(left)),
        )


def _choose_panels(arms: Sequence[MeasuredArm]) -> dict[str, list[MeasuredArm]]:
    """Return the arms of each panel: the best of each protocol, and the best of one with several.

    A single arm has a panel of its own.
    """
    kinds = group_by(arms, lambda arm: arm.protocol)
    best = {kind: sorted(own, key=lambda arm: -arm.accuracy)[:BEST] for kind, own in kinds.items()}
    several = {kind: own for kind, own in best.items() if len(own) > 1}
    if len(best) > 1:
        return {"the best method of each protocol": [own[0] for own in best.values()], **several}
    return several or best
