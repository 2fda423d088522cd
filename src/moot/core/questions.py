"""Questions, as datasets yield them and protocols receive them."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from moot.core.messages import ClientTools, Message

Kind = Literal["choice", "boolean", "number", "square", "math", "text"]
"""The form of an answer: a letter, true or false, a number, a chess square, mathematics, or free
text."""

WITHHELD = "(withheld)"
"""Replaces the texts of a secret question."""

QUOTED = 24
"""Characters in a row that make a quotation of a secret text."""

KINDS: tuple[Kind, ...] = ("choice", "boolean", "number", "square", "math", "text")

OPEN: frozenset[Kind] = frozenset({"math", "text"})
"""The kinds of which a right answer may tell the question, and that have no list of wrong ones."""


class ToolUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an agent that answers alone is sent of a client's tools.

    Attributes:
        tools: the tools; None where the client declares none any more.
        following: the messages after the question: calls of tools, and what these gave.
    """

    tools: ClientTools | None = None
    following: tuple[Message, ...] = ()

    @classmethod
    def of(
        cls,
        tools: Sequence[dict[str, Any]],
        choice: Any,  # noqa: ANN401 -- JSON
        parallel: bool | None,  # noqa: FBT001 -- as the client states it
        following: tuple[Message, ...],
    ) -> "ToolUse":
        """Return the use of tools that a client declares; see ``ClientTools``."""
        return cls(ClientTools(tuple(tools), choice, parallel), following)


class QuestionDocument(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document that belongs to a question.

    Attributes:
        text: its words.
        source: where it comes from, as agents see it.
        answer: what it says the answer is, in canonical form; None where that is unknown, or it
            says none. No agent is told: simulated ones know what they have read by it.
    """

    text: str
    source: str
    answer: str | None = None


class Question(msgspec.Struct, frozen=True, kw_only=True, rename={"text": "question"}):
    """One question, with its right answer if that is known.

    Attributes:
        id: unique within its dataset; sampling and shuffling are seeded by it.
        kind: the form of its answer.
        text: the question itself (the key ``question`` in JSON).
        context: a passage to read before the question; None without one.
        choices: the option texts in the order shown; only for ``choice``. The first is letter A.
        answer: what is right, in canonical form (see ``moot.parsing``): a letter for ``choice``,
            ``"true"`` or ``"false"`` for ``boolean``, a plain decimal or fraction for ``number``,
            a square such as ``"e5"``, LaTeX for ``math``, or free text. A tuple if several are
            right; None if no right answer is known.
        history: the conversation before the question, in order, system messages included; unset
            without one. Agents are sent it as it is.
        tempting: wrong answers that are easily taken for right, in canonical form; unset if the
            dataset has none.
        secret: True if its authors ask that it is not shown; unset for all others. It is asked, but
            neither stored nor printed: ``shown`` is.
        tool_use: the client's tools; unset without any. For a protocol of one agent alone.
        documents: those of the question itself, which agents read where their setting ``evidence``
            is ``"question"``; unset without any.
    """

    id: str
    kind: Kind
    text: str
    context: str | None = None
    choices: tuple[str, ...] = ()
    answer: str | tuple[str, ...] | None = None
    history: tuple[Message, ...] | msgspec.UnsetType = msgspec.UNSET
    tempting: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    secret: bool | msgspec.UnsetType = msgspec.UNSET
    tool_use: ToolUse | msgspec.UnsetType = msgspec.UNSET
    documents: tuple[QuestionDocument, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def earlier_messages(self) -> tuple[Message, ...]:
        """The messages of the conversation before the question; empty without one."""
        return self.history or ()

    @property
    def preceding(self) -> str:
        """The conversation and the passage before the question, as one text for people."""
        said = [
            f"{each.role.capitalize()}: {each.content.strip()}{'[image]' * len(each.images)}"
            for each in self.earlier_messages
        ]
        return "\n\n".join([*said, *([self.context] if self.context else [])])

    @property
    def flat_words(self) -> str:
        """Its text and passage without case and white space: equal for two copies of it."""
        return " ".join(f"{self.context or ''}\n{self.text}".casefold().split())

    @property
    def size(self) -> int:
        """Characters of all its texts, the conversation before it included."""
        texts = [self.text, self.context or "", *self.choices]
        texts += [each.text for each in self.documents or ()]
        return sum(map(len, texts)) + sum(len(each.content) for each in self.earlier_messages)

    @property
    def redacted(self) -> "Question":
        """The question as it may be stored and printed: a secret one without its texts.

        The right answer is withheld too if it is open text.
        """
        if not self.secret:
            return self
        right: str | tuple[str, ...] | None = self.answer
        tempting = self.tempting
        if self.kind in OPEN and right is not None:
            right = WITHHELD if isinstance(right, str) else (WITHHELD,) * len(right)
        if self.kind in OPEN and tempting:
            tempting = (WITHHELD,) * len(tempting)
        return msgspec.structs.replace(
            self,
            text=WITHHELD,
            context=self.context and WITHHELD,
            choices=(WITHHELD,) * len(self.choices),
            answer=right,
            tempting=tempting,
            documents=self.documents
            and tuple(QuestionDocument(WITHHELD, WITHHELD) for _ in self.documents),
            history=self.history
            and tuple(Message(each.role, WITHHELD) for each in self.earlier_messages),
        )

    def hide_quotation(self, text: str) -> str:
        """Return a text, such as an error's, or ``WITHHELD`` if it quotes a secret question."""
        if not self.secret:
            return text
        flat = " ".join(text.replace("\\n", " ").split())
        told = [each.content for each in self.earlier_messages]
        told += [each.text for each in self.documents or ()]
        for own in (self.text, self.context or "", *self.choices, *told):
            words = " ".join(own.split())
            if any(words[at : at + QUOTED] in flat for at in range(len(words) - QUOTED + 1)):
                return WITHHELD
        return text

    @property
    def answers(self) -> tuple[str, ...]:
        """All right answers; empty if none is known."""
        if self.answer is None:
            return ()
        return (self.answer,) if isinstance(self.answer, str) else self.answer

    @property
    def tempting_answers(self) -> tuple[str, ...]:
        """All tempting wrong answers; empty without one."""
        return self.tempting or ()

    @property
    def letters(self) -> str:
        """The letters of the options, e.g. ``"ABCD"``; empty without options."""
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(self.choices)]


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its answer, shown to a model before the question it is asked.

    Attributes:
        question: it has an answer; of several right ones the first is shown.
        reason: the way from the question to that answer, in words; empty without one.
    """

    question: Question
    reason: str = ""
