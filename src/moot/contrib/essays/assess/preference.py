"""Preference among the essays of arms: win rates, strengths, and whether the order shown matters.

A judge is shown two essays on one proposition and prefers the first, the second or neither. Each
pair is judged in both orders. Win rates are shares with an interval over propositions; strengths
are those of Bradley and Terry (1952). Source of the comparison: "Debate-to-Write", section 3.3 and
appendix B.1. Source of the two orders: Zheng et al. 2023, section 3.3, on models that favour what
they read first.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from moot import Chart, Column, ResultTable, TableRow
from moot.contrib.essays.assess.essay_charts import draw_matrix
from moot.extend.analyses import (
    Cluster,
    Mean,
    correct_by_holm,
    make_columns,
    mean_within_bounds,
    measure_strengths,
    sign_flip,
)
from moot.extend.words import on_one_line

Winner: TypeAlias = Literal["first", "second", "tie"]

RATES = (
    "Won: the share of comparisons with the other methods' essays in which the method's is "
    "preferred, in %, a tie half. Strength: of Bradley and Terry, 0 for an even method; stronger "
    "by 1 wins 73 %."
)
PAIRS = (
    "Won: by the method named first, in %, a tie half. p: of changes of sign, proposition by "
    "proposition; corrected by Holm for all pairs of the aspect."
)
ORDERS = (
    "Agree: pairs of essays judged alike in both orders, in %. First: what is shown first is "
    "preferred, in % of comparisons that are no tie; 50 where places do not matter."
)
INFINITE = (
    "Some method won, or lost, all against some others: how far their strengths lie apart is due "
    "to the tie that is added to every pair."
)


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of a judge on two essays on one proposition.

    Attributes:
        question: the proposition, by a name that no other has in the run.
        aspect: what was judged, e.g. ``"persuasiveness"``.
        first_arm: whose essay was shown first.
        second_arm: whose was shown second.
        replicate: which essay of each arm, from 0.
        winner: the place of the essay preferred; None where the reply could not be read.
        order: 0 or 1: which of the two orders of this pair of essays this is.
    """

    question: str
    aspect: str
    first_arm: str
    second_arm: str
    replicate: int
    winner: Winner | None
    order: Literal[0, 1]

    def worth(self, arm: str) -> float | None:
        """The score of an arm in it: 1 if preferred, 1/2 for a tie, else 0; None unread."""
        if self.winner is None:
            return None
        if self.winner == "tie":
            return 0.5
        return float((self.first_arm if self.winner == "first" else self.second_arm) == arm)

    @property
    def arms(self) -> tuple[str, str]:
        """The arms of both essays, in the order shown."""
        return self.first_arm, self.second_arm


class WinRate(NamedTuple):
    """How often an arm's essays are preferred.

    Attributes:
        rate: the share of comparisons won, a tie counting half; over propositions.
        won: comparisons won; ``tied`` and ``lost`` are the rest of those read.
        left_out: those whose reply could not be read, or that of the other order.
        p: of the test by changes of sign, proposition by proposition, that the arm is as often
            preferred as not; None where no comparison was read.
    """

    rate: Mean
    won: int
    tied: int
    lost: int
    left_out: int
    p: float | None
    p_holm: float | None = None


def measure_rate(comparisons: Sequence[Comparison], arm: str) -> WinRate:
    """Return how often the essays of an arm are preferred in comparisons that it takes part in."""
    by_question: dict[str, list[float]] = defaultdict(list)
    for each in comparisons:
        if (worth := each.worth(arm)) is not None:
            by_question[each.question].append(worth)
    every = [worth for worths in by_question.values() for worth in worths]
    clusters = [Cluster(sum(own), len(own)) for own in by_question.values()]
    return WinRate(
        rate=mean_within_bounds(clusters),
        won=every.count(1.0),
        tied=every.count(0.5),
        lost=every.count(0.0),
        left_out=len(comparisons) - len(every),
        # Doubled, the differences from even are whole, and the test is exact.
        p=sign_flip([Cluster(2 * total - size, size) for total, size in clusters])
        if clusters
        else None,
    )


def arms_of(comparisons: Iterable[Comparison]) -> list[str]:
    """Return the arms compared, in the order of their names."""
    return sorted({arm for each in comparisons for arm in each.arms})


def by_aspect(comparisons: Iterable[Comparison]) -> dict[str, list[Comparison]]:
    """Return the comparisons by what was judged, in the order in which aspects first come."""
    found: dict[str, list[Comparison]] = defaultdict(list)
    for each in comparisons:
        found[each.aspect].append(each)
    return found


def rate_arms(comparisons: Sequence[Comparison]) -> dict[str, WinRate]:
    """Return how often each arm is preferred to any other, the most often first."""
    rates = {
        arm: measure_rate([each for each in comparisons if arm in each.arms], arm)
        for arm in arms_of(comparisons)
    }
    return dict(sorted(rates.items(), key=lambda each: -(each[1].rate.mean or 0.0)))


def tabulate_rates(title: str, comparisons: Sequence[Comparison]) -> ResultTable:
    """Return every arm against all others, by one aspect, the most often preferred first."""
    read = [each for each in comparisons if each.winner is not None]
    strengths, finite = measure_strengths(
        [(each.question, *each.arms, each.worth(each.first_arm) or 0.0) for each in read]
    )
    return ResultTable(
        title,
        (
            Column("arm", head="method"),
            Column("won %", "percent"),
            Column("strength", "signed", 2),
            *make_columns("count", "won", "tied", "lost", "left out"),
        ),
        [
            TableRow([on_one_line(arm), each.rate, strengths.get(arm), *each[1:5]])
            for arm, each in rate_arms(comparisons).items()
        ],
        RATES + ("" if finite else f" {INFINITE}"),
    )


def tabulate_pairs(
    title: str, comparisons: Sequence[Comparison], arms: Sequence[str]
) -> ResultTable:
    """Return every pair of arms that was compared by one aspect; the rate is of the first.

    Args:
        title: of the table.
        comparisons: by one aspect.
        arms: their order.
    """
    pairs: dict[tuple[str, str], list[Comparison]] = defaultdict(list)
    for each in comparisons:
        one, other = sorted(each.arms, key=arms.index)
        pairs[one, other].append(each)
    ordered = sorted(pairs, key=lambda pair: [arms.index(arm) for arm in pair])
    rates = correct_by_holm(measure_rate(pairs[pair], pair[0]) for pair in ordered)
    return ResultTable(
        title,
        (
            Column("arm", head="method"),
            Column("against"),
            Column("won %", "percent"),
            *make_columns("count", "won", "tied", "lost"),
            *make_columns("p", "p", "p Holm"),
        ),
        [
            TableRow(
                [*map(on_one_line, pair), *each[:4], each.p, each.p_holm],
            )
            for pair, each in zip(ordered, rates, strict=True)
        ],
        PAIRS,
    )


def chart_pairs(
    dataset: str, aspect: str, comparisons: Sequence[Comparison], arms: Sequence[str]
) -> Chart:
    """Return the matrix of who is preferred to whom by one aspect, in the order of the arms."""
    wins: dict[tuple[str, str], Mean] = {}
    for arm, other in permutations(arms, 2):
        own = [each for each in comparisons if {*each.arms} == {arm, other}]
        if own:
            wins[on_one_line(arm), on_one_line(other)] = measure_rate(own, arm).rate
    return draw_matrix(on_one_line(dataset), aspect, wins)


_Pair: TypeAlias = tuple[str, str, int, frozenset[str]]


def collect_pairs(comparisons: Iterable[Comparison]) -> dict[_Pair, dict[int, Comparison]]:
    """Return the read comparisons of each pair of essays, by the order in which they were shown."""
    read: dict[_Pair, dict[int, Comparison]] = defaultdict(dict)
    for each in comparisons:
        if each.winner is not None:
            pair = each.aspect, each.question, each.replicate, frozenset(each.arms)
            read[pair][each.order] = each
    return read


def drop_single_orders(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons; where only one order of a pair was read, neither counts as read.

    One order alone would count for the essay in the place that the judge favours.
    """
    pairs = collect_pairs(comparisons).values()
    single = {next(iter(own.values())) for own in pairs if len(own) < 2}
    return [replace(each, winner=None) if each in single else each for each in comparisons]


def tabulate_orders(title: str, comparisons: Sequence[Comparison]) -> ResultTable:
    """Return whether a judge says the same when the essays change places, by aspect.

    All of it is over pairs of essays of which both orders were read: the share whose two orders
    agree; of the comparisons that are no tie, the share in which what was shown first is preferred,
    with p of the test by changes of sign that places do not matter; and the pairs of which both
    orders prefer the same place.
    """
    rows = []
    for aspect, own in by_aspect(comparisons).items():
        agreed: dict[str, list[float]] = defaultdict(list)
        first: dict[str, list[float]] = defaultdict(list)
        twice = {"first": 0, "second": 0, "tie": 0}
        for (_, question, *_), judged in collect_pairs(own).items():
            if len(judged) == 2:
                one, other = (each.winner or "tie" for each in judged.values())
                agreed[question].append(float({one, other} in ({"first", "second"}, {"tie"})))
                first[question] += [
                    float(each == "first") for each in (one, other) if each != "tie"
                ]
                twice[one] += one == other
        agrees, favours = (
            [Cluster(sum(each), len(each)) for each in by_question.values() if each]
            for by_question in (agreed, first)
        )
        p = sign_flip(Cluster(2 * total - size, size) for total, size in favours)
        rows.append(
            TableRow(
                [
                    aspect,
                    *map(mean_within_bounds, (agrees, favours)),
                    p if favours else None,
                    *(sum(map(len, agreed.values())), twice["first"], twice["second"]),
                ]
            )
        )
    return ResultTable(
        title,
        (
            Column("aspect"),
            *make_columns("percent", "agree %", "first %"),
            Column("p", "p"),
            *make_columns("count", "pairs", "first twice", "second twice"),
        ),
        rows,
        ORDERS,
    )
