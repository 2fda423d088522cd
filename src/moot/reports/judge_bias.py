"""Whom judges favour, as tables for the terminal and in Markdown."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from moot.analyses.judge_bias import Effect, JudgeBias, Share
from moot.core.plain import count, many, p_value, plain
from moot.reports.grid import Cell, Column, Grid, Row
from moot.reports.markdown import markdown_page
from moot.reports.tables import mean
from moot.reports.terminal import view

if TYPE_CHECKING:
    from rich.console import RenderableType


def judge_bias_view(found: JudgeBias) -> "RenderableType":
    """The tables of every dataset, for a terminal of 80 columns."""
    return view(_about(found), grids(found), notes(found), simulated=found.simulated, tight=True)


def judge_bias_markdown(found: JudgeBias) -> str:
    """The same in Markdown."""
    return markdown_page(
        f"Judge bias: {found.name}",
        _about(found),
        grids(found),
        notes(found),
        simulated=found.simulated,
    )


def grids(found: JudgeBias) -> Iterator[Grid]:
    """For each dataset and group, how verdicts divide and what is worth how much."""
    groups = dict.fromkeys((each.dataset, each.group) for each in found.shares)
    for dataset, group in groups:
        shares = [each for each in found.shares if (each.dataset, each.group) == (dataset, group)]
        yield Grid(
            f"{dataset}: {group}",
            "",
            (
                Column("opening", words=True),
                Column("verdicts for", words=True),
                *map(Column, ("first", "second", "neither", "ratio", "debates")),
            ),
            [_share(each) for each in shares],
        )
        effects = [each for each in found.effects if (each.dataset, each.group) == (dataset, group)]
        if effects:
            yield Grid(
                f"{dataset}: {group}: what it is worth",
                "",
                (
                    Column("opening", words=True),
                    Column("being", words=True),
                    *map(Column, ("effect", "p", "p Holm", "questions", "seatings")),
                ),
                [_effect(each) for each in effects],
            )


def notes(found: JudgeBias) -> list[str]:
    """What a reader must know to read the figures."""
    said = [
        (
            "Shares of verdicts in %, with 95 % intervals over questions. First and second: of the "
            "two names before; ratio: the first's part of the verdicts for either."
        ),
        (
            "Effect: the share of verdicts for the first name minus 50, in points, over the "
            "questions debated in every seating, all else balanced; a verdict for neither counts "
            "half for each."
        ),
    ]
    if any(each.control for each in found.effects):
        said.append(
            "Control: names that mean nothing. A bias no larger than theirs is no bias of what "
            "the names say."
        )
    if found.mixed:
        said.append(
            "POSITION AND LABEL CANNOT BE TOLD APART in the rows with more than one name: these "
            "were the same side in every seating. Run speaks_first and shown_first both ways."
        )
    if left := sum({(e.dataset, e.group, e.opening): e.left_out for e in found.effects}.values()):
        said.append(f"{many(left, 'question')} left out of effects: not debated in every seating.")
    if failed := sum({(e.dataset, e.group, e.opening): e.failed for e in found.shares}.values()):
        said.append(f"{many(failed, 'debate')} failed and count nowhere.")
    return said


def _about(found: JudgeBias) -> str:
    return f"{plain(found.run)}: whom the judges of {plain(found.name)} favour"


def _share(each: Share) -> Row:
    cells = [Cell(each.opening), Cell(_versus(each.names, control=each.control))]
    cells += [mean(part) for part in (each.first, each.second, each.neither, each.ratio)]
    return Row([*cells, Cell(count(each.debates))])


def _effect(each: Effect) -> Row:
    names = "; ".join(_versus(pair, control=each.control) for pair in each.names)
    figures = [Cell(p_value(each.p)), Cell(p_value(each.p_holm))]
    figures += [Cell(count(each.size.questions)), Cell(count(each.seatings))]
    return Row([Cell(each.opening), Cell(names), mean(each.size, sign=True), *figures])


def _versus(names: tuple[str, str], *, control: bool) -> str:
    return f"{names[0]}, not {names[1]}{' (control)' if control else ''}"
