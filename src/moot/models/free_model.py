"""Models in this process, whose replies cost nothing."""

import re
from abc import ABC, abstractmethod
from asyncio import sleep

from moot.core.calls import Call, Reply
from moot.core.errors import InputError
from moot.core.ports import Limits, TellWords
from moot.models.model_names import ModelName

_WORD = re.compile(r"\s*\S+\s*")


class FreeModel:
    """A model in this process: it has limits of its own, and no price.

    Attributes:
        name: the name in calls.
        endpoint: the name: no other model shares its limits.
        limits: what it can take; by default 1,024 calls at once.
        simulated: whether it is no language model.
        gives_logprobs: whether replies can have probabilities of tokens; None for some of them.
    """

    simulated = True
    gives_logprobs: bool | None = False

    def __init__(self, name: str, limits: Limits | None = None) -> None:
        self.name = self.endpoint = name
        self.limits = limits or Limits(concurrency=1024)

    def cost(self, _reply: Reply) -> float:
        """Return 0 dollars."""
        return 0.0

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class ComputedModel(FreeModel, ABC):
    """A model whose reply is computed at once, and may be given late.

    Attributes:
        latency: seconds before each reply.
    """

    def __init__(
        self, name: str, limits: Limits | None = None, *, latency: float = 0.0, where: str = ""
    ) -> None:
        if not latency >= 0:
            raise InputError(f"{where}: latency {latency!r} is negative; it is in seconds, from 0")
        super().__init__(name, limits)
        self.latency = latency

    @abstractmethod
    async def compute(self, call: Call) -> Reply:
        """Return the reply to a call, without the latency."""

    async def reply(self, call: Call) -> Reply:
        """Answer once, after the latency."""
        if self.latency:
            await sleep(self.latency)
        return await self.compute(call)

    async def stream(self, call: Call, tell: TellWords) -> Reply:
        """Answer as ``reply`` does, and tell the reply word by word within the latency."""
        reply = await self.compute(call)
        thought, words = _WORD.findall(reply.thought), _WORD.findall(reply.text)
        for at, word in enumerate(thought + words):
            if self.latency:
                await sleep(self.latency / len(thought + words))
            tell("thought" if at < len(thought) else "text", word)
        return reply


def parse_latency(name: ModelName) -> float:
    """Return the seconds of the option ``latency``; 0 without it."""
    text = name.options.get("latency", "0")
    try:
        return float(text)
    except ValueError:
        message = f"model {name.full!r}: latency={text!r} is no number of seconds"
        raise InputError(message) from None
