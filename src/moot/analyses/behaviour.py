"""How arms debate: measures of the behaviour of debaters beside each other."""

from collections.abc import Iterator, Mapping, Sequence

from moot.analyses.analysis import analysis
from moot.analyses.measured_arms import (
    MeasuredArm,
    by_dataset,
    gather_arms,
    group_by,
    make_slug,
    note_arms,
    report_charts,
)
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.table import Column, Report

MEASURES = {
    "consensus-accuracy": "the majority is right",
    "any-correct": "any agent is ever right",
    "change-rate": "agents that change",
    "first-diversity": "first answers differ",
    "unanimous": "all agree in the end",
}
"""What is shown, by metric: the four of the paper, and how often debaters end of one mind."""
BEST = 3
"""Arms of a protocol that are compared with each other."""


@analysis(
    source="arXiv:2311.17371, figure 7",
    needs=("consensus-accuracy",),
    place=11,
    name="behaviour",
    draws=True,
)
def analyse_behaviour(runs: RecordedRuns) -> Report:
    """Show how arms debate, by five measures: the best arms, then those of each protocol.

    A chart for each dataset on which agents debate.
    """
    charts = [chart for each in by_dataset(gather_arms(runs)).items() for chart in _draw(*each)]
    columns = ("panel", "arm", "measure", "value")
    own = {"value": Column("mean %", "percent")}
    return report_charts(runs, "Behaviour", charts, columns, own, lacking="no agent spoke twice")


def _draw(dataset: str, every: Sequence[MeasuredArm]) -> Iterator[Chart]:
    values = {id(arm): known for arm in every if (known := _measure(arm))}
    arms = [arm for arm in every if id(arm) in values]
    kinds = group_by(arms, lambda arm: arm.protocol)
    best = {kind: sorted(own, key=lambda arm: -arm.accuracy)[:BEST] for kind, own in kinds.items()}
    panels = {"the best arm of each protocol": [own[0] for own in best.values()]}
    panels = (panels if len(best) > 1 else {}) | {k: o for k, o in best.items() if len(o) > 1}
    several = len({arm.model for arm in arms}) > 1
    rows: list[DataRow] = [
        {
            "panel": panel,
            "arm": f"{arm.label} · {arm.model}" if several else arm.label,
            "measure": words,
            "value": values[id(arm)][metric],
        }
        for panel, own in panels.items()
        for metric, words in MEASURES.items()
        for arm in own
        if metric in values[id(arm)]
    ]
    if rows:
        yield Chart(
            make_slug("behaviour", dataset),
            f"How arms debate on {dataset}",
            f"The most accurate arm of each protocol, then the {BEST} most accurate of each that "
            "has several. Means over debates: the share of debates in which the majority's last "
            "answer is right, of those with a majority; in which any agent was ever right; of "
            "debaters that changed their answer; of pairs of debaters whose first answers differ; "
            "and of debates that end with all of one mind. There is no mark where no debate tells, "
            "as where none went on to a second round. After arXiv:2311.17371, figure 7, which "
            "draws the first four on a wheel.",
            rows,
            Plot(
                "dots",
                Axis("value", "share", "share", (0, 1)),
                Axis("measure", "", "text"),
                colour="arm",
                panel="panel" if len(panels) > 1 else "",
            ),
            note_arms(arms),
        )


def _measure(arm: MeasuredArm) -> Mapping[str, float] | None:
    """Return an arm's values of the measures that are known; None where agents speak once."""
    others = arm.result.others
    means = {name: others[name].mean if name in others else None for name in MEASURES}
    known = {name: mean for name, mean in means.items() if mean is not None}
    return known if arm.result.flips is not None and known else None
