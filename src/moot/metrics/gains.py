"""What a debate adds to the first answer of one agent (figure 4 of arXiv:2311.17371)."""

from moot.core.events import Transcript
from moot.metrics.accuracy import accuracy, first_accuracy
from moot.metrics.debaters import find_debaters, find_right
from moot.metrics.metric import metric


@metric(range=(-1, 1), better="higher", source="arXiv:2311.17371, figure 4")
def gain_to_verdict(transcript: Transcript) -> float | None:
    """``accuracy - first-accuracy``: 1 if the debate corrects the first answer, -1 if it spoils it.

    The first answer is the first debater's, by seat; of a network, in its first node. A failed
    debate's verdict is not right. None if no right answer is known, or without a debater.
    """
    verdict, first = accuracy(transcript), first_accuracy(transcript)
    return None if verdict is None or first is None else verdict - first


@metric(range=(-1, 1), better="higher", source="arXiv:2311.17371, figure 4")
def gain_to_last(transcript: Transcript) -> float | None:
    """Whether the first debater's last answer is right minus whether its first is: 1, 0 or -1.

    0 if it spoke once. None if no right answer is known, or without a debater.
    """
    known, minds = find_right(transcript), find_debaters(transcript)
    if known is None or not minds:
        return None
    return float(known[minds[0].last_answer] - known[minds[0].first_answer])
