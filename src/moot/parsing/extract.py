"""From a reply to its answer: what the reply commits to, or None when it commits to nothing."""

import re

from moot.core.options import first_alike
from moot.core.questions import Question
from moot.parsing.parser import HeardAnswers, Parsed, parser


def extract(
    text: str,
    question: Question,
    finished: bool = True,
    heard: HeardAnswers = None,
) -> str | None:
    """Return the answer that a reply commits to, in canonical form; None if it commits to none.

    Args:
        text: the reply.
        question: what was asked: its kind, and for ``choice`` its choices.
        finished: False when the reply was cut off for length: then only what it had committed to
            before counts.
        heard: what the others answered, by the name under which the agent read them, e.g.
            ``{"Agent 2": "B", "Critic": None}``; lets "Agent 2 is right", "I agree with Agent 2"
            and "the best answer is Agent 2's" adopt that answer.

    Returns:
        A letter for ``choice``, ``"true"`` or ``"false"`` for ``boolean``, a decimal or fraction
        such as ``"-0.5"`` or ``"3/4"`` for ``number``, such as ``"e5"`` for ``square``, LaTeX for
        ``math``, the stated words for ``text``.
    """
    value = None
    if finished and question.kind in _OUTRIGHT:  # a reply may be that line alone
        value = _read_outright(f"\n{text}", question)
    if value is None:
        from moot.parsing.own_words import read_own_words  # a reply in the asked form needs none

        value = read_own_words(text, question, heard, finished=finished)
    if value and question.kind == "choice":  # options of the same words are one answer
        return first_alike(value, question.choices)
    return value


def states_answer(line: str, question: Question) -> bool:
    """Return whether a line commits to an answer by itself; no expression is worked out for it."""
    if question.kind == "math":
        from moot.parsing.mathematics.answers import is_marked

        return is_marked(line)
    return extract(line, question) is not None


@parser()
def parse_answer(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read the answer that a reply commits to."""
    return Parsed(extract(text, question, finished, heard))


@parser()
def parse_reply(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read a reply that is sent on as it is: to an open question the whole of it is the answer."""
    if question.kind == "text":
        return Parsed(text.strip() or None)  # cut off or not: nothing else can be sent
    return parse_answer(text, question, finished, heard)


@parser()
def parse_text(text: str, question: Question, finished: bool, heard: HeardAnswers) -> Parsed:
    """Read no answer: the reply is only a text for others."""
    return Parsed(None)


_CLOSING = "Final answer: "
_BEGINNINGS = "\n", ". ", "! ", "? "
"""What stands before the closing words where they begin a line or a sentence."""
_SURE = re.compile(r"\nConfidence: \d{1,3}%\n\Z")
"""A line of its own that says nothing of the answer, as simulated agents have it."""
_OUTRIGHT = {
    "number": re.compile(r"-?[1-9]\d{0,14}|0"),
    "boolean": re.compile(r"true|false"),
    "square": re.compile(r"[a-h][1-8]"),
    "choice": re.compile(r"[A-Z]"),
}


_FURTHER = ("final", ":", "#", "_", "<", "[", "\\boxed", "question")
"""What may state another answer; the last one may begin a question that the model has invented."""


def _read_outright(text: str, question: Question) -> str | None:
    """Return the answer of a reply in the asked form: reasons, then at the end the final answer.

    It is a line of its own, or the last sentence. Only another final answer outranks it. So the
    levels below give the same answer, at twenty times the cost. A confidence may stand before it.

    Returns:
        None if the reply is not of this form.
    """
    reasons, _, value = text.rpartition(_CLOSING)
    value = value.rstrip()
    if not reasons.endswith(_BEGINNINGS) or not _OUTRIGHT[question.kind].fullmatch(value):
        return None
    if question.kind == "choice" and value not in question.letters:
        return None
    low = (_SURE.sub("", reasons) if reasons.endswith("%\n") else reasons).lower()
    for sign in _FURTHER:
        if sign in low:
            return None
    return value
