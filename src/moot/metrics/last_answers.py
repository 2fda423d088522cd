"""How far the debaters agree in the end, and whether they agree on what is right.

An unparsed answer agrees with none, not even another unparsed one. Of a network whose nodes debate
several times, the debaters of the last sweep count; of any other network, those of all nodes.
"""

from collections.abc import Hashable
from typing import NamedTuple

from moot.core.events import Transcript
from moot.metrics.debaters import (
    find_last_debaters,
    find_right,
    keep_last,
    map_values,
    measure_from,
)
from moot.metrics.metric import metric

LAST = "arXiv:2311.17371, appendix A.3"


class LastAnswers(NamedTuple):
    """The debaters' last answers, counted.

    Attributes:
        most: the count of the most common value; 0 without one.
        parsed: how many are parsed.
        minds: how many debaters there are.
        common: the most common value; of several the first.
    """

    most: int
    parsed: int
    minds: int
    common: Hashable


@keep_last
def count_last(transcript: Transcript) -> LastAnswers:
    """Count the debaters' last answers."""
    known, minds = map_values(transcript), find_last_debaters(transcript)
    groups: dict[Hashable, int] = {}
    for mind in minds:
        if mind.last_answer is not None:
            stood = known[mind.last_answer]
            groups[stood] = groups.get(stood, 0) + 1
    most = max(groups.values(), default=0)
    common = next((value for value, count in groups.items() if count == most), None)
    return LastAnswers(most, sum(groups.values()), len(minds), common)


@metric(source=f'{LAST}, "final round consensus"')
@measure_from(count_last)
def consensus(last: LastAnswers) -> float | None:
    """The largest number of debaters with the same last answer, divided by the number of debaters.

    None if fewer than two debaters spoke.
    """
    return last.most / last.minds if last.minds > 1 else None


@metric(source=f'{LAST}, "final round correctly parsed consensus"')
@measure_from(count_last)
def measure_parsed_consensus(last: LastAnswers) -> float | None:
    """The largest number of debaters with the same last answer, divided by those with a parsed one.

    None if fewer than two last answers are parsed.
    """
    return last.most / last.parsed if last.parsed > 1 else None


@metric(source="arXiv:2311.17371, figure 6")
@measure_from(count_last)
def unanimous(last: LastAnswers) -> float | None:
    """1 when all debaters have the same last answer, else 0.

    None if fewer than two debaters spoke.
    """
    return float(last.most == last.minds) if last.minds > 1 else None


@metric(better="higher", source="arXiv:2311.17371, figure 7")
def consensus_accuracy(transcript: Transcript) -> float | None:
    """1 when the last answer of more than half of the debaters is right, 0 when it is wrong.

    None if no more than half agree, if fewer than two debaters spoke, or if no right answer is
    known.
    """
    known, last = find_right(transcript), count_last(transcript)
    if known is None or last.minds < 2 or 2 * last.most <= last.minds:
        return None
    stood = map_values(transcript)
    minds = find_last_debaters(transcript)
    return float(
        any(known[mind.last_answer] for mind in minds if stood[mind.last_answer] == last.common)
    )
