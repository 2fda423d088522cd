"""The prompts that a debate has sent, and how much of a new one repeats the beginning of one."""

from collections.abc import Iterable, Sequence

import msgspec

from moot.core.messages import Message


class SentPrompt(msgspec.Struct, frozen=True, eq=False):
    """A prompt that has its reply.

    Attributes:
        messages: the prompt, and the reply as a message of the assistant.
    """

    model: str
    messages: tuple[Message, ...]


class SentPrompts:
    """The prompts of one debate that have their reply, sub-debates included.

    An endpoint that keeps what it has computed of a prompt need not compute the same beginning
    again for the next one of the same model. A prompt is compared with its agent's last one, and
    with those of the turns that it shows: they had to be there before it. Which others are there
    depends on timing, and does not count.
    """

    def __init__(self) -> None:
        self._sent: dict[int, SentPrompt] = {}
        self._last: dict[int, SentPrompt] = {}  # by seat

    def add(self, turn: int, seat: int, sent: SentPrompt) -> None:
        """Add the prompt of a turn by the agent on a seat."""
        self._sent[turn] = self._last[seat] = sent

    def share_of(
        self, model: str, messages: Sequence[Message], seat: int, reads: Iterable[int]
    ) -> float:
        """Return the share of a prompt that repeats the beginning of an earlier one and its reply.

        A prompt that goes on from its agent's last one and the reply is compared with that alone.

        Args:
            model: the model that it goes to.
            messages: the prompt.
            seat: the number of its agent's seat.
            reads: the ids of the turns that it shows.

        Returns:
            Characters of content from the first on, divided by all of them, to four digits: 0 to 1.
        """
        if not self._sent:
            return 0.0
        same, own = 0, self._last.get(seat)
        if own is not None and own.model == model:
            same = _count_same(messages, own.messages, 0)
        if own is None or messages[: len(own.messages)] != own.messages:
            for turn in reads:
                sent = self._sent.get(turn)
                if sent is not None and sent is not own and sent.model == model:
                    same = max(same, _count_same(messages, sent.messages, same))
        whole = sum([len(message.content) for message in messages])
        return round(same / whole, 4) if whole else 0.0


def _count_same(new: Sequence[Message], old: Sequence[Message], least: int) -> int:
    """Return how many characters two prompts begin with alike; fewer where not above ``least``."""
    same = 0
    for one, two in zip(new, old, strict=False):
        if one is two or one == two:
            same += len(one.content)
            continue
        more = max(0, least - same) + 1
        if one.role == two.role and one.content[:more] == two.content[:more]:
            same += _count_common(one.content, two.content)
        break
    return same


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
