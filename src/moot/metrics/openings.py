"""Whether a verdict is a value that the first agent was asked about."""

from moot.core.events import Transcript
from moot.metrics.metric import metric
from moot.parsing.same import is_same


@metric(source="Prejudice and Fidelity, section 4.1")
def opening_followed(transcript: Transcript) -> float | None:
    """1 when the verdict equals a value of which the first agent was asked whether it is right.

    A failed debate and a verdict without an answer equal none. None if the debate was opened
    without a value. Verdicts that equal the value without being asked for it are included:
    ``moot analyse prejudice`` compares with them.
    """
    values, verdict = transcript.opened.opening, transcript.verdict
    if not values:
        return None
    answer = None if verdict is None else verdict.answer
    return float(any(is_same(answer, value, transcript.question.kind) for value in values))
