"""The fidelity of protocols in tables: the layouts of APF-Bench's tables 3 and 4, and figure 7."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, TypeAlias, TypeVar

from msgspec import Meta

from moot.analyses.analysis import analysis
from moot.analyses.anchoring import HEADINGS
from moot.analyses.cost_by_protocol import ProtocolCost
from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.endings import EarlyEnding
from moot.analyses.fidelity import Fidelity, ScalingCurve, measure_fidelity
from moot.analyses.measured_arms import group_by
from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.sentences import NamedDifference, describe_comparisons
from moot.core.display_text import format_percent, on_one_line
from moot.core.stored import StudyRow
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, make_columns

T = TypeVar("T")
Names: TypeAlias = Mapping[str, Callable[[T], str]]
"""What can tell rows apart: a heading, and what to take of each row."""

SATURATION = (
    "From: the smallest size that no larger one beats by more than the margin, with its 95 % "
    "interval. Saturates: a rise is shown, and that it ends; unsettled: a rise is shown, and "
    "neither that it ends within the range nor that it goes on to its end; rising: it goes on to "
    "the end of the range; flat: no rise is shown. Rise: from the smallest size to it, or to the "
    "largest where there is none; after: from it to the largest; both in points."
)
SHOWN = {"rises": "rising", "unknown": "too few"}
"""What curves are shown to do, where the word is another."""

_PLACES: dict[str, Callable[[ScalingCurve | EarlyEnding], str]] = {
    "dataset": lambda each: each.dataset,
    "protocol": lambda each: each.protocol,
    "arms": lambda each: each.told,
}
_MODELS: Names[ProtocolCost] = {
    "dataset": lambda each: each.dataset,
    "level": lambda each: "society" if each.society else "model",
    "protocol": lambda each: each.protocol,
    "model": lambda each: each.model,
}


@analysis(
    source="Prejudice and Fidelity, section 6.2, tables 3 and 4, figures 5 to 8",
    group="price",
    needs=("accuracy",),
    name="fidelity",
    place=40,
)
def analyse_fidelity(
    runs: RecordedRuns,
    *,
    margin: Annotated[
        float, Meta(ge=0, lt=100, description="percentage points of accuracy that count as no gain")
    ] = 2.0,
) -> Report:
    """Tell how accuracy goes with agents, rounds, calls, tokens and money.

    Methods of one protocol that differ in their number of agents, samples or rounds alone make a
    curve: whether it rises, and from where on it no longer does. Also what temperatures do, and
    how many debates ended early.
    """
    study = StudyRow(name=runs.name, arms=runs.arms, baseline=None, simulated=tuple(runs.simulated))
    found = measure_fidelity(runs.values, study, run=runs.key, margin=margin / 100)
    findings = tuple(describe_comparisons(_compare(found)))
    return tabulate_fidelity(found)._replace(data=found, findings=findings)


def _compare(found: Fidelity) -> Iterator[NamedDifference]:
    """Yield how far each curve rises from its first to its last size."""
    for curve in found.curves:
        first, last = curve.points[0], curve.points[-1]
        told = f", {curve.told}" if curve.told else ""
        yield NamedDifference(
            f"{curve.protocol}{told} on {curve.dataset}: accuracy at {curve.setting} "
            f"{last.size:g} minus at {first.size:g}",
            curve.change,
        )


def tabulate_fidelity(found: Fidelity) -> Report:
    """Put accuracy, rounds that happened, saturation, price and cost into tables.

    Those of the paper come first: table 4, where debates had openings, and table 3.
    """
    made = [_endings(found), *_scaling(found), *_saturations(found), *_prices(found)]
    made += [_rounds(found), _costs(found)]
    return Report(
        title=f"Fidelity: {found.name}",
        about=f"{found.run}: accuracies in %, with 95 % intervals over questions",
        tables=[table for table in made if table.rows],
        simulated=found.simulated,
    )


def _saturations(found: Fidelity) -> Iterator[ResultTable]:
    """Yield a table for each protocol and setting: the value from which its curves rise no more."""
    sized = [curve for curve in found.curves if curve.saturation is not None]
    note = f"{SATURATION} Margin: {format_percent(found.margin)} points."
    for (protocol, setting), own in group_by(sized, lambda c: (c.protocol, c.setting)).items():
        yield tabulate(
            f"Saturation of {protocol} by {setting}",
            own,
            *_list_names(_names(own, _PLACES)),
            TableField("shown", value=_name_kind),
            TableField("from", "number", _find_start),
            TableField("rise", "points", "saturation.rise"),
            TableField("after", "points", "saturation.after"),
            TableField("questions", "count", "saturation.rise.questions"),
            note=note,
        )
        note = ""  # once is enough


def _name_kind(curve: ScalingCurve) -> str | None:
    found = curve.saturation
    return SHOWN.get(found.kind, found.kind) if found else None


def _find_start(curve: ScalingCurve) -> Cell | None:
    found = curve.saturation
    if found is None or found.at is None or found.low is None:
        return None
    high = f"above {curve.points[-1].size:g}" if found.high is None else f"{found.high:g}"
    return Cell(found.at, f"{found.low:g} … {high}")


def _scaling(found: Fidelity) -> Iterator[ResultTable]:
    """Yield accuracy by the value of each setting, a column for each dataset: table 3."""
    for (setting, protocol), curves in group_by(
        found.curves, lambda each: (each.setting, each.protocol)
    ).items():
        datasets = list(dict.fromkeys(curve.dataset for curve in curves))
        rows = []
        for told, own in group_by(curves, lambda each: each.told).items():
            at = {(c.dataset, point.size): point.accuracy for c in own for point in c.points}
            rows += [
                TableRow(
                    [on_one_line(told), size, *(at.get((dataset, size)) for dataset in datasets)]
                )
                for size in sorted({size for _, size in at})
            ]
        alone = {row.cells[0] for row in rows} == {""}
        made = (
            Column("arms", head="methods"),
            Column(setting, "number"),
            *make_columns("percent", *(f"{on_one_line(dataset, 24)} %" for dataset in datasets)),
        )
        yield ResultTable(
            f"Accuracy of {protocol} by {setting}",
            made[alone:],
            [TableRow(row.cells[alone:]) for row in rows],
            "Accuracy, with its 95 % interval over questions, on the debates all methods have.",
            wide=True,
        )


def _prices(found: Fidelity) -> Iterator[ResultTable]:
    """Yield a table for each setting: accuracy, calls, tokens and cost at each of its values.

    Calls, tokens and cost are the abscissas of figures 5 and 6.
    """
    for setting, curves in group_by(found.curves, lambda each: each.setting).items():
        names = _names(curves, _PLACES)
        yield ResultTable(
            f"Accuracy and price by {setting}",
            (
                *make_columns("text", *names),
                Column(setting, "number"),
                Column("accuracy %", "percent"),
                *make_columns("count", "calls", "tokens"),
                Column("cost", "money"),
                Column("debates", "count"),
            ),
            [
                TableRow(
                    [
                        *_name_cells(curve, names),
                        point.size,
                        point.accuracy,
                        point.calls,
                        point.tokens,
                        point.cost,
                        point.accuracy.n,
                    ]
                )
                for curve in curves
                for point in curve.points
            ],
            "Calls to cost: the mean of a debate. Tokens: prompt and completion.",
        )


def _endings(found: Fidelity) -> ResultTable:
    """Make a table with the openings beside each other: the layout of table 4."""
    openings = [name for name in HEADINGS if any(e.opening == name for e in found.endings)]
    heads = [
        f"{HEADINGS[name]} {what}" for name in openings for what in ("%", "n = 1 %", "n > 1 %")
    ]
    grouped = group_by(found.endings, lambda each: (each.dataset, each.protocol, each.told))
    names = _names([own[0] for own in grouped.values()], _PLACES)
    rows = []
    for own in grouped.values():
        by = {each.opening: each for each in own}
        shares = [share for name in openings for share in _shares(by.get(name))]
        rows.append(TableRow([*_name_cells(own[0], names), *shares]))
    return ResultTable(
        "Rounds that happened, by opening",
        (*make_columns("text", *names), *make_columns("percent", *heads)),
        rows,
        "Accuracy, and how many debates ended in round 1 and later, in %.",
        wide=True,
    )


def _shares(each: EarlyEnding | None) -> tuple[float | None, ...]:
    if each is None:
        return (None, None, None)
    first = each.first.mean
    return each.accuracy.mean, first, None if first is None else 1 - first


def _rounds(found: Fidelity) -> ResultTable:
    """Make a table of the round in which debates ended, and how many of them were right."""
    names = _names(found.endings, {**_PLACES, "opening": lambda each: HEADINGS[each.opening]})
    return tabulate(
        "Rounds that happened",
        found.endings,
        *_list_names(names),
        TableField("accuracy %", "percent", "accuracy"),
        TableField("n = 1 %", "percent", "first"),
        TableField("debates", "count", "first.n"),
        TableField("right if n = 1 %", "percent", "first_accuracy"),
        TableField("right if n > 1 %", "percent", "later_accuracy"),
        note="n: the rounds of a debate, of those that ended with a verdict. The last two columns "
        "are accuracies of different questions: the easier ones end early.",
    )


def _costs(found: Fidelity) -> ResultTable:
    """Make a table of what a debate costs by protocol and dataset: figure 7."""
    return tabulate(
        "Cost of a debate",
        found.charges,
        *_list_names(_names(found.charges, _MODELS)),
        TableField("calls", "count"),
        TableField("tokens", "count"),
        TableField("cost", "money"),
        TableField("arms", "count", head="variants"),
        TableField("debates", "count", "n"),
        note="The mean of a protocol's variants, each counted once. Society-level: frameworks in "
        "which agents with roles share a task; all others are model-level.",
    )


def _list_names(names: Names[Any]) -> Iterator[TableField]:
    for name, of in names.items():
        yield TableField(name, value=partial(_name, of))


def _name(of: Callable[[Any], str], each: object) -> str:
    return on_one_line(of(each))


def _names(rows: Iterable[T], places: Names[T]) -> Names[T]:
    """Return those of these columns in which rows differ; the protocol alone where none do."""
    every = list(rows)
    apart = {name: of for name, of in places.items() if len(set(map(of, every))) > 1}
    return apart or {"protocol": places["protocol"]}


def _name_cells(each: T, names: Names[T]) -> list[str]:
    return [on_one_line(of(each)) for of in names.values()]
