"""The prompts that a debate has sent, and how much of a new one repeats the beginning of one."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from moot.core.messages import Message


class PromptBranch(msgspec.Struct, eq=False):
    """All prompts that begin with the same messages.

    Attributes:
        turns: the turns that sent them, as bits by the turn's id.
        next: the branches by the message that follows.
    """

    turns: int = 0
    next: dict[Message, "PromptBranch"] = {}


class SentPrompt(NamedTuple):
    """A prompt with its reply."""

    turn: int
    model: str
    messages: tuple[Message, ...]
    reply: str


class SentPrompts:
    """The prompts of one debate that have their reply, sub-debates included, each with its reply.

    An endpoint that keeps what it has computed of a prompt need not compute the same beginning
    again for the next one of the same model. A prompt profits from those of the turns that had to
    be there before it: the turns that it shows, all those that these showed, and the earlier turns
    of its agent. Which others are there depends on timing, and does not count.
    """

    def __init__(self) -> None:
        self._trees: dict[str, PromptBranch] = {}
        self._new: list[SentPrompt] = []
        self._before: dict[int, int] = {}  # by a turn's id: it and the turns before it, as bits
        self._last: dict[int, int] = {}  # the same of a seat's newest turn

    def add(self, sent: SentPrompt, seat: int, reads: Iterable[int]) -> None:
        """Add a prompt with its reply.

        Args:
            sent: the prompt.
            seat: the number of its agent's seat.
            reads: the ids of the turns that it showed.
        """
        self._new.append(sent)  # the tree takes it in when a later prompt may profit from it
        self._last[seat] = self._before[sent.turn] = self._find(seat, reads) | 1 << sent.turn

    def share_of(
        self, model: str, messages: Sequence[Message], seat: int, reads: Iterable[int]
    ) -> float:
        """Return the share of a prompt that repeats the beginning of an earlier one and its reply.

        Args:
            model: the model that it goes to.
            messages: the prompt.
            seat: the number of its agent's seat.
            reads: the ids of the turns that it shows.

        Returns:
            Characters of content from the first on, divided by all of them, to four digits: 0 to 1.
        """
        before = self._find(seat, reads)
        if not before:
            return 0.0
        if self._new:
            self._grow()
        branch = self._trees.get(model, PromptBranch())
        same = partly = 0
        for message in messages:
            known = branch.next.get(message)
            if known is None or not known.turns & before:
                for other, each in branch.next.items():
                    if each.turns & before and other.role == message.role:
                        partly = max(partly, _count_common(message.content, other.content))
                break
            same += len(message.content)
            branch = known
        whole = sum([len(message.content) for message in messages])
        return round((same + partly) / whole, 4) if whole else 0.0

    def _find(self, seat: int, reads: Iterable[int]) -> int:
        """Return the turns that had to be there before a prompt, as bits."""
        before = self._last.get(seat, 0)
        for turn in reads:
            before |= self._before.get(turn, 0)
        return before

    def _grow(self) -> None:
        for turn, model, messages, reply in self._new:
            branch = self._trees.setdefault(model, PromptBranch())
            for message in (*messages, Message("assistant", reply)):
                branch = branch.next.setdefault(message, PromptBranch())
                branch.turns |= 1 << turn
        self._new.clear()


def _count_common(left: str, right: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
