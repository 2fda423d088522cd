"""Questions, as every dataset yields them and every protocol receives them."""

from typing import Literal

import msgspec

from moot.core.messages import Message

Kind = Literal["choice", "boolean", "number", "square", "text"]
"""What an answer looks like: a letter, true/false, a number, a chess square, or free text."""

WITHHELD = "(withheld)"
"""What stands for the texts of a secret question."""

QUOTED = 24
"""So many characters on end make a quotation."""

KINDS: tuple[Kind, ...] = ("choice", "boolean", "number", "square", "text")


class Question(msgspec.Struct, frozen=True, kw_only=True, rename={"text": "question"}):
    """One question with, where it is known, what answers it.

    Attributes:
        id: unique within its dataset; sampling and shuffling are seeded by it.
        kind: what an answer looks like.
        text: the question itself (the key ``question`` in JSON).
        context: a passage to read before the question, if there is one.
        choices: the option texts in the order shown; only for ``choice``. The first is letter A.
        answer: what is right, in canonical form (see ``moot.parsing``): a letter for ``choice``,
            ``"true"`` or ``"false"`` for ``boolean``, a plain decimal or fraction for ``number``,
            a square such as ``"e5"``, or free text. A tuple where several are right; None where
            nobody knows.
        history: the conversation that it goes on with, in order, system messages included; set
            where there is one. Agents are sent it as it is.
        tempting: wrong answers that are easily taken for right, in canonical form, where the
            dataset has them; set for no other questions.
        secret: True where its authors ask that it is not shown; set for no others. It is asked,
            but neither stored nor printed: ``shown`` is.
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

    @property
    def earlier(self) -> tuple[Message, ...]:
        """The messages of the conversation before the question; empty where there are none."""
        return self.history or ()

    @property
    def preceding(self) -> str:
        """What comes before the question, as one text for readers: conversation and passage."""
        said = [f"{each.role.capitalize()}: {each.content.strip()}" for each in self.earlier]
        return "\n\n".join([*said, *([self.context] if self.context else [])])

    @property
    def size(self) -> int:
        """Characters of all its texts, the conversation before it included."""
        texts = [self.text, self.context or "", *self.choices]
        return sum(map(len, texts)) + sum(len(each.content) for each in self.earlier)

    @property
    def shown(self) -> "Question":
        """The question as it may be stored and printed: a secret one without its texts.

        What is right is one of them where the answer is open text.
        """
        if not self.secret:
            return self
        right: str | tuple[str, ...] | None = self.answer
        tempting = self.tempting
        if self.kind == "text" and right is not None:
            right = WITHHELD if isinstance(right, str) else (WITHHELD,) * len(right)
        if self.kind == "text" and tempting:
            tempting = (WITHHELD,) * len(tempting)
        return msgspec.structs.replace(
            self,
            text=WITHHELD,
            context=self.context and WITHHELD,
            choices=(WITHHELD,) * len(self.choices),
            answer=right,
            tempting=tempting,
            history=self.history and tuple(Message(each.role, WITHHELD) for each in self.earlier),
        )

    def unquoted(self, text: str) -> str:
        """A text of others, such as an error's, if it does not quote a secret question."""
        if not self.secret:
            return text
        flat = " ".join(text.replace("\\n", " ").split())
        told = (each.content for each in self.earlier)
        for own in (self.text, self.context or "", *self.choices, *told):
            words = " ".join(own.split())
            if any(words[at : at + QUOTED] in flat for at in range(len(words) - QUOTED + 1)):
                return WITHHELD
        return text

    @property
    def answers(self) -> tuple[str, ...]:
        """Every right answer; empty where none is known."""
        if self.answer is None:
            return ()
        return (self.answer,) if isinstance(self.answer, str) else self.answer

    @property
    def tempted(self) -> tuple[str, ...]:
        """Every tempting wrong answer; empty where none is known."""
        return self.tempting or ()

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
