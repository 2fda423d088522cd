"""The prejudice of debates: as tables for the terminal, in Markdown and in LaTeX."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moot.analyses.prejudice import Group, Prejudice
from moot.core.plain import count, line, many, p_value, percent, plain
from moot.core.results import Difference, Mean
from moot.reports.grid import Cell, Column, Grid, Row, word_columns
from moot.reports.latex import latex_page
from moot.reports.markdown import markdown_page
from moot.reports.tables import OPENINGS, mean
from moot.reports.terminal import view

if TYPE_CHECKING:
    from rich.console import RenderableType

BEST = "*"

ACCURACIES = (
    "Accuracies in %, with 95 % intervals over questions; * the highest of a row. Right, wrong and "
    "random: the first agent was asked whether such a value is the right answer. No answer: "
    "debates of all openings that failed or came to none; they count as not right."
)
TESTS = (
    "Percentage points between the accuracies of two openings on the same questions. p: McNemar's "
    "exact test, of replicated questions by change of signs; corrected by Holm for all rows of the "
    "dataset. Detectable: the smallest difference that so many questions show in 80 % of studies."
)
SWAYS = (
    "Followed: debates whose verdict is a value put forward. Anyway: open debates that come to the "
    "same value on the same question. Sway: followed minus anyway, in percentage points; above 0 "
    "towards the value, below 0 away from it. p: as above, for the sways of the dataset."
)
VARIATIONS = (
    "Range: the highest accuracy of an opening minus the lowest; it is never below 0, and by "
    "chance alone it would be what the next column says. p: how likely a range at least as wide is "
    "if the opening made no difference, corrected by Holm. SD: of the accuracies of the openings. "
    "Percentage points, intervals of resampled questions."
)
PAPER = "Accuracies in %; * the highest of a framework's openings."


def prejudice_view(found: Prejudice) -> "RenderableType":
    """Accuracy, tests, sway and variation, for a terminal."""
    grids = list(details(found, apart=True))
    return view(
        _about(found),
        [grid._replace(note="") for grid in grids],
        dict.fromkeys(grid.note for grid in grids),  # each once, below them all
        simulated=found.simulated,
    )


def prejudice_markdown(found: Prejudice) -> str:
    """All of it in Markdown, the paper's tables first."""
    return markdown_page(
        f"Prejudice: {found.name}",
        _about(found),
        (*papers(found), *details(found)),
        simulated=found.simulated,
    )


def prejudice_latex(found: Prejudice) -> str:
    """All of it in LaTeX, the paper's tables first."""
    return latex_page((*papers(found), *details(found)), simulated=found.simulated)


def papers(found: Prejudice) -> Iterator[Grid]:
    """Tables 1 and 2 of APF-Bench: frameworks by opening across, models down, dataset by dataset.

    Those of society-level frameworks stand apart, as table 2.
    """
    for number, level in enumerate(("Model", "Society"), 1):
        own = [group for group in found.groups if group.society == (level == "Society")]
        for dataset, groups in _by_dataset(own):
            names = dict.fromkeys(
                (group.name, column.label) for group in groups for column in group.columns
            )
            columns = [Column(f"{name} {_heading(opening)}") for name, opening in names]
            rows = []
            for model in dict.fromkeys(group.model for group in groups):
                cells = {
                    (group.name, column.label): _marked(column.accuracy, best=column.best)
                    for group in groups
                    if group.model == model
                    for column in group.columns
                }
                counts = [
                    column.accuracy.questions
                    for group in groups
                    if group.model == model
                    for column in group.columns
                ]
                shown = [cells.get(name, Cell("–"))._replace(interval="") for name in names]
                rows.append(Row([Cell(line(model, 60)), *shown, _counted(counts)]))
            yield Grid(
                f"{level}-level frameworks: {dataset} (table {number})",
                PAPER,
                (Column("model", words=True), *columns, Column("questions")),
                rows,
            )


def details(found: Prejudice, *, apart: bool = False) -> Iterator[Grid]:
    """For each dataset accuracy by opening, tests, sway and variation, each with its intervals.

    Args:
        found: what to show.
        apart: whether each model has tables of its own, where a line has no room for its name.
    """
    several = len({group.model for group in found.groups}) > 1
    names = ["protocol", *["model"] * (several and not apart)]
    where = word_columns(*names)
    for dataset, own in _by_dataset(found.groups):
        parts = {dataset: own}
        if several and apart:
            models = dict.fromkeys(group.model for group in own)
            parts = {f"{dataset}, {m}": [each for each in own if each.model == m] for m in models}
        for title, groups in parts.items():
            for made in (_accuracies, _tests, _sways, _variations):
                grid = made(groups, where)
                if grid.rows:
                    yield grid._replace(title=f"{title}: {grid.title}")


def _accuracies(groups: Sequence[Group], where: tuple[Column, ...]) -> Grid:
    labels = list(dict.fromkeys(column.label for group in groups for column in group.columns))
    rows = []
    for group in groups:
        by = {column.label: column for column in group.columns}
        cells = [
            _marked(by[label].accuracy, best=by[label].best) if label in by else Cell("–")
            for label in labels
        ]
        counts = _counted([column.accuracy.questions for column in group.columns])
        lost = sum(column.unanswered for column in group.columns)
        rows.append(
            Row([*_named(group, where), *cells, counts, Cell(count(lost), sort=float(lost))])
        )
    heads = (*(_heading(label) for label in labels), "questions", "no answer")
    columns = (*where, *map(Column, heads))
    return Grid("accuracy by opening", ACCURACIES, columns, rows)


def _tests(groups: Sequence[Group], where: tuple[Column, ...]) -> Grid:
    rows = []
    for group in groups:
        for column in group.columns:
            named = _heading(column.label)
            for words, gap in (
                (f"{named} − open", column.difference),
                (f"right − {named}", column.right_minus),
            ):
                if gap is not None:
                    smallest = Cell(percent(gap.smallest), sort=gap.smallest)
                    rows.append(
                        Row([*_named(group, where), Cell(words), *_gap(gap), smallest, _n(gap)])
                    )
    heads = map(Column, ("difference", "p (Holm)", "detectable", "questions"))
    return Grid("tests", TESTS, (*where, Column("openings", words=True), *heads), rows)


def _sways(groups: Sequence[Group], where: tuple[Column, ...]) -> Grid:
    rows = []
    for group in groups:
        for column in group.columns:
            if (sway := column.sway) is not None:
                shares = [mean(sway.followed), mean(sway.openly)]
                gap = sway.difference
                named = [*_named(group, where), Cell(_heading(column.label))]
                rows.append(Row([*named, *shares, *_gap(gap), _n(gap)]))
    heads = map(Column, ("followed", "anyway", "sway", "p (Holm)", "questions"))
    return Grid("sway", SWAYS, (*where, Column("opening", words=True), *heads), rows)


def _variations(groups: Sequence[Group], where: tuple[Column, ...]) -> Grid:
    rows = [
        Row(
            [
                *_named(group, where),
                Cell(str(varies.openings), sort=varies.openings),
                mean(varies.range),
                Cell(percent(varies.chance), sort=varies.chance),
                Cell(p_value(varies.p_holm), sort=varies.p_holm),
                mean(varies.sd),
                Cell(count(varies.range.questions), sort=varies.range.questions),
            ]
        )
        for group in groups
        if (varies := group.variation)
    ]
    heads = map(Column, ("openings", "range", "by chance", "p (Holm)", "SD", "questions"))
    return Grid("variation across openings", VARIATIONS, (*where, *heads), rows)


def _by_dataset(groups: Sequence[Group]) -> Iterator[tuple[str, list[Group]]]:
    for dataset in dict.fromkeys(group.dataset for group in groups):
        yield dataset, [group for group in groups if group.dataset == dataset]


def _named(group: Group, where: Sequence[Column]) -> list[Cell]:
    return [Cell(line(name, 60)) for name in (group.name, group.model)[: len(where)]]


def _heading(label: str) -> str:
    """An opening as a heading; with the distance of its values, where it has one."""
    opening, _, distance = label.partition(" ")
    return f"{OPENINGS.get(opening, opening)} {distance}".strip()


def _marked(got: Mean, *, best: bool) -> Cell:
    cell = mean(got)
    return cell._replace(text=f"{cell.text}{BEST}") if best else cell


def _gap(gap: Difference) -> tuple[Cell, Cell]:
    p = gap.p if gap.p_holm is None else gap.p_holm
    return mean(gap, sign=True), Cell(p_value(p), sort=p)


def _n(gap: Difference) -> Cell:
    return Cell(count(gap.questions), sort=gap.questions)


def _counted(counts: Sequence[int]) -> Cell:
    """On how many questions, where these differ from the least to the most."""
    least, most = min(counts), max(counts)
    return Cell(count(most) if least == most else f"{count(least)}–{count(most)}", sort=least)


def _about(found: Prejudice) -> str:
    datasets = len({group.dataset for group in found.groups})
    groups = many(len(found.groups), "group")
    return f"{plain(found.run)}: {groups} of arms by opening on {many(datasets, 'dataset')}"
