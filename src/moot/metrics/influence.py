"""What others do to a debater: they help it to the right answer, or talk it out of that.

They are shares of the debaters that spoke at least twice, and None without one; what ends in
``of-all`` is a share of all debaters, as in the paper, and 0 where each spoke once. All are None if
no right answer is known. The debaters of a network are those of all nodes and sweeps; agents of
another node or sweep are not among a debater's others.
"""

from moot.core.events import Transcript, Turn
from moot.metrics.debaters import find_debaters, find_right, map_values, turns
from moot.metrics.flips import find_flips
from moot.metrics.metric import metric

AGENT = "arXiv:2311.17371, appendix A.4"
WENT_ON = ", where debates went on"


@metric(better="higher", source=f'{AGENT}, "relied on other"{WENT_ON}')
def measure_relied_on_other(transcript: Transcript) -> float | None:
    """Of the debaters that spoke twice, the share that took the right answer over from another.

    Such a debater's first answer is not right, its last is, and that answer was given by another
    agent of the debate, a judge too, in a round before the debater's last.
    """
    known, found = find_right(transcript), find_flips(transcript)
    if known is None or found is None:
        return None
    if (False, True) not in found:
        return 0.0
    last = [
        mind.turns[-1]
        for mind in find_debaters(transcript)
        if known[mind.last_answer] and not known[mind.first_answer]
    ]
    return sum(_was_given(turn, transcript) for turn in last) / len(found)


def _was_given(last: Turn, transcript: Transcript) -> bool:
    """Return whether another agent gave the same answer in an earlier round."""
    known = map_values(transcript)
    stood = known[last.answer]
    for turn in turns(transcript):
        before = turn.round < last.round and turn.seat != last.seat and turn.node == last.node
        if before and known[turn.answer] == stood:
            return True
    return False


@metric(better="lower", source=f'{AGENT}, "bullied by other"{WENT_ON}')
def measure_bullied_by_other(transcript: Transcript) -> float | None:
    """Of the debaters that spoke twice, the share first right and in the end at a wrong answer.

    An unparsed last answer is no answer to have been talked into, and does not count.
    """
    known, found = find_right(transcript), find_flips(transcript)
    if known is None or found is None:
        return None
    if (True, False) not in found:
        return 0.0
    minds = find_debaters(transcript)
    return sum(
        known[mind.first_answer] and mind.last_answer is not None and not known[mind.last_answer]
        for mind in minds
    ) / len(found)


@metric(better="higher", source=f'{AGENT}, "relied on other"')
def relied_on_other_of_all(transcript: Transcript) -> float | None:
    """Of all debaters, the share that took the right answer over from another."""
    return _share_of_all(measure_relied_on_other.function(transcript), transcript)


@metric(better="lower", source=f'{AGENT}, "bullied by other"')
def bullied_by_other_of_all(transcript: Transcript) -> float | None:
    """Of all debaters, the share first right and in the end at a wrong answer."""
    return _share_of_all(measure_bullied_by_other.function(transcript), transcript)


def _share_of_all(share: float | None, transcript: Transcript) -> float | None:
    """Return a share of debaters that spoke twice as one of all; None without a right answer."""
    minds = find_debaters(transcript)
    if find_right(transcript) is None or not minds:
        return None
    twice = sum(len(mind.turns) > 1 for mind in minds)
    return (share or 0.0) * twice / len(minds)
