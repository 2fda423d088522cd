"""Kinds of answers: each is read in a room of its own."""

from collections.abc import Callable

from moot.core.questions import Kind, Question
from moot.parsing import boolean, choice, number, square
from moot.parsing.statements import NOUNS

NOUNS_OF: dict[Kind, tuple[str, ...]] = {
    "choice": choice.NOUNS,
    "boolean": NOUNS,
    "number": number.NOUNS,
    "square": square.NOUNS,
    "math": NOUNS,
    "text": NOUNS,
}
"""Nouns that mark an answer of each kind."""

Conclusion = Callable[[str, Question, str], str | None]
CONCLUSIONS: dict[Kind, Conclusion] = {
    "choice": choice.read_conclusion,
    "boolean": boolean.read_conclusion,
    "number": number.read_conclusion,
    "square": square.read_conclusion,
}
"""From a last sentence, the question and the whole reply to the answer that the sentence draws."""


def read(phrase: str, question: Question) -> str | None:
    """Return the answer that a phrase begins with or has, in canonical form; None without one.

    Args:
        phrase: what follows "the answer is" or the like, made plain by ``moot.parsing.plain_text``.
        question: whose kind and options say what to look for.
    """
    if question.kind == "choice":
        return choice.read(phrase, question)
    return _READ[question.kind](phrase)


def read_whole(phrase: str, question: Question) -> str | None:
    """Return the answer that a phrase is, as a box holds it.

    Returns:
        ``NO_VALUE`` for what is a value of another form, such as a root or a range where a number
        is asked for; None for words that are no value at all.
    """
    if question.kind == "number":
        return number.read_whole(phrase)
    return read(phrase, question)


def is_several(phrase: str, question: Question) -> bool:
    """Return whether a phrase after a marker states more than one value, or one of another form."""
    if question.kind == "choice":
        return choice.names_several(phrase, question)
    return question.kind == "number" and number.goes_on(phrase)


def read_end(phrase: str, question: Question) -> str | None:
    """Return the answer that a phrase ends with; None without one."""
    phrase = phrase.removesuffix(" which").rstrip(" ,\"'")
    if question.kind == "choice":
        return choice.read_end(phrase, question)
    return _READ_END[question.kind](phrase)


def _read_math(phrase: str) -> str | None:
    from moot.parsing.mathematics.answers import read_phrase

    return read_phrase(phrase)


def _read_text(phrase: str) -> str | None:
    return phrase.strip() or None


_READ: dict[Kind, Callable[[str], str | None]] = {
    "boolean": boolean.read,
    "number": number.read,
    "square": square.read,
    "math": _read_math,
    "text": _read_text,
}
_READ_END: dict[Kind, Callable[[str], str | None]] = {
    "boolean": boolean.read_end,
    "number": number.read_end,
    "square": square.read_end,
    "math": _read_math,
}
