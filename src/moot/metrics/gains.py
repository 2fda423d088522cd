"""What a debate adds to the first answer of one agent (figure 4 of arXiv:2311.17371)."""

from moot.metrics.accuracy import AnswerOutcome, find_outcome
from moot.metrics.debaters import measure_from
from moot.metrics.metric import metric


@metric(range=(-1, 1), better="higher", source="arXiv:2311.17371, figure 4")
@measure_from(find_outcome)
def gain_to_verdict(outcome: AnswerOutcome) -> float | None:
    """``accuracy - first-accuracy``: 1 if the debate corrects the first answer, -1 if it spoils it.

    The first answer is the first debater's, by seat; of a network, in its first node. A failed
    debate's verdict is not right. None if no right answer is known, or without a debater.
    """
    return None if outcome.first is None else float(outcome.verdict - outcome.first)


@metric(range=(-1, 1), better="higher", source="arXiv:2311.17371, figure 4")
@measure_from(find_outcome)
def gain_to_last(outcome: AnswerOutcome) -> float | None:
    """Whether the first debater's last answer is right minus whether its first is: 1, 0 or -1.

    0 if it spoke once. None if no right answer is known, or without a debater.
    """
    if outcome.first is None or outcome.last is None:
        return None
    return float(outcome.last - outcome.first)
