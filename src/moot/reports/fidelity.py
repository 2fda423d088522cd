"""The fidelity of protocols: as tables for the terminal, in Markdown and in LaTeX."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from moot.core.results import Difference
from moot.reports.grid import Cell, Column, Grid, Row
from moot.reports.latex import latex
from moot.reports.markdown import escaped, markdown
from moot.reports.plain import count, dollars, line, percent, plain, span
from moot.reports.tables import ends, mean
from moot.studies.charges import Charge
from moot.studies.endings import Ending
from moot.studies.fidelity import Curve, Fidelity, Point

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

T = TypeVar("T")

SIMULATED = "SIMULATED: no language model takes part in some or all of these arms."

OPENINGS = {
    "open": "open",
    "control-right": "right",
    "control-wrong": "wrong",
    "control-random": "random",
}
"""How the first agent is asked, as headings of columns say it."""

SATURATION = (
    "From: the smallest size that no larger one is shown to beat by more than the margin, with its "
    "95 % interval. Rise: from the smallest size to it, or to the largest where there is none; "
    "after: from it to the largest; both in percentage points."
)


def fidelity_view(found: Fidelity) -> "RenderableType":
    """Every table, for a terminal."""
    from rich.console import Group
    from rich.text import Text

    shown: list[RenderableType] = [Text(_about(found)), Text()]
    if found.simulated:
        shown.insert(0, Text(SIMULATED, style="bold yellow"))
    for grid in tables(found):
        shown += [_table(grid), Text(plain(grid.note), style="dim"), Text()]
    return Group(*shown)


def fidelity_markdown(found: Fidelity) -> str:
    """Every table in Markdown."""
    lines = [f"## Fidelity: {escaped(found.name)}", ""]
    lines += [f"**{SIMULATED}**", ""] if found.simulated else []
    lines += [escaped(_about(found)), ""]
    for grid in tables(found):
        lines += markdown(grid)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def fidelity_latex(found: Fidelity) -> str:
    """Every table in LaTeX."""
    warning = [f"% {SIMULATED}"] if found.simulated else []
    return "\n".join([*warning, *(text for grid in tables(found) for text in latex(grid))]) + "\n"


def tables(found: Fidelity) -> list[Grid]:
    """Every table that has a row."""
    made = [saturations(found), *scaling(found), *details(found), endings(found), charges(found)]
    return [grid for grid in made if grid.rows]


def saturations(found: Fidelity) -> Grid:
    """Where each curve stops to rise."""
    own = [curve for curve in found.curves if curve.saturation is not None]
    names = _names(own, _PLACES)
    return Grid(
        "Saturation",
        f"{SATURATION} Margin: {percent(found.margin)} points.",
        (*_words(names), Column("setting", words=True), Column("shown", words=True))
        + tuple(map(Column, ("from", "rise", "after", "questions"))),
        [Row([*_named(each, names), *_saturation(each)]) for each in own],
    )


def shown(curve: Curve) -> str:
    """What a curve is shown to do, in words."""
    saturation = curve.saturation
    match saturation and saturation.kind:
        case "saturates":
            return "saturates"
        case "unsettled":
            return "rises; its end is not shown"
        case "rises":
            return "rises to the last"
        case "flat":
            return "no rise"
        case _:
            return "too few questions"


def _saturation(curve: Curve) -> Iterator[Cell]:
    found = curve.saturation
    assert found is not None
    yield Cell(curve.setting)
    yield Cell(shown(curve))
    if found.at is None or found.low is None:
        yield Cell("–")
    else:
        high = f"above {_size(curve.points[-1])}" if found.high is None else f"{found.high:g}"
        yield Cell(f"{found.at:g}", f"{found.low:g} … {high}", sort=found.at)
    yield _gap(found.rise)
    yield Cell("–") if found.after is None else _gap(found.after)
    yield Cell(count(found.rise.questions), sort=found.rise.questions)


def scaling(found: Fidelity) -> Iterator[Grid]:
    """Accuracy by the value of each setting, a column for each dataset: the layout of table 3."""
    for (setting, protocol), curves in _grouped(
        found.curves, lambda each: (each.setting, each.protocol)
    ).items():
        datasets = list(dict.fromkeys(curve.dataset for curve in curves))
        rows = []
        for told, own in _grouped(curves, lambda each: each.told).items():
            at = {(c.dataset, point.size): point for c in own for point in c.points}
            for size in sorted({size for _, size in at}):
                points = [at.get((dataset, size)) for dataset in datasets]
                cells = [Cell("–") if each is None else mean(each.accuracy) for each in points]
                rows.append(Row([Cell(line(told)), Cell(f"{size:g}", sort=size), *cells]))
        alone = {row.cells[0].text for row in rows} == {""}
        made = (Column("arms", words=True),) * (not alone) + (
            Column(setting),
            *(Column(f"{line(dataset, 24)} %") for dataset in datasets),
        )
        rows = [Row(row.cells[alone:]) for row in rows]
        note = "Accuracy, with its 95 % interval over questions, on the debates all arms have."
        yield Grid(f"Accuracy of {protocol} by {setting}", note, made, rows)


def details(found: Fidelity) -> Iterator[Grid]:
    """What each step takes: the abscissas of figures 5 and 6."""
    for setting, curves in _grouped(found.curves, lambda each: each.setting).items():
        names = _names(curves, _PLACES)
        yield Grid(
            f"Accuracy and price by {setting}",
            "Calls to cost: the mean of a debate. Tokens: prompt and completion.",
            (*_words(names), *map(Column, (setting, "accuracy %", "calls", "tokens", "cost")))
            + (Column("debates"),),
            [
                Row([*_named(curve, names), *_point(point)])
                for curve in curves
                for point in curve.points
            ],
        )


def _point(point: Point) -> list[Cell]:
    return [
        Cell(_size(point), sort=point.size),
        mean(point.accuracy),
        Cell(count(point.calls), sort=point.calls),
        Cell(count(point.tokens), sort=point.tokens),
        Cell(dollars(point.cost), sort=point.cost),
        Cell(count(point.accuracy.n), sort=point.accuracy.n),
    ]


def endings(found: Fidelity) -> Grid:
    """In which round debates ended, beside each other by opening: the layout of table 4."""
    openings = [name for name in OPENINGS if any(e.opening == name for e in found.endings)]
    columns = [
        f"{OPENINGS[name]} {what}"
        for name in openings
        for what in ("accuracy %", "n = 1 %", "n > 1 %")
    ]
    grouped = _grouped(found.endings, lambda each: (each.dataset, each.protocol, each.told))
    firsts = [own[0] for own in grouped.values()]
    names = _names(firsts, _PLACES)
    return Grid(
        "Rounds that happened",
        "n: the rounds of a debate, of those that came to a verdict. In brackets: 95 % intervals "
        "over questions; accuracies of the two parts are of different questions.",
        (*_words(names), *map(Column, columns)),
        [
            Row(
                [*_named(own[0], names), *(cell for name in openings for cell in _ended(own, name))]
            )
            for own in grouped.values()
        ],
    )


def _ended(own: Iterable[Ending], opening: str) -> list[Cell]:
    each = next((each for each in own if each.opening == opening), None)
    if each is None:
        return [Cell("–")] * 3
    first = each.first
    later = None if first.mean is None else 1 - first.mean
    parts = [
        f"{percent(part.mean)} right of {count(part.n)}"
        for part in (each.first_accuracy, each.later_accuracy)
    ]
    rest = "" if first.low is None or first.high is None else span(1 - first.high, 1 - first.low)
    return [
        mean(each.accuracy),
        Cell(percent(first.mean), ends(first.low, first.high), (parts[0],), first.mean),
        Cell(percent(later), rest, (parts[1],), later),
    ]


def charges(found: Fidelity) -> Grid:
    """What a debate costs by protocol and dataset: figure 7."""
    names = _names(found.charges, {"dataset": lambda each: each.dataset, **_MODELS})
    return Grid(
        "Cost of a debate",
        "The mean of a protocol's arms, each counted once. Society-level: frameworks in which "
        "agents with roles share a task; all others are model-level.",
        (*_words(names), *map(Column, ("calls", "tokens", "cost", "arms", "debates"))),
        [
            Row(
                [
                    *_named(each, names),
                    Cell(count(each.calls), sort=each.calls),
                    Cell(count(each.tokens), sort=each.tokens),
                    Cell(dollars(each.cost), sort=each.cost),
                    Cell(count(each.arms), sort=each.arms),
                    Cell(count(each.n), sort=each.n),
                ]
            )
            for each in found.charges
        ],
    )


Names = dict[str, Callable[[T], str]]

_PLACES: Names[Curve | Ending] = {
    "dataset": lambda each: each.dataset,
    "protocol": lambda each: each.protocol,
    "arms": lambda each: each.told,
}
_MODELS: Names[Charge] = {
    "level": lambda each: "society" if each.society else "model",
    "protocol": lambda each: each.protocol,
    "model": lambda each: each.model,
}


def _names(rows: Iterable[T], places: Names[T]) -> Names[T]:
    """What tells rows apart, of all that could; the protocol where nothing does."""
    every = list(rows)
    apart = {name: of for name, of in places.items() if len(set(map(of, every))) > 1}
    return apart or {"protocol": places["protocol"]}


def _words(names: Names[T]) -> tuple[Column, ...]:
    return tuple(Column(name, words=True) for name in names)


def _named(each: T, names: Names[T]) -> list[Cell]:
    return [Cell(line(of(each))) for of in names.values()]


def _grouped(every: Iterable[T], key: Callable[[T], object]) -> dict[object, list[T]]:
    grouped: dict[object, list[T]] = {}
    for each in every:
        grouped.setdefault(key(each), []).append(each)
    return grouped


def _gap(gap: Difference) -> Cell:
    return Cell(percent(gap.mean, sign=True), ends(gap.low, gap.high, sign=True), sort=gap.mean)


def _size(point: Point) -> str:
    return f"{point.size:g}"


def _about(found: Fidelity) -> str:
    return f"{plain(found.run)}: accuracies in %, with 95 % intervals over questions"


def _table(grid: Grid) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(plain(grid.title), style="bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=0,
        show_edge=False,
    )
    for column in grid.columns:
        if column.words:
            table.add_column(column.name, overflow="fold")
        else:  # figures are never cut: the words get what these leave
            table.add_column(column.name.replace(" ", "\n"), justify="right", no_wrap=True)
    for row in grid.rows:
        table.add_row(*(Text(plain(f"{cell.text}\n{cell.interval}".strip())) for cell in row.cells))
    return table
