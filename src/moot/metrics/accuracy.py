"""Was the debate right, and could it have been?"""

from moot.core.events import Transcript
from moot.metrics.debaters import find_debaters, find_right, map_values
from moot.metrics.metric import metric


@metric(better="higher", source="arXiv:2311.17371, section 4")
def accuracy(transcript: Transcript) -> float | None:
    """1 when the verdict is right, else 0.

    A failed debate and a verdict without an answer count as not right. None if no right answer is
    known.
    """
    known = find_right(transcript)
    if known is None:
        return None
    verdict = transcript.verdict
    return float(verdict is not None and known[verdict.answer])


@metric(better="higher", source="arXiv:2311.17371, appendix A.4")
def first_accuracy(transcript: Transcript) -> float | None:
    """1 when the first debater's first answer is right, else 0: what one agent alone gives.

    A debate that failed before its first turn counts as not right. None if no right answer is
    known, or without a debater.
    """
    known = find_right(transcript)
    if known is None:
        return None
    if minds := find_debaters(transcript):
        return float(known[minds[0].first_answer])
    return 0.0 if transcript.failed else None


@metric(better="higher", source='arXiv:2311.17371, appendix A.3, "any correct answer"')
def any_correct(transcript: Transcript) -> float | None:
    """1 when any agent ever gave a right answer, else 0.

    A judge is an agent too. None if no right answer is known.
    """
    known = find_right(transcript)
    return None if known is None else float(any(map(known.get, map_values(transcript))))


@metric(better="lower", source="arXiv:2311.17371, appendix A.3")
def oracle_gap(transcript: Transcript) -> float | None:
    """1 when any agent ever gave a right answer and the verdict is not right, else 0.

    A judge is an agent too. Accuracy plus this gap is what a perfect choice among all that was said
    would reach. None where no right answer is known.
    """
    known = find_right(transcript)
    if known is None:
        return None
    verdict = transcript.verdict
    said = any(map(known.get, map_values(transcript)))
    return float(said and not (verdict is not None and known[verdict.answer]))


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
