"""How far the debaters agree in the end, and whether they agree on what is right.

An unparsed answer agrees with none, not even another unparsed one. Of a network whose nodes debate
several times, the debaters of the last sweep count; of any other network, those of all nodes.
"""

from collections import Counter
from collections.abc import Iterable

from moot.core.events import Transcript
from moot.metrics.metric import metric
from moot.metrics.views import at_the_end, once, right, values

LAST = "arXiv:2311.17371, appendix A.3"


def largest(answers: Iterable[str | None], transcript: Transcript) -> int:
    """How many of the answers are the same: the most common value's count, 0 without one."""
    known = values(transcript)
    groups = Counter(known[answer] for answer in answers if answer is not None)
    return max(groups.values(), default=0)


@once
def agreed(transcript: Transcript) -> tuple[int, int, int]:
    """Of the debaters' last answers: the largest group, how many are parsed, how many there are."""
    last = [mind.last for mind in at_the_end(transcript)]
    return largest(last, transcript), sum(answer is not None for answer in last), len(last)


@metric(unit="share", range=(0, 1), source=f'{LAST}, "final round consensus"')
def consensus(transcript: Transcript) -> float | None:
    """The largest number of debaters with the same last answer, divided by the number of debaters.

    None where fewer than two debaters spoke.
    """
    most, _, minds = agreed(transcript)
    return most / minds if minds > 1 else None


@metric(unit="share", range=(0, 1), source=f'{LAST}, "final round correctly parsed consensus"')
def parsed_consensus(transcript: Transcript) -> float | None:
    """The largest number of debaters with the same last answer, divided by those with a parsed one.

    None where the last answers of fewer than two debaters are parsed.
    """
    most, parsed, _ = agreed(transcript)
    return most / parsed if parsed > 1 else None


@metric(unit="share", range=(0, 1), source="arXiv:2311.17371, figure 6")
def unanimous(transcript: Transcript) -> float | None:
    """1 when all debaters have the same last answer, else 0.

    None where fewer than two debaters spoke.
    """
    most, _, minds = agreed(transcript)
    return float(most == minds) if minds > 1 else None


@metric(unit="share", range=(0, 1), better="higher", source="arXiv:2311.17371, figure 7")
def consensus_accuracy(transcript: Transcript) -> float | None:
    """1 when the last answer of more than half of the debaters is right, 0 when it is wrong.

    None where no more than half agree, where fewer than two debaters spoke, and where no right
    answer is known.
    """
    known = right(transcript)
    most, _, minds = agreed(transcript)
    if known is None or minds < 2 or 2 * most <= minds:
        return None
    stood = values(transcript)
    last = [mind.last for mind in at_the_end(transcript) if mind.last is not None]
    [(common, _)] = Counter(stood[answer] for answer in last).most_common(1)
    return float(any(known[answer] for answer in last if stood[answer] == common))
