"""Kinds of answers: each is read in a room of its own."""

import sys
from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

import msgspec

from moot.core.errors import place_errors
from moot.core.questions import Kind, Question, QuestionDocument
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

P = ParamSpec("P")
T = TypeVar("T")

APART: frozenset[Kind] = frozenset({"math"})
"""Kinds whose answers may take long to read: an event loop has them read apart."""

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


def check_kinds(kinds: Collection[Kind], *, where: str) -> None:
    """Raise ``InputError`` where a library is not installed that reads answers of these kinds.

    Args:
        kinds: of questions.
        where: names their place in errors.
    """
    if APART.isdisjoint(kinds):
        return
    from moot.parsing.mathematics.process import require_installed

    with place_errors(where):
        require_installed()


def close_apart() -> None:
    """End the processes that read answers; they start again when they are needed."""
    if (used := sys.modules.get("moot.parsing.mathematics.process")) is not None:
        used.forms.close()


async def call_apart(kind: Kind, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that reads answers of a kind; the event loop goes on where it takes long."""
    if kind not in APART:
        return function(*args, **kwargs)
    from moot.parsing.mathematics.process import run_apart

    return await run_apart(function, *args, **kwargs)


async def settle_question(question: Question) -> Question:
    """Return a question with its right answers in canonical form, as replies are read.

    Datasets give answers as they stand in their rows, where a canonical form takes long to find.

    Raises:
        InputError: an answer cannot be read, or what reads it is not installed.
    """
    if question.kind not in APART:
        return question
    right = await settle_answers(question.answers, question)
    tempting = await settle_answers(question.tempting_answers, question)
    return msgspec.structs.replace(
        question,
        answer=right if isinstance(question.answer, tuple) else next(iter(right), None),
        tempting=tempting or question.tempting,
        documents=question.documents
        and tuple([await _settle_document(each, question) for each in question.documents]),
    )


async def _settle_document(document: QuestionDocument, question: Question) -> QuestionDocument:
    said = await settle_answers((document.answer,) if document.answer else (), question)
    return msgspec.structs.replace(document, answer=next(iter(said), None))


async def settle_answers(answers: tuple[str, ...], question: Question) -> tuple[str, ...]:
    """Return answers to a question in canonical form; raises as ``settle_question`` does."""
    if question.kind not in APART:
        return answers
    return await call_apart(question.kind, _settle, answers, question)


def _settle(answers: tuple[str, ...], question: Question) -> tuple[str, ...]:
    from moot.parsing.mathematics.answers import settle

    return tuple(settle(each, where=f"question {question.id!r}") for each in answers)
