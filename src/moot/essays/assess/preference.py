"""Which arm's essays are preferred: win rates and strengths; and whether the order shown matters.

A judge is shown two essays on one proposition and prefers the first, the second or neither. Each
pair is judged in both orders. Win rates are shares with an interval over propositions; strengths
are those of Bradley and Terry (1952). Source of the comparison: "Debate-to-Write", section 3.3 and
appendix B.1. Source of the two orders: Zheng et al. 2023, section 3.3, on models that favour what
they read first.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from moot.core.results import Mean
from moot.essays.assess.strengths import are_linked, solve_strengths, strength_intervals
from moot.statistics.accuracies import mean_with_interval
from moot.statistics.intervals import RESAMPLES, SEED, Cluster
from moot.statistics.paired import holm, sign_flip

if TYPE_CHECKING:
    from moot.essays.assess.strengths import Matrix

Winner: TypeAlias = Literal["first", "second", "tie"]


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge said of two essays on one proposition.

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
        """What it counts for an arm in it: 1 if preferred, 1/2 for a tie, else 0; None unread."""
        if self.winner is None:
            return None
        if self.winner == "tie":
            return 0.5
        return float((self.first_arm if self.winner == "first" else self.second_arm) == arm)


class WinRate(msgspec.Struct, frozen=True, kw_only=True):
    """How often an arm's essays are preferred, to one other arm's or to all others'.

    Attributes:
        aspect: what was judged.
        arm: whose essays.
        against: the other arm; None for all others together.
        rate: the share of comparisons won, a tie counting half, 0 to 1; over propositions.
        ties: the share of them that are ties.
        won: comparisons won; ``tied`` and ``lost`` are the rest of those read.
        unread: comparisons whose reply could not be read; they are left out. So is what was
            ``drop_single_orders`` without the other order of its pair.
        p: against an arm, of the test by changes of sign, proposition by proposition, that neither
            is preferred; None for all others together, or where nothing was read.
        p_holm: the same, corrected by Holm for all pairs of arms of the aspect.
    """

    aspect: str
    arm: str
    against: str | None
    rate: Mean
    ties: Mean
    won: int
    tied: int
    lost: int
    unread: int
    p: float | None = None
    p_holm: float | None = None


def arms_of(comparisons: Iterable[Comparison]) -> list[str]:
    """The arms compared, in the order of their names."""
    return sorted({arm for each in comparisons for arm in (each.first_arm, each.second_arm)})


def aspects_of(comparisons: Iterable[Comparison]) -> list[str]:
    """The aspects judged, in the order in which they first come."""
    return list(dict.fromkeys(each.aspect for each in comparisons))


def win_rates(comparisons: Sequence[Comparison]) -> list[WinRate]:
    """Every arm against all others, by aspect and then by rate, the highest first."""
    rates = []
    for aspect in aspects_of(comparisons):
        own = [each for each in comparisons if each.aspect == aspect]
        found = [
            _rate([each for each in own if arm in (each.first_arm, each.second_arm)], arm, None)
            for arm in arms_of(own)
        ]
        rates += sorted(found, key=lambda each: -(each.rate.mean or 0.0))
    return rates


def pair_rates(comparisons: Sequence[Comparison], *, arms: Sequence[str] = ()) -> list[WinRate]:
    """Every pair of arms that was compared, by aspect; the rate is of the pair's first arm.

    Args:
        comparisons: of any aspects.
        arms: their order; those not in it come last, by name.
    """
    rates = []
    for aspect in aspects_of(comparisons):
        own = [each for each in comparisons if each.aspect == aspect]
        place = {arm: number for number, arm in enumerate(dict.fromkeys([*arms, *arms_of(own)]))}
        pairs: dict[tuple[str, str], list[Comparison]] = defaultdict(list)
        for each in own:
            one, other = sorted((each.first_arm, each.second_arm), key=place.__getitem__)
            pairs[one, other].append(each)
        found = [
            _rate(pairs[pair], *pair)
            for pair in sorted(pairs, key=lambda pair: (place[pair[0]], place[pair[1]]))
        ]
        fixed = iter(holm([each.p for each in found if each.p is not None]))
        rates += [each if each.p is None else replace(each, p_holm=next(fixed)) for each in found]
    return rates


def _rate(comparisons: Sequence[Comparison], arm: str, against: str | None) -> WinRate:
    by_question: dict[str, list[float]] = defaultdict(list)
    for each in comparisons:
        if (worth := each.worth(arm)) is not None:
            by_question[each.question].append(worth)
    every = [worth for worths in by_question.values() for worth in worths]
    ties = [Cluster(float(own.count(0.5)), len(own)) for own in by_question.values()]
    # Doubled, the differences from even are whole, and the test is exact.
    above = [Cluster(2 * sum(own) - len(own), len(own)) for own in by_question.values()]
    return WinRate(
        aspect=comparisons[0].aspect,
        arm=arm,
        against=against,
        rate=mean_with_interval([Cluster(sum(own), len(own)) for own in by_question.values()]),
        ties=mean_with_interval(ties),
        won=every.count(1.0),
        tied=every.count(0.5),
        lost=every.count(0.0),
        unread=len(comparisons) - len(every),
        p=sign_flip(above) if against is not None and above else None,
    )


class Strength(msgspec.Struct, frozen=True, kw_only=True):
    """An arm's strength by the model of Bradley and Terry; see ``moot.essays.assess.strengths``.

    Attributes:
        aspect: what was judged.
        arm: whose essays.
        strength: the logarithm of its strength: that of an even arm is 0, and the arms' sum is 0.
            An arm that is stronger by 1 is preferred in 73 % of comparisons. None where some arms
            were never compared with the others, not even by way of a third.
        low: the lower end of its 95 % interval over propositions, as ``high``; None for fewer than
            two propositions.
        finite: whether it is finite by the comparisons alone. If not, some arm has won, or lost,
            all against some others, and how far they lie apart is due to the tie that is added.
        comparisons: read ones in which the arm took part.
    """

    aspect: str
    arm: str
    strength: float | None
    low: float | None = None
    high: float | None = None
    finite: bool
    comparisons: int


def bradley_terry(
    comparisons: Sequence[Comparison], *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[Strength]:
    """The strengths of the arms, by aspect and then by strength, the highest first.

    Args:
        comparisons: of any aspects, in any order; those not read are left out.
        resamples: how many times propositions are drawn for the intervals.
        seed: of the draws.
    """
    found = []
    for aspect in aspects_of(comparisons):
        own = [each for each in comparisons if each.aspect == aspect and each.winner is not None]
        if own:
            made = _strengths(aspect, own, resamples, seed)
            found += sorted(made, key=lambda each: -(each.strength or 0.0))
    return found


def _strengths(
    aspect: str, comparisons: Sequence[Comparison], resamples: int, seed: int
) -> list[Strength]:
    import numpy as np

    arms = arms_of(comparisons)
    place = {arm: number for number, arm in enumerate(arms)}
    by_question: dict[str, Matrix] = defaultdict(lambda: np.zeros((len(arms),) * 2))
    for each in comparisons:
        one, other = place[each.first_arm], place[each.second_arm]
        worth = each.worth(each.first_arm) or 0.0
        by_question[each.question][one, other] += worth
        by_question[each.question][other, one] += 1 - worth
    tables = np.array(list(by_question.values()))
    whole = tables.sum(axis=0)
    known = are_linked(whole, both_ways=False)
    values = solve_strengths(whole[None], whole)[0].tolist() if known else [None] * len(arms)
    found = strength_intervals(tables, resamples=resamples, seed=seed) if known else None
    low, high = (end.tolist() for end in found) if found else ([None] * len(arms),) * 2
    return [
        Strength(
            aspect=aspect,
            arm=arm,
            strength=values[at],
            low=low[at],
            high=high[at],
            finite=are_linked(whole, both_ways=True),
            comparisons=round(float(whole[at].sum() + whole[:, at].sum())),
        )
        for arm, at in place.items()
    ]


_Pair = tuple[str, str, int, frozenset[str]]


def _pair(each: Comparison) -> _Pair:
    arms = frozenset((each.first_arm, each.second_arm))
    return each.aspect, each.question, each.replicate, arms


def drop_single_orders(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons; where only one order of a pair was read, neither counts as read.

    One order alone would count for the essay in the place that the judge favours.
    """
    read: dict[_Pair, set[int]] = defaultdict(set)
    for each in comparisons:
        if each.winner is not None:
            read[_pair(each)].add(each.order)
    return [
        each if len(read[_pair(each)]) == 2 else replace(each, winner=None) for each in comparisons
    ]


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a judge says the same when the essays change places.

    All of it is over pairs of essays of which both orders were read.

    Attributes:
        aspect: what was judged.
        pairs: such pairs.
        agreement: the share whose two orders agree: the same essay, or a tie twice.
        to_first: pairs of which both orders prefer what was shown first.
        to_second: pairs of which both prefer what was shown second.
        first: of the comparisons that are no tie, the share in which what was shown first is
            preferred; 1/2 where places do not matter, since each essay was first once.
        p: of the test by changes of sign that places do not matter; None without such a pair.
        single: other comparisons: one of the two orders is missing or could not be read.
    """

    aspect: str
    pairs: int
    agreement: Mean
    to_first: int
    to_second: int
    first: Mean
    p: float | None
    single: int


def measure_orders(comparisons: Sequence[Comparison]) -> list[Orders]:
    """Whether judges favour a place, by aspect."""
    return [
        _orders(aspect, [each for each in comparisons if each.aspect == aspect])
        for aspect in aspects_of(comparisons)
    ]


def _orders(aspect: str, comparisons: Sequence[Comparison]) -> Orders:
    both: dict[tuple[str, int, frozenset[str]], dict[str, Winner]] = defaultdict(dict)
    for each in comparisons:
        if each.winner is not None:
            pair = frozenset((each.first_arm, each.second_arm))
            both[each.question, each.replicate, pair][each.first_arm] = each.winner
    agreed: dict[str, list[float]] = defaultdict(list)
    first: dict[str, list[float]] = defaultdict(list)
    twice = {"first": 0, "second": 0}
    for (question, _, _), judged in both.items():
        if len(judged) == 2:
            one, other = judged.values()
            agreed[question].append(float({one, other} in ({"first", "second"}, {"tie"})))
            first[question] += [float(each == "first") for each in (one, other) if each != "tie"]
            if one == other != "tie":
                twice[one] += 1
    pairs = sum(map(len, agreed.values()))
    decided = [Cluster(sum(own), len(own)) for own in first.values() if own]
    return Orders(
        aspect=aspect,
        pairs=pairs,
        agreement=mean_with_interval([Cluster(sum(own), len(own)) for own in agreed.values()]),
        to_first=twice["first"],
        to_second=twice["second"],
        first=mean_with_interval(decided),
        p=sign_flip([Cluster(2 * total - size, size) for total, size in decided])
        if decided
        else None,
        single=len(comparisons) - 2 * pairs,
    )
