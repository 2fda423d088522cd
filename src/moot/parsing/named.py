"""Answers by the name of the agent who gave them."""

from moot.core.questions import Question
from moot.parsing.parser import HeardAnswers


def read_name(
    words: str, question: Question, heard: HeardAnswers, *, bare: bool = True
) -> str | None:
    """Return the answer of the one agent that the words name, and nothing else; None without one.

    Args:
        words: the words in an answer's place, such as "the negative side's" or "C4 is right".
        question: what was asked.
        heard: as in ``extract``.
        bare: True if a name alone means its answer; False if its answer has to be named, as in
            "Agent 2's answer".
    """
    if not heard:
        return None
    from moot.parsing.adoption import read_name_of  # of those who read others alone

    return read_name_of(words, question, heard, bare=bare)
