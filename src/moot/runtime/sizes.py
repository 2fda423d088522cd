"""How many tokens a call may take: as many as the calls before it have shown."""

from collections import Counter, defaultdict
from math import ceil, exp2, log2
from typing import NamedTuple

from moot.core.calls import Call, Reply, Sampling
from moot.core.stored import PastReply

QUANTILE = 0.99
"""The share of replies that are no longer than what is set aside for one."""
UNKNOWN_REPLY = 32_768
"""Tokens of the longest reply, where neither ``max_tokens`` nor the model's context tells it."""
UNKNOWN_RATIO = 0.5
"""Tokens for a byte of a request, before any reply has told: more than in most scripts."""
ESTIMATED_RATIO = 0.25
"""Tokens for a byte, where an endpoint tells none: about that of English."""
_STEPS = 8  # bins for each doubling: a quantile is at most 9 % too large
_BINS = 256


class Quantile:
    """A high quantile of all values so far, kept up to date in constant time and space.

    Attributes:
        count: the number of values.
        longest: the largest of them.
    """

    def __init__(self) -> None:
        self.count, self.longest = 0, 0.0
        self._bins = [0] * _BINS
        self._place = self._above = 0

    def add(self, value: float) -> None:
        """Add a value, 0 or more."""
        place = 0 if value < 1 else min(_BINS - 1, 1 + ceil(_STEPS * log2(value)))
        bins = self._bins
        bins[place] += 1
        self.count += 1
        self.longest = max(self.longest, value)
        self._above += place > self._place
        allowed = int(self.count * (1 - QUANTILE))
        while self._above > allowed:
            self._place += 1
            self._above -= bins[self._place]
        while self._place and self._above + bins[self._place] <= allowed:
            self._above += bins[self._place]
            self._place -= 1

    @property
    def value(self) -> float:
        """No less than the quantile, and no more than the largest value; 0 without any."""
        if not self._place:
            return min(self.longest, 1.0)
        return min(self.longest, exp2((self._place - 1) / _STEPS))


class Size(NamedTuple):
    """The tokens of a call.

    Attributes:
        prompt: set aside for the prompt.
        reply: set aside for the reply, while other calls are in flight.
        least_prompt: the prompt, if it is like those before.
        least_reply: the reply, if it is like those before; 0 where there were none.
        most_reply: the longest reply there can be; None where nothing tells.
    """

    prompt: int
    reply: int
    least_prompt: int
    least_reply: int
    most_reply: int | None


_Kind = tuple[str, int | None, str | None, float | None]


class Sizes:
    """What calls have taken so far: replies by model and sampling, prompts by model.

    Of n replies to come, the next one is longer than all before with a chance of 1 in n + 1. So
    beside a high quantile of those before, 1 / (n + 1) of the longest possible reply is set aside:
    much at the start, where nothing is known, and soon almost nothing. What counts for n are
    replies of the past, and of this run those to the same step of a debate.
    """

    def __init__(self) -> None:
        self._replies: defaultdict[_Kind, Quantile] = defaultdict(Quantile)
        self._ratios: defaultdict[str, Quantile] = defaultdict(Quantile)
        self._past: Counter[_Kind] = Counter()
        self._steps: Counter[tuple[_Kind, str]] = Counter()

    def expect(self, call: Call, size: int, context: int | None) -> Size:
        """The tokens of a call.

        Args:
            call: what is asked.
            size: bytes of the request.
            context: tokens that prompt and reply together may have; None where that is not known.
        """
        ratios = self._ratios.get(call.model)
        if ratios is None:
            least_prompt, prompt = int(size * ESTIMATED_RATIO), ceil(size * UNKNOWN_RATIO)
        else:
            ratio = ratios.value / 1024
            least_prompt = ceil(size * ratio)
            prompt = ceil(size * (ratio + UNKNOWN_RATIO / 2 / (ratios.count + 1)))
        kind, most = _kind(call.model, call.sampling), call.sampling.max_tokens
        seen = self._replies.get(kind)
        usual = 0 if seen is None else ceil(seen.value)
        if most is not None:
            reply = max(most, usual)
            return Size(prompt, reply, least_prompt, reply, reply)
        longest = None if context is None else max(1, usual, context - least_prompt)
        known = self._past[kind] + self._steps[kind, _step(call)]
        unknown = (UNKNOWN_REPLY if longest is None else longest) // (known + 1)
        reply = usual + unknown if longest is None else min(longest, usual + unknown)
        return Size(prompt, reply, least_prompt, usual, longest)

    def learn(self, call: Call, size: int, reply: Reply) -> None:
        """Take note of what a call took."""
        self._steps[_kind(call.model, call.sampling), _step(call)] += 1
        self._count(call.model, call.sampling, size, reply.prompt_tokens, completion(reply))

    def know(self, past: PastReply) -> None:
        """Take note of a reply of the past."""
        if past.completion_tokens is not None:
            self._past[_kind(past.model, past.sampling)] += 1
        self._count(*past)

    def _count(
        self, model: str, sampling: Sampling, size: int, prompt: int | None, reply: int | None
    ) -> None:
        if prompt is not None and size:
            self._ratios[model].add(1024 * prompt / size)
        if reply is not None:
            self._replies[_kind(model, sampling)].add(reply)


def completion(reply: Reply) -> int:
    """The tokens of a reply, hidden thought included; estimated where the endpoint told none."""
    if reply.completion_tokens is not None:
        return reply.completion_tokens
    written = f"{reply.thought}{reply.text}".encode("utf-8", "replace")
    return ceil(len(written) * ESTIMATED_RATIO)


def _kind(model: str, sampling: Sampling) -> _Kind:
    return model, sampling.max_tokens, sampling.effort, sampling.temperature


def _step(call: Call) -> str:
    return "" if call.scene is None else call.scene.step
