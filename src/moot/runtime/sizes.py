"""Estimates of the tokens of a call, from the calls before it."""

from collections import Counter, defaultdict
from math import ceil, exp2, log2
from typing import NamedTuple

from moot.core.calls import Call, Reply, Sampling
from moot.core.stored import PastReply

QUANTILE = 0.99
"""The share of replies that are not longer than the tokens set aside for one."""
UNKNOWN_REPLY = 32_768
"""Tokens of the longest reply, without ``max_tokens`` and without a known context."""
UNKNOWN_RATIO = 0.5
"""Tokens for a byte of a request before the first reply: more than in most scripts."""
ESTIMATED_RATIO = 0.25
"""Tokens for a byte where an endpoint reports none: about that of English."""
_STEPS = 8  # bins for each doubling: a quantile is at most 9 % too large
_BINS = 256


class Quantile:
    """A high quantile of all values so far, updated in constant time and space.

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
        """A value from the quantile to the largest value; 0 without any."""
        if not self._place:
            return min(self.longest, 1.0)
        return min(self.longest, exp2((self._place - 1) / _STEPS))


class CallSize(NamedTuple):
    """Estimates of the tokens of a call.

    Attributes:
        prompt: tokens set aside for the prompt.
        reply: tokens set aside for the reply, while other calls are in flight.
        least_prompt: tokens of a prompt like those before.
        least_reply: tokens of a reply like those before; 0 without any.
        most_reply: tokens of the longest possible reply; None where that is unknown.
    """

    prompt: int
    reply: int
    least_prompt: int
    least_reply: int
    most_reply: int | None


_Kind = tuple[str, int | None, str | None, float | None]


class Sizes:
    """The tokens of calls so far: replies by model and sampling, prompts by model.

    After n replies, the next one is longer than all of them with a chance of 1 in n + 1. So beside
    a high quantile of the replies so far, 1 / (n + 1) of the longest possible reply is set aside:
    much at the start, and soon almost nothing. n counts replies of earlier runs, and those of this
    run in the same step of a debate.
    """

    def __init__(self) -> None:
        self._replies: defaultdict[_Kind, Quantile] = defaultdict(Quantile)
        self._ratios: defaultdict[str, Quantile] = defaultdict(Quantile)
        self._past: Counter[_Kind] = Counter()
        self._steps: Counter[tuple[_Kind, str]] = Counter()

    def expect(self, call: Call, size: int, context: int | None) -> CallSize:
        """Return estimates of the tokens of a call.

        Args:
            call: the call.
            size: bytes of the request.
            context: tokens of prompt and reply together at most; None where unknown.
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
            return CallSize(prompt, reply, least_prompt, reply, reply)
        longest = None if context is None else max(1, usual, context - least_prompt)
        known = self._past[kind] + self._steps[kind, _step(call)]
        unknown = (UNKNOWN_REPLY if longest is None else longest) // (known + 1)
        reply = usual + unknown if longest is None else min(longest, usual + unknown)
        return CallSize(prompt, reply, least_prompt, usual, longest)

    def learn(self, call: Call, size: int, reply: Reply) -> None:
        """Count the tokens of a reply of this run."""
        self._steps[_kind(call.model, call.sampling), _step(call)] += 1
        self._count(
            call.model, call.sampling, size, reply.prompt_tokens, count_completion_tokens(reply)
        )

    def learn_past(self, past: PastReply) -> None:
        """Count the tokens of a reply of an earlier run."""
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


def count_completion_tokens(reply: Reply) -> int:
    """Return the tokens of a reply, hidden thought included; estimated where not reported."""
    if reply.completion_tokens is not None:
        return reply.completion_tokens
    written = f"{reply.thought}{reply.text}".encode("utf-8", "replace")
    return ceil(len(written) * ESTIMATED_RATIO)


def _kind(model: str, sampling: Sampling) -> _Kind:
    return model, sampling.max_tokens, sampling.effort, sampling.temperature


def _step(call: Call) -> str:
    return "" if call.scene is None else call.scene.step
