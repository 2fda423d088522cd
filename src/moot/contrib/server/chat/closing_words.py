"""The answer of a chat while it is written: the words of the one reply that is going to be it."""

import msgspec

from moot import Turn
from moot.contrib.server.config import CHAT
from moot.extend.records import ReplyPiece
from moot.extend.studies import QuestionPlan

AGAIN = "\n\n[The reply broke off and was begun again.]\n\n"
"""Stands between the words of a reply that broke off, which were sent, and those that count."""


class _SpeechSettings(msgspec.Struct):
    style: str
    confidence: str | None = None


def find_closing(plan: QuestionPlan) -> str:
    """Return the step whose reply is the answer, word for word; empty where none is known to be.

    That is so in a chat with a protocol that has such a step, unless its agents state confidences
    by further replies.
    """
    own = msgspec.convert(plan.settings, _SpeechSettings)
    is_chat = plan.question.kind == "text" and own.style == CHAT
    return plan.protocol.closing if is_chat and own.confidence is None else ""


class ClosingWords:
    """Finds what is to be sent next of an answer.

    Args:
        step: the step whose reply is the answer; empty where no words are sent ahead.
    """

    def __init__(self, step: str) -> None:
        self._step = step
        self._reply = self._sent = ""

    def closes(self, said: ReplyPiece | Turn) -> bool:
        """Return whether a reply, or a piece of one, is the answer. A sub-debate's is not."""
        return bool(self._step) and said.step == self._step and "/" not in said.agent

    def take(self, piece: ReplyPiece) -> str:
        """Return the words to send for a piece; empty where it adds none."""
        if piece.kind == "thought" or not self.closes(piece):
            return ""
        self._reply = (self._reply + piece.text).lstrip() if piece.kind == "text" else ""
        return self._advance(self._reply)

    def finish(self, answer: str) -> str:
        """Return the part of the whole answer that was not sent."""
        return self._advance(answer)

    def _advance(self, text: str) -> str:
        """Return what the text has beyond the words that were sent."""
        if self._sent.rstrip().startswith(text.rstrip()):  # no more, or not as much as before
            return ""
        new = text[len(self._sent) :] if text.startswith(self._sent) else AGAIN + text
        self._sent = text
        return new
