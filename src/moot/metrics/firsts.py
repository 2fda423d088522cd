"""The debaters' first answers, given before they heard each other.

Of a network whose nodes debate several times, the debaters of the first sweep count; of any other
network, those of all nodes.
"""

from collections.abc import Hashable

from moot.core.events import Transcript
from moot.metrics.debaters import find_first_debaters, keep_last, map_values, measure_from
from moot.metrics.metric import metric

FirstCounts = tuple[int, dict[Hashable, int]]  # debaters, and how many gave each value


@keep_last
def count_firsts(transcript: Transcript) -> FirstCounts:
    """Return the number of debaters, and how often each value was a first answer, if parsed."""
    known, minds = map_values(transcript), find_first_debaters(transcript)
    groups: dict[Hashable, int] = {}
    for mind in minds:
        if (value := known[mind.first_answer]) is not None:
            groups[value] = groups.get(value, 0) + 1
    return len(minds), groups


@metric(
    unit="answers", range=(1, None), source='arXiv:2311.17371, appendix A.3, "unique first answers"'
)
@measure_from(count_firsts)
def unique_first_answers(firsts: FirstCounts) -> float | None:
    """The number of different first answers of debaters; all unparsed ones together are one.

    None without a debater.
    """
    minds, groups = firsts
    return float(len(groups) + (sum(groups.values()) < minds)) if minds else None


@metric(
    unit="answers", source='arXiv:2311.17371, appendix A.3, "unique first correctly parsed answers"'
)
@measure_from(count_firsts)
def unique_parsed_first_answers(firsts: FirstCounts) -> float | None:
    """The number of different first answers of debaters, unparsed ones left out.

    None without a debater.
    """
    minds, groups = firsts
    return float(len(groups)) if minds else None


@metric(source="arXiv:2311.17371, figure 7, as a share")
@measure_from(count_firsts)
def first_diversity(firsts: FirstCounts) -> float | None:
    """Of all pairs of debaters with a parsed first answer, the share whose first answers differ.

    0 when all are the same, 1 when no two are. None if fewer than two first answers are parsed.
    """
    _, groups = firsts
    parsed = sum(groups.values())
    if parsed < 2:
        return None
    same = sum(count * (count - 1) for count in groups.values())
    return 1 - same / (parsed * (parsed - 1))


@metric(source="arXiv:2311.17371, figure 5")
@measure_from(count_firsts)
def first_consensus(firsts: FirstCounts) -> float | None:
    """The largest number of debaters with the same first answer, divided by that of debaters.

    An unparsed answer agrees with none. None if fewer than two debaters spoke.
    """
    minds, groups = firsts
    return max(groups.values(), default=0) / minds if minds > 1 else None
