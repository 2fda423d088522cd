"""The debate round by round: values that stand beside those of the registered metrics.

They are no metrics: how many there are depends on the number of rounds. ``round:2`` is the share of
debaters right in round 2; ``wrong-to-right:2``, ``right-to-wrong:2``, ``kept-right:2`` and
``kept-wrong:2`` are the flip matrix from the round before in which a debater spoke to round 2.
"""

from collections import defaultdict

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, find_right, keep_last

Course = dict[int, bool]  # by round: whether a debater was right
ROUND = "round:"
FLIPS = {
    (False, True): "wrong-to-right",
    (True, False): "right-to-wrong",
    (True, True): "kept-right",
    (False, False): "kept-wrong",
}


@keep_last
def find_courses(transcript: Transcript) -> list[Course] | None:
    """For every debater, by round: was it right. None where no right answer is known.

    Of several turns in one round the last counts.
    """
    known = find_right(transcript)
    if known is None:
        return None
    minds = find_debaters(transcript)
    return [{turn.round: known[turn.answer] for turn in mind.turns} for mind in minds]


def measure_rounds(transcript: Transcript) -> dict[str, float | None]:
    """Return the share of right debaters in each round, and the number of each flip into it.

    The keys are ``round:2`` for a share, from 0 to 1, and ``wrong-to-right:2`` and so on for flips.

    Only debaters that spoke in a round are counted in it. An unparsed answer is not right. The
    rounds of a network are those of its nodes, each counted from 1. Empty where no right answer is
    known.
    """
    said: dict[int, list[bool]] = defaultdict(list)
    flips: dict[int, list[str]] = defaultdict(list)
    for course in find_courses(transcript) or ():
        before = None
        for number, correct in course.items():
            said[number].append(correct)
            if before is not None:
                flips[number].append(FLIPS[before, correct])
            before = correct
    shares = {f"{ROUND}{number}": sum(each) / len(each) for number, each in sorted(said.items())}
    counts = {
        f"{name}:{number}": float(flips[number].count(name))
        for number in sorted(flips)
        for name in FLIPS.values()
    }
    return {**shares, **counts}
