"""Pieces of replies under way, for those who watch a debate.

A protocol, a metric and the ledger see whole replies alone. A reply from the ledger, or one that
another debate has asked for at the same time, comes whole: it has no pieces.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

PieceKind = Literal["begun", "restarted", "text", "thought"]
"""What a piece says of its reply, see ``ReplyPiece.kind``."""


class ReplyPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a reply under way.

    Attributes:
        turn: the id that the turn has in the transcript.
        agent: the name of the agent that is asked.
        role: its role.
        step: the name of its prompt.
        round: from 1.
        kind: ``begun`` when the model is asked; ``restarted`` when it is asked again, or when the
            text so far turned out to be thought: all pieces of the reply before this one are void;
            ``text`` for words of the reply, ``thought`` for words that the model writes for itself.
        text: the words, to be put behind those before them; empty for the first two kinds.
    """

    turn: int
    agent: str
    role: str
    step: str
    round: int
    kind: PieceKind
    text: str = ""


PieceListener = Callable[[ReplyPiece], None]
TellWords = Callable[[Literal["text", "thought"], str], None]
"""Called with each piece of a reply: what it is a piece of, and the words."""
