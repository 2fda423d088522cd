"""How well settings transfer, as tables for the terminal and in Markdown."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from moot.analyses.transfer import Transfer, Transferred
from moot.core.plain import count, many, plain
from moot.reports.grid import Cell, Column, Grid, Row, word_columns
from moot.reports.markdown import markdown_page
from moot.reports.tables import mean
from moot.reports.terminal import view

if TYPE_CHECKING:
    from rich.console import RenderableType

FIGURES = {
    "average": "average",
    "best": "best",
    "folds": "other folds",
    "same_domain": "same domain",
    "other_domain": "other domain",
}
"""The accuracies, and the headings of their columns."""
GAPS = {"tuning": "choosing gains", "transfer": "another domain costs"}


def transfer_view(found: Transfer) -> "RenderableType":
    """The means over each domain, for a terminal of 80 columns."""
    return view(_about(found), overall(found), notes(found), simulated=found.simulated)


def transfer_markdown(found: Transfer) -> str:
    """All of it: the means over each domain, every dataset, and what was chosen."""
    return markdown_page(
        f"Transfer of settings: {found.name}",
        _about(found),
        (*overall(found), *details(found)),
        notes(found),
        simulated=found.simulated,
    )


def overall(found: Transfer) -> Iterator[Grid]:
    """For each domain its accuracies, then for all domains what choosing gains and costs."""
    for domain, datasets in found.domains.items():
        own = [each for each in found.overall if each.domain == domain]
        figures = _known(FIGURES, own)
        yield Grid(
            f"{domain}: {', '.join(datasets)}",
            "",
            (*word_columns("protocol"), *map(Column, figures.values())),
            [Row([Cell(f"{each.protocol} ({each.arms})"), *_cells(each, figures)]) for each in own],
        )
    if gaps := _known(GAPS, found.overall):
        yield Grid(
            "What is gained and lost",
            "",
            (*word_columns("domain", "protocol"), *map(Column, gaps.values())),
            [
                Row([Cell(each.domain), Cell(each.protocol), *_cells(each, gaps, sign=True)])
                for each in found.overall
            ],
        )


def details(found: Transfer) -> Iterator[Grid]:
    """Each dataset, and which settings were chosen for it."""
    figures = _known(FIGURES, found.datasets)
    yield Grid(
        "Each dataset",
        "",
        (*word_columns("dataset", "protocol"), Column("questions"), *map(Column, figures.values())),
        [
            Row([*_named(each), Cell(count(each.average.questions)), *_cells(each, figures)])
            for each in found.datasets
        ],
    )
    chosen = [name for name in figures if name != "average"]
    yield Grid(
        "What was chosen",
        "",
        word_columns("dataset", "protocol", *(figures[name] for name in chosen)),
        [
            Row([*_named(each), *(Cell(_choices(each, name)) for name in chosen)])
            for each in found.datasets
        ],
    )


def notes(found: Transfer) -> list[str]:
    """What a reader must know to read the figures."""
    said = [
        "Accuracies in %, with 95 % intervals over questions.",
        "In brackets: how many arms the protocol has. Average: of all of them.",
        "Best: of the arm that is best on these very questions, which is too good by chance.",
        f"Other folds: chosen on {found.folds - 1} of {found.folds} parts, scored on the last.",
    ]
    if any(each.same_domain.mean is not None for each in found.datasets):
        said.append("Same domain: chosen on the other datasets of the domain.")
    if any(each.other_domain.mean is not None for each in found.datasets):
        said.append("Other domain: chosen on the datasets of all other domains.")
    said.append("Choosing gains: other folds minus average.")
    if any(each.transfer.mean is not None for each in found.datasets):
        said.append("Another domain costs: same domain minus other domain.")
    return said


def _about(found: Transfer) -> str:
    held = many(len({each.dataset for each in found.datasets}), "dataset")
    return f"{plain(found.run)}: {held} in {many(len(found.domains), 'domain')}"


def _named(each: Transferred) -> tuple[Cell, Cell]:
    return Cell(each.dataset or ""), Cell(each.protocol)


def _known(figures: dict[str, str], found: Iterable[Transferred]) -> dict[str, str]:
    """The figures that are known of any."""
    every = list(found)
    return {
        name: heading
        for name, heading in figures.items()
        if any(getattr(each, name).mean is not None for each in every)
    }


def _cells(each: Transferred, figures: Iterable[str], *, sign: bool = False) -> list[Cell]:
    return [mean(getattr(each, name), sign=sign) for name in figures]


def _choices(each: Transferred, name: str) -> str:
    """The arms chosen, without the protocol's name; with how often, where there are several."""
    chosen = each.chosen.get(name, {})
    short = {arm: arm.removeprefix(each.protocol).strip() or arm for arm in chosen}
    if len(chosen) == 1:
        return short.popitem()[1]
    return "; ".join(f"{times} × {short[arm]}" for arm, times in chosen.items()) or "–"
