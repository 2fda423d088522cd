"""What others do to a debater: they help it to the right answer, or talk it out of that.

Both are shares of the debaters that spoke at least twice, and None without one, or if no right
answer is known. The debaters of a network are those of all nodes and sweeps; agents of another node
or sweep are not among a debater's others.
"""

from moot.core.events import Transcript, Turn
from moot.metrics.debaters import find_debaters, find_right, map_values, turns
from moot.metrics.flips import find_flips
from moot.metrics.metric import metric


@metric(better="higher", source='arXiv:2311.17371, appendix A.4, "relied on other"')
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


@metric(better="lower", source='arXiv:2311.17371, appendix A.4, "bullied by other"')
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
