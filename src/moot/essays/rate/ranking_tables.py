"""What raters made of essays, as tables for the terminal, in Markdown and in LaTeX."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moot.core.plain import count, many, plain
from moot.core.results import Mean
from moot.essays.rate.human_scores import Agreement, HumanScores, Score
from moot.reports.grid import Cell, Column, Grid, Row
from moot.reports.latex import latex_page
from moot.reports.markdown import markdown_page
from moot.reports.tables import mean
from moot.reports.terminal import view

if TYPE_CHECKING:
    from rich.console import RenderableType


def human_view(found: HumanScores) -> "RenderableType":
    """The tables, for a terminal of 80 columns."""
    return view(_about(found), grids(found), notes(found), simulated=found.simulated)


def human_markdown(found: HumanScores) -> str:
    """The same in Markdown."""
    title = f"Essays compared by people: {found.name}"
    return markdown_page(
        title, _about(found), grids(found), notes(found), simulated=found.simulated
    )


def human_latex(found: HumanScores) -> str:
    """The tables alone, for LaTeX."""
    return latex_page(grids(found), simulated=found.simulated)


def grids(found: HumanScores) -> Iterator[Grid]:
    """For each aspect the arms, the best first; then how far the raters agree."""
    for aspect in dict.fromkeys(each.aspect for each in found.scores):
        yield Grid(
            aspect.capitalize(),
            "",
            (
                Column("arm", words=True),
                *map(Column, ("score", "ranked first %", "items", "rankings")),
            ),
            [_score(each) for each in found.scores if each.aspect == aspect],
        )
    yield Grid(
        "Agreement of the raters",
        "",
        (
            Column("aspect", words=True),
            *map(Column, ("alpha", "raters", "items", "rankings")),
        ),
        [_agreement(each) for each in found.agreements],
    )


def notes(found: HumanScores) -> list[str]:
    """What a reader must know to read the figures."""
    said = [
        (
            "Score: the mean place from the bottom, 1 to the number of essays compared; tied "
            "essays share the best of their places. Ranked first: alone or tied. With 95 % "
            "intervals over items, where there are two."
        ),
        (
            "Alpha: Krippendorff's, ordinal, of the scores of essays on items that two raters or "
            "more ranked, which alone count there; 1 is full agreement, 0 that of chance."
        ),
        (
            "Raters were told two things that the paper's were not: to judge the essays and not "
            "their own opinion on the matter, and to pay no heed to length by itself."
        ),
    ]
    if found.partial:
        begun = many(found.partial, "ranking")
        said.append(f"{begun} only begun, in which some essay has no place, count nowhere.")
    return said


def _about(found: HumanScores) -> str:
    what = f"{many(found.rankings, 'ranking')} of {many(found.items, 'item')}"
    return f"{plain(found.run)}: {what} by {many(found.raters, 'rater')}"


def _score(each: Score) -> Row:
    cells = [Cell(each.arm), _figure(each.score), mean(each.first)]
    return Row([*cells, Cell(count(each.score.questions)), Cell(count(each.rankings))])


def _agreement(each: Agreement) -> Row:
    alpha = Mean(mean=each.alpha, low=each.low, high=each.high)
    counts = (each.raters, each.items, each.rankings)
    return Row([Cell(each.aspect), _figure(alpha), *(Cell(count(number)) for number in counts)])


def _figure(got: Mean) -> Cell:
    """A figure that is no share, with two decimals."""
    if got.mean is None:
        return Cell("–")
    if got.low is None or got.high is None:
        return Cell(_signed(got.mean), sort=got.mean)
    ends = f"{_signed(got.low)} … {_signed(got.high)}"
    return Cell(_signed(got.mean), interval=ends, sort=got.mean)


def _signed(figure: float) -> str:
    return f"{figure:.2f}".replace("-", "−")
