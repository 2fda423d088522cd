"""Was the debate right, and could it have been?"""

from typing import NamedTuple

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, find_right, keep_last, map_values, measure_from
from moot.metrics.metric import metric


class AnswerOutcome(NamedTuple):
    """Who was right in a debate of which a right answer is known.

    Attributes:
        verdict: whether the verdict is right; False for a failed debate or no answer.
        first: whether the first debater's first answer is right; None without a debater, but False
            where the debate failed before its first turn.
        last: the same of its last answer; None without a debater.
        any: whether any agent ever gave a right answer.
    """

    verdict: bool
    first: bool | None
    last: bool | None
    any: bool


@keep_last
def find_outcome(transcript: Transcript) -> AnswerOutcome | None:
    """Return who was right; None if no right answer is known."""
    known = find_right(transcript)
    if known is None:
        return None
    verdict = transcript.verdict
    right = verdict is not None and known[verdict.answer]
    said = any(map(known.get, map_values(transcript)))
    if minds := find_debaters(transcript):
        mind = minds[0]
        return AnswerOutcome(right, known[mind.first_answer], known[mind.last_answer], said)
    return AnswerOutcome(right, False if transcript.failed else None, None, said)


@metric(better="higher", source="arXiv:2311.17371, section 4")
@measure_from(find_outcome)
def accuracy(outcome: AnswerOutcome) -> float:
    """1 when the verdict is right, else 0.

    A failed debate and a verdict without an answer count as not right. None if no right answer is
    known.
    """
    return float(outcome.verdict)


@metric(better="higher", source="arXiv:2311.17371, appendix A.4")
@measure_from(find_outcome)
def first_accuracy(outcome: AnswerOutcome) -> float | None:
    """1 when the first debater's first answer is right, else 0: what one agent alone gives.

    A debate that failed before its first turn counts as not right. None if no right answer is
    known, or without a debater.
    """
    return None if outcome.first is None else float(outcome.first)


@metric(better="higher", source='arXiv:2311.17371, appendix A.3, "any correct answer"')
@measure_from(find_outcome)
def any_correct(outcome: AnswerOutcome) -> float:
    """1 when any agent ever gave a right answer, else 0.

    A judge is an agent too. None if no right answer is known.
    """
    return float(outcome.any)


@metric(better="lower", source="arXiv:2311.17371, appendix A.3")
@measure_from(find_outcome)
def oracle_gap(outcome: AnswerOutcome) -> float:
    """1 when any agent ever gave a right answer and the verdict is not right, else 0.

    A judge is an agent too. Accuracy plus this gap is what a perfect choice among all that was said
    would reach. None where no right answer is known.
    """
    return float(outcome.any and not outcome.verdict)


@metric(better="lower", source="arXiv:2311.17371, appendix A.4")
def measure_unparsed(transcript: Transcript) -> float | None:
    """1 when there is a verdict and it commits to no answer, else 0.

    A failed debate has no verdict and gives 0, so that right, wrong, unparsed and failed add up.
    """
    verdict = transcript.verdict
    return float(verdict is not None and verdict.answer is None)


@metric(better="lower")
def measure_failed(transcript: Transcript) -> float | None:
    """1 when the debate ended without a verdict, else 0."""
    return float(transcript.failed is not None)
