"""The fidelity of protocols: as tables for the terminal, in Markdown and in LaTeX."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from moot.analyses.cost_by_protocol import Charge
from moot.analyses.endings import Ending
from moot.analyses.fidelity import Curve, Fidelity, Point
from moot.core.plain import count, dollars, line, percent, plain
from moot.reports.grid import Cell, Column, Grid, Row, word_columns
from moot.reports.latex import latex_page
from moot.reports.markdown import markdown_page
from moot.reports.tables import OPENINGS, mean
from moot.reports.terminal import view

if TYPE_CHECKING:
    from rich.console import RenderableType

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

SATURATION = (
    "From: the smallest size that no larger one beats by more than the margin, with its 95 % "
    "interval. Saturates: a rise is shown, and that it ends; unsettled: a rise is shown, and "
    "neither that it ends within the range nor that it goes on to its end; rising: it goes on to "
    "the end of the range; flat: no rise is shown. Rise: from the smallest size to it, or to the "
    "largest where there is none; after: from it to the largest; both in points."
)

SHOWN = {"rises": "rising", "unknown": "too few"}
"""What curves are shown to do, where the word is another."""


def fidelity_view(found: Fidelity) -> "RenderableType":
    """Saturation, accuracy and price, rounds that happened, and cost, for a terminal."""
    made = (*saturations(found), *details(found), rounds(found), charges(found))
    return view(_about(found), [grid for grid in made if grid.rows], simulated=found.simulated)


def fidelity_markdown(found: Fidelity) -> str:
    """Every table in Markdown."""
    return markdown_page(
        f"Fidelity: {found.name}", _about(found), tables(found), simulated=found.simulated
    )


def fidelity_latex(found: Fidelity) -> str:
    """Every table in LaTeX."""
    return latex_page(tables(found), simulated=found.simulated)


def tables(found: Fidelity) -> list[Grid]:
    """Every table that has a row, none too wide for a printed page."""
    made = [*saturations(found), *scaling(found), *details(found)]
    made += [endings(found), rounds(found), charges(found)]
    return [grid for grid in made if grid.rows]


def saturations(found: Fidelity) -> Iterator[Grid]:
    """Where the curves of each protocol and setting stop to rise."""
    sized = [curve for curve in found.curves if curve.saturation is not None]
    note = f"{SATURATION} Margin: {percent(found.margin)} points."
    for (protocol, setting), own in _grouped(sized, lambda c: (c.protocol, c.setting)).items():
        names = _names(own, _PLACES)
        yield Grid(
            f"Saturation of {protocol} by {setting}",
            note,
            (
                *word_columns(*names),
                Column("shown", words=True),
                *map(Column, ("from", "rise", "after", "questions")),
            ),
            [Row([*_named(each, names), *_saturation(each)]) for each in own],
        )
        note = ""  # once is enough


def _saturation(curve: Curve) -> Iterator[Cell]:
    found = curve.saturation
    assert found is not None
    yield Cell(SHOWN.get(found.kind, found.kind))
    if found.at is None or found.low is None:
        yield Cell("–")
    else:
        high = f"above {curve.points[-1].size:g}" if found.high is None else f"{found.high:g}"
        yield Cell(f"{found.at:g}", f"{found.low:g} … {high}", sort=found.at)
    yield mean(found.rise, sign=True)
    yield Cell("–") if found.after is None else mean(found.after, sign=True)
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
            (
                *word_columns(*names),
                *map(Column, (setting, "accuracy %", "calls", "tokens", "cost", "debates")),
            ),
            [
                Row([*_named(curve, names), *_point(point)])
                for curve in curves
                for point in curve.points
            ],
        )


def _point(point: Point) -> list[Cell]:
    return [
        Cell(f"{point.size:g}", sort=point.size),
        mean(point.accuracy),
        Cell(count(point.calls), sort=point.calls),
        Cell(count(point.tokens), sort=point.tokens),
        Cell(dollars(point.cost), sort=point.cost),
        Cell(count(point.accuracy.n), sort=point.accuracy.n),
    ]


def endings(found: Fidelity) -> Grid:
    """The openings beside each other: the layout of table 4."""
    openings = [name for name in OPENINGS if any(e.opening == name for e in found.endings)]
    columns = [
        f"{OPENINGS[name]} {what}" for name in openings for what in ("%", "n = 1 %", "n > 1 %")
    ]
    grouped = _grouped(found.endings, lambda each: (each.dataset, each.protocol, each.told))
    names = _names([own[0] for own in grouped.values()], _PLACES)
    return Grid(
        "Rounds that happened, by opening",
        "Accuracy, and how many debates ended in round 1 and later, in %.",
        (*word_columns(*names), *map(Column, columns)),
        [
            Row(
                [
                    *_named(own[0], names),
                    *chain.from_iterable(_brief(own, name) for name in openings),
                ]
            )
            for own in grouped.values()
        ],
    )


def _brief(own: Iterable[Ending], opening: str) -> list[Cell]:
    each = next((each for each in own if each.opening == opening), None)
    if each is None:
        return [Cell("–")] * 3
    first = each.first.mean
    shares = (each.accuracy.mean, first, None if first is None else 1 - first)
    return [Cell(percent(share), sort=share) for share in shares]


def rounds(found: Fidelity) -> Grid:
    """In which round debates ended, and how many of them were right."""
    names = _names(found.endings, {**_PLACES, "opening": lambda each: OPENINGS[each.opening]})
    return Grid(
        "Rounds that happened",
        "n: the rounds of a debate, of those that came to a verdict. The last two columns are "
        "accuracies of different questions: the easier ones end early.",
        (
            *word_columns(*names),
            *map(Column, ("accuracy %", "n = 1 %", "debates")),
            *map(Column, ("right if n = 1 %", "right if n > 1 %")),
        ),
        [
            Row(
                [
                    *_named(each, names),
                    mean(each.accuracy),
                    mean(each.first),
                    Cell(count(each.first.n), sort=each.first.n),
                    mean(each.first_accuracy),
                    mean(each.later_accuracy),
                ]
            )
            for each in found.endings
        ],
    )


def charges(found: Fidelity) -> Grid:
    """What a debate costs by protocol and dataset: figure 7."""
    names = _names(found.charges, {"dataset": lambda each: each.dataset, **_MODELS})
    return Grid(
        "Cost of a debate",
        "The mean of a protocol's arms, each counted once. Society-level: frameworks in which "
        "agents with roles share a task; all others are model-level.",
        (*word_columns(*names), *map(Column, ("calls", "tokens", "cost", "arms", "debates"))),
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


Names: TypeAlias = Mapping[str, Callable[[T], str]]

_PLACES: dict[str, Callable[[Curve | Ending], str]] = {
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


def _named(each: T, names: Names[T]) -> list[Cell]:
    return [Cell(line(of(each))) for of in names.values()]


def _grouped(every: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    grouped: dict[K, list[T]] = {}
    for each in every:
        grouped.setdefault(key(each), []).append(each)
    return grouped


def _about(found: Fidelity) -> str:
    return f"{plain(found.run)}: accuracies in %, with 95 % intervals over questions"
