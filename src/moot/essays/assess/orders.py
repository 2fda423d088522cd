"""Whether it matters which essay a judge is shown first, and what is left if it does.

Each pair of essays is judged in both orders, so that a judge who favours a place favours no arm.
Source: Zheng et al. 2023, section 3.3, on models that favour what they read first.
"""

from collections import defaultdict
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from moot.core.results import Mean
from moot.essays.assess.preference import Comparison, Winner, aspects_of
from moot.statistics.accuracies import with_interval
from moot.statistics.intervals import Cluster
from moot.statistics.paired import sign_flip

_Pair = tuple[str, str, int, frozenset[str]]


def _pair(each: Comparison) -> _Pair:
    arms = frozenset((each.first_arm, each.second_arm))
    return each.aspect, each.question, each.replicate, arms


def both_read(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons, those whose other order was not read as not read, too.

    One order alone would count for whoever stood in the place that the judge favours.
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


def orders(comparisons: Sequence[Comparison]) -> list[Orders]:
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
        agreement=with_interval([Cluster(sum(own), len(own)) for own in agreed.values()]),
        to_first=twice["first"],
        to_second=twice["second"],
        first=with_interval(decided),
        p=sign_flip([Cluster(2 * total - size, size) for total, size in decided])
        if decided
        else None,
        single=len(comparisons) - 2 * pairs,
    )
