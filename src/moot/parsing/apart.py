"""Answers that take long to read: an event loop has them read in processes of their own."""

import sys
from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

import msgspec

from moot.core.errors import place_errors
from moot.core.questions import Kind, Question, QuestionDocument

P = ParamSpec("P")
T = TypeVar("T")

APART: frozenset[Kind] = frozenset({"math"})
"""Kinds whose answers may take long to read: an event loop has them read apart."""


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
