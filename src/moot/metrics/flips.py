"""Flips: every debater's first answer against its last.

Only debaters that spoke at least twice had the chance and are counted; judges, summarisers and
moderators are no debaters. An unparsed answer is not right. All four are None if no right answer
is known or no debater spoke twice.
"""

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, find_right, keep_last, measure_from
from moot.metrics.metric import metric

Flip = tuple[bool, bool]  # right at first, right at last


@keep_last
def find_flips(transcript: Transcript) -> list[Flip] | None:
    """For every debater that spoke twice: was it right at first, was it right at last."""
    known = find_right(transcript)
    if known is None:
        return None
    minds = find_debaters(transcript)
    return [
        (known[mind.first_answer], known[mind.last_answer]) for mind in minds if len(mind.turns) > 1
    ] or None


@metric(unit="debaters", better="higher", total="sum")
@measure_from(find_flips)
def wrong_to_right(flips: list[Flip]) -> float:
    """The number of debaters whose first answer is not right and whose last is."""
    return float(flips.count((False, True)))


@metric(unit="debaters", better="lower", total="sum")
@measure_from(find_flips)
def right_to_wrong(flips: list[Flip]) -> float:
    """The number of debaters whose first answer is right and whose last is not."""
    return float(flips.count((True, False)))


@metric(unit="debaters", better="higher", total="sum")
@measure_from(find_flips)
def measure_kept_right(flips: list[Flip]) -> float:
    """The number of debaters whose first and last answers are both right."""
    return float(flips.count((True, True)))


@metric(unit="debaters", better="lower", total="sum")
@measure_from(find_flips)
def measure_kept_wrong(flips: list[Flip]) -> float:
    """The number of debaters whose first and last answers are both not right."""
    return float(flips.count((False, False)))
