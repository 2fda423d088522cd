"""A cache of prompts by their beginnings, as in vLLM and SGLang, and prompts replayed on it."""

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Sequence
from itertools import count
from typing import NamedTuple

TokenRow = Sequence[Hashable]


class PrefixCache:
    """What an endpoint has computed and kept: blocks of tokens, by all that stood before each.

    A block is found again only behind the same blocks. When there is no room, the block goes that
    was used longest ago, and of one prompt's the last before the first. With 16 tokens a block this
    is vLLM's automatic prefix caching; with one it is the radix tree of SGLang.

    Args:
        block: tokens of a block, at least 1. What does not fill a block is not kept.
        size: the most tokens that it keeps; None for no limit.
    """

    def __init__(self, block: int = 16, size: int | None = None) -> None:
        self._block = block
        self._room = None if size is None else size // block
        self._numbers: OrderedDict[Hashable, int] = OrderedDict()  # least recently used first
        self._fresh = count(1)

    def match(self, tokens: TokenRow) -> int:
        """Return how many tokens of a prompt are there, from the first on.

        The last token is always computed, since the reply begins with what follows it.
        """
        found: list[Hashable] = []
        before = 0
        for block in self._split(tokens[:-1]):
            number = self._numbers.get((before, block))
            if number is None:
                break
            found.append((before, block))
            before = number
        self._use(found)
        return len(found) * self._block

    def add(self, tokens: TokenRow) -> None:
        """Keep all whole blocks of a prompt and its reply."""
        used: list[Hashable] = []
        before = 0
        for block in self._split(tokens):
            used.append((before, block))
            before = self._numbers.setdefault((before, block), next(self._fresh))
        self._use(used)
        while self._room is not None and len(self._numbers) > self._room:
            self._numbers.popitem(last=False)

    def _split(self, tokens: TokenRow) -> Iterable[TokenRow]:
        size = self._block
        whole = tuple(tokens)
        return (whole[at : at + size] for at in range(0, len(whole) - size + 1, size))

    def _use(self, keys: Sequence[Hashable]) -> None:
        """Mark blocks as the most recently used, the first of a prompt above all."""
        for key in reversed(keys):
            self._numbers.move_to_end(key)


class TimedPrompt(NamedTuple):
    """A prompt as it is replayed.

    Attributes:
        begin: when it is sent.
        end: when its reply is there; later than ``begin``.
        model: prompts to another model profit nothing.
        tokens: of the prompt.
        reply: the tokens of its reply.
    """

    begin: float
    end: float
    model: str
    tokens: TokenRow
    reply: TokenRow


def replay_prompts(
    prompts: Sequence[TimedPrompt], *, block: int = 16, size: int | None = None
) -> list[int]:
    """Return how many tokens of each prompt are cached when it is sent.

    A prompt and its reply are kept from the end of the reply on: what is in flight together does
    not profit from each other. Each model has a cache of its own.

    Args:
        prompts: in any order.
        block: tokens of a block.
        size: the most tokens that a cache keeps; None for no limit.
    """
    caches = {prompt.model: PrefixCache(block, size) for prompt in prompts}
    cached = [0] * len(prompts)
    begins = [(prompt.begin, 1, place) for place, prompt in enumerate(prompts)]
    ends = [(prompt.end, 0, place) for place, prompt in enumerate(prompts)]
    for _, is_begin, place in sorted([*begins, *ends]):
        prompt = prompts[place]
        if is_begin:
            cached[place] = caches[prompt.model].match(prompt.tokens)
        else:
            caches[prompt.model].add([*prompt.tokens, *prompt.reply])
    return cached


def count_hosted(cached: int, *, least: int = 1024, step: int = 128) -> int:
    """Return how many of the cached tokens a hosted endpoint would charge as cached.

    OpenAI counts none below 1,024, and whole steps of 128.
    """
    return cached // step * step if cached >= least else 0
