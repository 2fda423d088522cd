"""Questions, as every dataset yields them and every protocol receives them."""

from typing import Literal

import msgspec

Kind = Literal["choice", "boolean", "number", "square", "text"]
"""What an answer looks like: a letter, true/false, a number, a chess square, or free text."""

KINDS: tuple[Kind, ...] = ("choice", "boolean", "number", "square", "text")


class Question(msgspec.Struct, frozen=True, kw_only=True, rename={"text": "question"}):
    """One question with, where it is known, what answers it.

    Attributes:
        id: unique within its dataset; sampling and shuffling are seeded by it.
        kind: what an answer looks like.
        text: the question itself (the key ``question`` in JSON).
        context: a passage to read before the question, if there is one.
        choices: the option texts in the order shown; only for ``choice``. The first is letter A.
        answer: what is right, in canonical form (see ``moot.answers``): a letter for ``choice``,
            ``"true"`` or ``"false"`` for ``boolean``, a plain decimal or fraction for ``number``,
            a square such as ``"e5"``, or free text. A tuple where several are right; None where
            nobody knows.
    """

    id: str
    kind: Kind
    text: str
    context: str | None = None
    choices: tuple[str, ...] = ()
    answer: str | tuple[str, ...] | None = None

    @property
    def answers(self) -> tuple[str, ...]:
        """Every right answer; empty where none is known."""
        if self.answer is None:
            return ()
        return (self.answer,) if isinstance(self.answer, str) else self.answer

    @property
    def letters(self) -> str:
        """The letters of the choices, e.g. ``"ABCD"``; empty where there are no choices."""
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(self.choices)]


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its answer, shown to a model before the question it is asked.

    Attributes:
        question: never without an answer; of several right ones the first is shown.
        reason: how one gets from the question to that answer, in words; empty where nobody says.
    """

    question: Question
    reason: str = ""
