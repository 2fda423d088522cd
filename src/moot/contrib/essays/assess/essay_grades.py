"""The grades that a judge gives to single essays, and whether they agree with its comparisons.

Source: "Debate-to-Write", table 1 and appendix B.1: a judge grades the relevance of an essay (after
Chia et al. 2023) and how preferable it is (after Zheng et al. 2023). By its figures both are out of
five. The grades of a model crowd together; how much they do stands in a table of its own.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import msgspec

from moot import Column, ResultTable, TableRow
from moot.contrib.essays.assess.preference import Comparison, by_aspect, collect_pairs, rate_arms
from moot.extend.analyses import Cluster, Mean, make_columns, mean_within_bounds, sign_flip
from moot.extend.words import on_one_line

LOWEST, TOP = 1, 5
"""The scale of grades."""
CROWDED = (
    "Grades are whole numbers from 1 to 5; halves count as the judge gave them, and stand with the "
    "number below. At top: the share of essays with a 5, in %, with its 95 % interval over "
    "propositions. Unread: no grade from 1 to 5 could be read. Asked again: further questions that "
    "were put because a reply had no number."
)
ALIKE = (
    "Pairs: of essays that were compared in both orders and graded. Same grade: of these, in %. "
    "Agree: of pairs with unlike grades and a winner, those whose winner has the higher grade, in "
    "%; 50 by chance; p: of changes of sign. Methods: pairs of methods that grades and comparisons "
    "order alike, of those that both order."
)


class EssayGrade(msgspec.Struct, frozen=True, kw_only=True):
    """The grades that a judge gave an essay.

    Attributes:
        question: the proposition, by a name that no other has in the run.
        aspect: what was graded, e.g. ``"relevance"``.
        arm: whose essay it is.
        replicate: which of the arm's essays, from 0.
        value: 1 to 5; None where no such grade could be read.
        asked: how often it was asked.
    """

    question: str
    aspect: str
    arm: str
    replicate: int
    value: float | None
    asked: int = 1


def read_grade(answer: str | None) -> float | None:
    """Return the grade that an answer is: ``4``, ``4.5`` or ``4/5``; None for any other."""
    number, _, most = (answer or "").partition("/")
    try:
        value = Fraction(number)
    except ValueError:
        return None
    return float(value) if LOWEST <= value <= TOP and most in ("", str(TOP)) else None


def collect_values(grades: Iterable[EssayGrade]) -> dict[tuple[str, str], dict[str, list[float]]]:
    """Return the grades by aspect and arm, and these by proposition."""
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in grades:
        if each.value is not None:
            found[each.aspect, each.arm][each.question].append(each.value)
    return found


def average_grade(given: Iterable[Sequence[float]]) -> Mean:
    """Return the mean of grades that stand by proposition, with its interval over these."""
    clusters = [Cluster(sum(each), len(each)) for each in given]
    return mean_within_bounds(clusters, (LOWEST, TOP))


def tabulate_crowding(title: str, grades: Sequence[EssayGrade], arms: Sequence[str]) -> ResultTable:
    """Return how the grades of each aspect and arm are distributed.

    Args:
        title: of the table.
        grades: on one dataset.
        arms: their order.
    """
    own: dict[tuple[str, str], list[EssayGrade]] = defaultdict(list)
    for each in grades:
        own[each.aspect, each.arm].append(each)
    values, rows = collect_values(grades), []
    for (aspect, arm), all_ in sorted(own.items(), key=lambda each: _order(each[0], arms)):
        by_question = values[aspect, arm].values()
        counts = Counter(int(value) for each in by_question for value in each)
        top = [Cluster(float(each.count(TOP)), len(each)) for each in by_question]
        rows.append(
            TableRow(
                [
                    on_one_line(arm),
                    *(counts[grade] for grade in range(LOWEST, TOP + 1)),
                    mean_within_bounds(top),
                    sum(each.value is None for each in all_),
                    sum(each.asked - 1 for each in all_),
                ],
                band=aspect,
            )
        )
    return ResultTable(
        title,
        (
            Column("arm", head="method"),
            *make_columns("count", *map(str, range(LOWEST, TOP + 1))),
            Column("at top %", "percent"),
            *make_columns("count", "unread", "asked again"),
        ),
        rows,
        CROWDED,
    )


def _order(key: tuple[str, str], arms: Sequence[str]) -> tuple[bool, int]:
    return key[0] != "relevance", arms.index(key[1])


def tabulate_agreement(
    title: str, grades: Sequence[EssayGrade], comparisons: Sequence[Comparison]
) -> ResultTable | None:
    """Return whether grades and comparisons prefer the same essays and arms; None without either.

    Args:
        title: of the table.
        grades: on one dataset.
        comparisons: on the same.
    """
    given = {
        (each.aspect, each.question, each.arm, each.replicate): each.value
        for each in grades
        if each.value is not None
    }
    means = {
        key: sum(map(sum, own.values())) / sum(map(len, own.values()))
        for key, own in collect_values(grades).items()
    }
    rows = []
    for aspect, own in by_aspect(comparisons).items():
        equal: dict[str, list[float]] = defaultdict(list)
        agree: dict[str, list[float]] = defaultdict(list)
        for (_, question, replicate, pair), judged in collect_pairs(own).items():
            one, other = sorted(pair)
            both = [given.get((aspect, question, arm, replicate)) for arm in (one, other)]
            if len(judged) < 2 or None in both:
                continue
            gap = (both[0] or 0.0) - (both[1] or 0.0)
            won = sum(each.worth(one) or 0.0 for each in judged.values()) - 1
            equal[question].append(float(gap == 0))
            if gap and won:
                agree[question].append(float((gap > 0) == (won > 0)))
        if not equal:
            continue
        alike, ordered = _count_alike(aspect, own, means)
        decided = [Cluster(sum(each), len(each)) for each in agree.values()]
        rows.append(
            TableRow(
                [
                    aspect,
                    sum(map(len, equal.values())),
                    mean_within_bounds([Cluster(sum(each), len(each)) for each in equal.values()]),
                    mean_within_bounds(decided),
                    sign_flip(Cluster(2 * total - size, size) for total, size in decided)
                    if decided
                    else None,
                    f"{alike} of {ordered}",
                ]
            )
        )
    return (
        ResultTable(
            title,
            (
                Column("aspect"),
                Column("pairs", "count"),
                *make_columns("percent", "same grade %", "agree %"),
                Column("p", "p"),
                Column("arms", "text", head="methods"),
            ),
            rows,
            ALIKE,
        )
        if rows
        else None
    )


def _count_alike(
    aspect: str, comparisons: Sequence[Comparison], means: Mapping[tuple[str, str], float]
) -> tuple[int, int]:
    """Return how many pairs of arms both order alike, and how many both order at all."""
    rates = {arm: each.rate.mean or 0.0 for arm, each in rate_arms(comparisons).items()}
    signs = [
        (rates[one] - rates[other]) * (means[aspect, one] - means[aspect, other])
        for one, other in combinations(rates, 2)
        if (aspect, one) in means and (aspect, other) in means
    ]
    return sum(sign > 0 for sign in signs), sum(sign != 0 for sign in signs)
