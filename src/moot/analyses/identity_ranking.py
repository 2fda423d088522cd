"""Three or more identities in one order, from whom judges favoured pair by pair."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from moot.analyses.described_tables import TableField, tabulate
from moot.analyses.measured_arms import group_by
from moot.analyses.seatings import (
    NOBODY,
    group_by_seating,
    pair_of,
    read_seating,
    seating_rest,
)
from moot.core.recorded_settings import OpeningSettings, read_settings
from moot.core.results import Mean
from moot.core.stored import Arm, DebateValues
from moot.core.table import ResultTable
from moot.statistics.strengths import Judgement, measure_strengths

FEWEST = 3
"""Identities that are worth an order; two are a pair."""


class IdentityRanking(NamedTuple):
    """Identities that were paired with one another, on one dataset.

    Attributes:
        strengths: of each identity, by the model of Bradley and Terry, the strongest first.
        verdicts: the share of verdicts for each, of all pairs it was in.
    """

    dataset: str
    opening: str
    protocol: str
    strengths: dict[str, Mean]
    verdicts: dict[str, Mean]


def rank_identities(rows: Iterable[DebateValues], arms: Sequence[Arm]) -> Iterator[IdentityRanking]:
    """Yield an order for each set of three or more identities that pairs link.

    Only pairs of arms that are alike in all but the identities and the seating stand in one order.
    A verdict for neither side counts half for each.

    Args:
        rows: one for each debate, failed ones included.
        arms: of the study.
    """
    by_arm = group_by(rows, lambda row: (row.dataset, row.arm))
    for dataset in dict.fromkeys(dataset for dataset, _ in by_arm):
        alike: dict[bytes, list[list[Arm]]] = {}
        for _, own in group_by_seating([arm for arm in arms if (dataset, arm.name) in by_arm]):
            if pair_of(own):
                alike.setdefault(seating_rest(own[0]), []).append(own)
        for groups in alike.values():
            judged = [
                each
                for own in groups
                for each in _read_verdicts(
                    own, {arm.name: by_arm[dataset, arm.name] for arm in own}
                )
            ]
            first = groups[0][0]
            for linked in _link(judged):
                strengths, _ = measure_strengths(each for each in judged if each[1] in linked)
                order = sorted(strengths.items(), key=lambda item: -(item[1].mean or 0.0))
                if order:
                    yield IdentityRanking(
                        dataset,
                        read_settings(first.settings, OpeningSettings).opening,
                        first.protocol,
                        dict(order),
                        {name: _count(name, judged) for name in strengths},
                    )


def tabulate_ranking(found: IdentityRanking) -> ResultTable:
    """Put the order of identities into a table."""
    note = (
        "Strength: of the model of Bradley and Terry; one with strength a is favoured over one "
        "with strength b with the chance 1 / (1 + exp(b - a)). 0 is the mean of all. Intervals: 95 "
        "%, of resampled questions."
    )
    return tabulate(
        f"{found.dataset}: {found.protocol}, {found.opening}: who is favoured",
        list(found.strengths),
        TableField("identity", value=str),
        TableField("strength", "signed", found.strengths.get, 2),
        TableField("verdicts %", "percent", lambda name: found.verdicts[name].mean),
        TableField("debates", "count", lambda name: found.verdicts[name].n),
        note=note,
    )


def _read_verdicts(
    arms: Sequence[Arm], rows: Mapping[str, Sequence[DebateValues]]
) -> Iterator[Judgement]:
    """Yield the verdicts on one pair of identities, question by question."""
    pair = pair_of(arms)
    assert pair is not None
    for arm in arms:
        seating = read_seating(arm, pair, rows[arm.name])
        for (question, _), value in seating.debates.items():
            affirmative = 0.5 if value is None else value
            yield (question, *pair, affirmative if seating.signs[pair] > 0 else 1 - affirmative)


def _link(judged: Sequence[Judgement]) -> Iterator[set[str]]:
    """Yield the sets of three or more identities that pairs link."""
    pairs = {(one, other) for _, one, other, _ in judged if NOBODY not in {one, other}}
    left = sorted({name for pair in pairs for name in pair})
    while left:
        linked, reached = {left[0]}, 0
        while reached != len(linked):
            reached = len(linked)
            linked |= {name for pair in pairs if linked & set(pair) for name in pair}
        if len(linked) >= FEWEST:
            yield linked
        left = [name for name in left if name not in linked]


def _count(name: str, judged: Sequence[Judgement]) -> Mean:
    """Return the share of verdicts for an identity, of all its pairs, without an interval."""
    own = [
        (question, worth if one == name else 1 - worth)
        for question, one, other, worth in judged
        if name in {one, other}
    ]
    asked = {question for question, _ in own}
    return Mean(mean=sum(worth for _, worth in own) / len(own), n=len(own), questions=len(asked))
