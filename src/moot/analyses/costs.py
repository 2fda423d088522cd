"""What debates take by protocol, and by kind of framework."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from moot.analyses.analysis import analysis
from moot.analyses.cost_by_protocol import ProtocolCost, cost_protocols
from moot.analyses.debate_values import group_debates
from moot.analyses.measured_arms import group_by, note_questions, report_charts
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Axis, Chart, DataRow, Plot
from moot.core.table import Report

LEVELS = {False: "model-level", True: "society-level"}
"""The paper's two kinds of frameworks, by whether agents share a task."""
UNITS = {
    "cost": Axis("cost", "US dollars per debate", "money"),
    "tokens": Axis("tokens", "tokens per debate", "tokens"),
}


@analysis(
    source="Prejudice and Fidelity, figure 7",
    group="price",
    needs=("accuracy",),
    place=10,
    name="costs",
    draws=True,
    tried=True,
)
def analyse_costs(runs: RecordedRuns) -> Report:
    """Show what a debate takes: by kind of framework and model, and by protocol.

    In US dollars where prices are known and not all zero, else in tokens. A panel for each dataset
    and each model.
    """
    known = group_debates(runs.values)
    found = list(cost_protocols(runs.arms, runs.datasets, known, runs.simulated))
    charts: list[Chart] = []
    for unit in UNITS:
        taken = [getattr(each, unit) for each in found]
        if None not in taken and any(taken) and not charts:
            simulated = any(each.simulated for each in found)
            for chart in (*_draw_levels(unit, found), *_draw_protocols(unit, found)):
                counts = [int(str(row["debates"])) for row in chart.rows]
                *first, held = note_questions(counts, simulated=simulated, thing="debate")
                charts.append(chart._replace(notes=(*first, f"{held} a bar")))
    columns = ("dataset", "level", "protocol", "model", "cost", "tokens", "arms", "debates")
    lacking = "neither prices nor tokens are known of every debate, of two protocols"
    return report_charts(runs, "Costs", charts, columns, lacking=lacking)


def _draw_levels(unit: str, found: Sequence[ProtocolCost]) -> Iterator[Chart]:
    """Yield figure 7, where there are protocols of both kinds."""
    several = len({each.model for each in found}) > 1
    rows: list[DataRow] = []
    for own in group_by(
        found, lambda each: f"{each.dataset}\n{each.society}\n{each.model}"
    ).values():
        level, model = LEVELS[own[0].society], own[0].model
        rows.append(
            {
                "dataset": own[0].dataset,
                "level": f"{level} · {model}" if several else level,
                unit: fmean(getattr(each, unit) for each in own),
                "protocols": len(own),
                "debates": sum(each.n for each in own),
            }
        )
    if len({each.society for each in found}) > 1:
        yield Chart(
            "costs-levels",
            f"What a debate takes by kind of framework: {unit}",
            f"Mean {UNITS[unit].title}: over protocols, of each the mean of its variants. "
            "Society-level: agents with roles that share a task. After Prejudice and Fidelity, "
            "figure 7.",
            rows,
            Plot(
                "bars",
                Axis("dataset", "", "text"),
                UNITS[unit],
                colour="level",
                tooltip=(Axis("protocols"), Axis("debates")),
            ),
        )


def _draw_protocols(unit: str, found: Sequence[ProtocolCost]) -> Iterator[Chart]:
    several = len({each.model for each in found}) > 1
    rows = [
        {
            "panel": f"{each.dataset}: {each.model}" if several else each.dataset,
            "dataset": each.dataset,
            "level": LEVELS[each.society],
            "protocol": each.protocol,
            "model": each.model,
            unit: getattr(each, unit),
            "arms": each.arms,
            "debates": each.n,
        }
        for each in found
    ]
    if len({each.protocol for each in found}) > 1:
        yield Chart(
            "costs",
            f"What a debate takes: {unit}",
            f"Mean {UNITS[unit].title}: of a protocol, the mean of its variants. "
            "Society-level: agents with roles that share a task.",
            rows,
            Plot(
                "bars",
                UNITS[unit],
                Axis("protocol", "", "text"),
                colour="level",
                panel="panel" if len({row["panel"] for row in rows}) > 1 else "",
                tooltip=(Axis("arms"), Axis("debates")),
            ),
        )
