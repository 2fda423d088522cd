"""Whether a verdict that lists several answers lists all right ones and no other."""

from moot import Transcript, metric
from moot.contrib.documents.brackets import AnswerList
from moot.extend.protocols import answer_value


@metric(better="higher", source="arXiv:2504.13079")
def listed_answers(transcript: Transcript) -> float | None:
    """1 when the answers that a verdict lists are the question's right ones, all and no other.

    None without a list, and where no right answer is known.
    """
    question = transcript.question
    turn = transcript.deciding
    if turn is None or not isinstance(turn.reading, AnswerList) or not question.answers:
        return None
    listed = {answer_value(each, question.kind) for each in turn.reading.answers}
    return float(listed == {answer_value(each, question.kind) for each in question.answers})
