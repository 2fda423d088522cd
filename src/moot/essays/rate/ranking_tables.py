"""What raters made of essays, in tables."""

from collections.abc import Iterator

from moot.core.display_text import format_things
from moot.core.results import Mean
from moot.core.table import Column, Report, ResultTable, TableRow, make_columns
from moot.essays.rate.human_scores import HumanScores, RaterAgreement


def tabulate_rankings(found: HumanScores) -> Report:
    """Put into tables what raters made of essays, and how far they agree."""
    what = f"{format_things(found.rankings, 'ranking')} of {format_things(found.items, 'item')}"
    return Report(
        title=f"Essays compared by people: {found.name}",
        about=f"{found.run}: {what} by {format_things(found.raters, 'rater')}",
        tables=list(_tables(found)),
        notes=tuple(notes(found)),
        simulated=found.simulated,
    )


def _tables(found: HumanScores) -> Iterator[ResultTable]:
    """Yield for each aspect the arms, the best first; then how far the raters agree."""
    for aspect in dict.fromkeys(each.aspect for each in found.scores):
        yield ResultTable(
            aspect.capitalize(),
            (
                Column("arm"),
                Column("score", "number", 2),
                Column("ranked first %", "percent"),
                *make_columns("count", "items", "rankings"),
            ),
            [
                TableRow([each.arm, each.score, each.first, each.score.questions, each.rankings])
                for each in found.scores
                if each.aspect == aspect
            ],
        )
    yield ResultTable(
        "Agreement of the raters",
        (
            Column("aspect"),
            Column("alpha", "number", 2),
            *make_columns("count", "raters", "items", "rankings"),
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
        begun = format_things(found.partial, "ranking")
        said.append(f"{begun} only begun, in which some essay has no place, count nowhere.")
    return said


def _agreement(each: RaterAgreement) -> TableRow:
    alpha = Mean(mean=each.alpha, low=each.low, high=each.high)
    return TableRow([each.aspect, alpha, each.raters, each.items, each.rankings])
