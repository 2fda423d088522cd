"""What the essays of a run are worth: as tables for the terminal, in Markdown and in LaTeX."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from moot.core.plain import count, line, p_value, plain
from moot.core.results import Mean
from moot.essays.assess.arm_measures import ArmEssays, Gap
from moot.essays.assess.assessment import Assessment, Verdicts
from moot.essays.assess.assessment_notes import notes
from moot.essays.assess.preference import Strength, WinRate
from moot.reports.grid import Cell, Column, Grid, Row, word_columns
from moot.reports.latex import latex_page
from moot.reports.markdown import markdown_page
from moot.reports.tables import mean
from moot.reports.terminal import view

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN = {
    "self-bleu": ("S-BLEU", 1),
    "self-embedding": ("S-Emb", 100),
    "perspective": ("Pers.", 100),
    "words": ("words", 1),
    "repetition": ("repeated %", 100),
}
"""How each measure is called, and by what it is multiplied where it is shown."""

ABOUT = (
    "S-BLEU, S-Emb and Pers.: how alike essays of one arm on one proposition are in words, meaning "
    "and points; 100: all the same; lower is more diverse. Words and the share of repeated runs "
    "of four words: the mean of an essay. 95 % intervals over propositions, where there are two."
)
DIFFERENCES = (
    "The arm minus the baseline, on the propositions of both. p: of changes of sign, proposition "
    "by proposition; corrected by Holm for all arms of a dataset."
)
RATES = (
    "Won: the share of comparisons with the other arms' essays in which the arm's is preferred, in "
    "%, a tie half. Strength: of Bradley and Terry, 0 for an even arm; stronger by 1 wins 73 %."
)
PAIRS = (
    "Won: by the arm named first, in %, a tie half. p: of changes of sign, proposition by "
    "proposition; corrected by Holm for all pairs of the aspect."
)
ORDERS = (
    "Agree: pairs of essays judged alike in both orders, in %. First: what is shown first is "
    "preferred, in % of comparisons that are no tie; 50 where places do not matter."
)


def essays_view(found: Assessment) -> "RenderableType":
    """Every table, for a terminal of 80 columns."""
    return view(_about(found), tables(found), notes(found), simulated=found.simulated, tight=True)


def essays_markdown(found: Assessment) -> str:
    """The same in Markdown."""
    return markdown_page(
        f"Essays: {found.name}",
        _about(found),
        tables(found),
        notes(found),
        simulated=found.simulated,
    )


def essays_latex(found: Assessment) -> str:
    """The tables in LaTeX."""
    return latex_page(tables(found), simulated=found.simulated)


def tables(found: Assessment) -> list[Grid]:
    """Every table that has a row."""
    made = [*_measures(found), *_differences(found)]
    if found.judged is not None:
        made += [*_rates(found.judged), *_pairs(found.judged), _orders(found.judged)]
    return [grid for grid in made if grid.rows]


def _measures(found: Assessment) -> Iterator[Grid]:
    """The layout of table 1, beside it how long the essays are and how much they repeat."""
    note = ABOUT
    for dataset in _datasets(found.arms):
        own = [arm for arm in found.arms if arm.dataset == dataset]
        names = [name for name in SHOWN if any(name in arm.measures for arm in own)]
        yield Grid(
            f"{line(dataset)}: essays",
            note,
            (
                *word_columns("arm"),
                Column("n"),
                *(Column(SHOWN[name][0]) for name in names),
            ),
            [
                Row(
                    [
                        Cell(_named(arm, found)),
                        Cell(count(arm.essays), sort=arm.essays),
                        *(_measure(arm, name) for name in names),
                    ],
                    marked=arm.arm == found.baseline,
                )
                for arm in own
            ],
        )
        note = ""  # once is enough


def _differences(found: Assessment) -> Iterator[Grid]:
    note = DIFFERENCES
    for dataset in _datasets(found.arms):
        rows = [
            Row(
                [
                    Cell(_named(arm, found)),
                    Cell(SHOWN[name][0]),
                    _figure(gap, SHOWN[name][1], sign=True),
                    Cell(p_value(gap.p), sort=gap.p),
                    Cell(p_value(gap.p_holm), sort=gap.p_holm),
                    Cell(count(gap.propositions), sort=gap.propositions),
                ]
            )
            for arm in found.arms
            if arm.dataset == dataset
            for name, got in arm.measures.items()
            if (gap := got.difference) is not None
        ]
        columns = (
            *word_columns("arm", "measure"),
            *map(Column, ("difference", "p", "p Holm", "propositions")),
        )
        yield Grid(f"{line(dataset)}: against {line(str(found.baseline))}", note, columns, rows)
        note = ""


def _rates(judged: Verdicts) -> Iterator[Grid]:
    strengths = {(each.aspect, each.arm): each for each in judged.strengths}
    note = RATES
    for aspect, own in _by_aspect(judged.rates):
        yield Grid(
            f"Judged by {aspect}",
            note,
            (
                *word_columns("arm"),
                *map(Column, ("won %", "strength", "won", "tied", "lost", "left out")),
            ),
            [
                Row(
                    [
                        Cell(line(each.arm)),
                        mean(each.rate),
                        _strength(strengths.get((aspect, each.arm))),
                        *_counted(each),
                        Cell(count(each.unread), sort=each.unread),
                    ]
                )
                for each in own
            ],
        )
        note = ""


def _pairs(judged: Verdicts) -> Iterator[Grid]:
    note = PAIRS
    for aspect, own in _by_aspect(judged.pairs):
        yield Grid(
            f"Judged by {aspect}, pair by pair",
            note,
            (
                *word_columns("arm", "against"),
                *map(Column, ("won %", "won", "tied", "lost", "p", "p Holm")),
            ),
            [
                Row(
                    [
                        Cell(line(each.arm)),
                        Cell(line(each.against or "")),
                        mean(each.rate),
                        *_counted(each),
                        Cell(p_value(each.p), sort=each.p),
                        Cell(p_value(each.p_holm), sort=each.p_holm),
                    ]
                )
                for each in own
            ],
        )
        note = ""


def _orders(judged: Verdicts) -> Grid:
    return Grid(
        "Whether the order matters",
        ORDERS,
        (
            *word_columns("aspect"),
            *map(Column, ("agree %", "first %", "p", "pairs", "first twice", "second twice")),
        ),
        [
            Row(
                [
                    Cell(each.aspect),
                    mean(each.agreement),
                    mean(each.first),
                    Cell(p_value(each.p), sort=each.p),
                    Cell(count(each.pairs), sort=each.pairs),
                    Cell(count(each.to_first), sort=each.to_first),
                    Cell(count(each.to_second), sort=each.to_second),
                ]
            )
            for each in judged.orders
        ],
    )


def _about(found: Assessment) -> str:
    return f"{plain(found.run)}: the essays of {plain(found.name)}"


def _datasets(arms: Sequence[ArmEssays]) -> list[str]:
    return list(dict.fromkeys(arm.dataset for arm in arms))


def _named(arm: ArmEssays, found: Assessment) -> str:
    """An arm's name, with what it is where others of the run are not."""
    mixed = arm.simulated and not all(each.simulated for each in found.arms)
    return f"{line(arm.arm)}{' (simulated)' if mixed else ''}"


def _by_aspect(rates: Iterable[WinRate]) -> list[tuple[str, list[WinRate]]]:
    grouped: dict[str, list[WinRate]] = {}
    for each in rates:
        grouped.setdefault(each.aspect, []).append(each)
    return list(grouped.items())


def _measure(arm: ArmEssays, name: str) -> Cell:
    got = arm.measures.get(name)
    return Cell("–") if got is None else _figure(got.mean, SHOWN[name][1])


def _counted(each: WinRate) -> Iterator[Cell]:
    return (Cell(count(number), sort=number) for number in (each.won, each.tied, each.lost))


def _strength(each: Strength | None) -> Cell:
    if each is None or each.strength is None:
        return Cell("–")
    got = Mean(mean=each.strength, low=each.low, high=each.high)
    return _figure(got, 1, sign=True, digits=2)


def _figure(got: Mean | Gap, times: float, *, sign: bool = False, digits: int = 1) -> Cell:
    """A figure with its interval."""

    def told(value: float | None) -> str:
        if value is None:
            return "–"
        rounded = round(times * value, digits) or 0.0  # never minus zero
        return f"{rounded:{'+' if sign and rounded else ''},.{digits}f}".replace("-", "−")

    ends = "" if got.low is None else f"{told(got.low)} … {told(got.high)}"
    return Cell(told(got.mean), interval=ends, sort=got.mean)
