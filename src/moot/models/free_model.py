"""Models in this process, whose replies cost nothing."""

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.core.ports import Limits
from moot.models.model_names import ModelName


class FreeModel:
    """A model in this process: it has limits of its own, and no price.

    Attributes:
        name: the name in calls.
        endpoint: the name: no other model shares its limits.
        limits: what it can take; by default 1,024 calls at once.
        latency: seconds before each reply.
        simulated: whether it is no language model.
        gives_logprobs: whether replies can have probabilities of tokens; None for some of them.
    """

    simulated = True
    gives_logprobs: bool | None = False

    def __init__(
        self, name: str, limits: Limits | None = None, *, latency: float = 0.0, where: str = ""
    ) -> None:
        if not latency >= 0:
            raise InputError(f"{where}: latency {latency!r} is negative; it is in seconds, from 0")
        self.name = self.endpoint = name
        self.limits, self.latency = limits or Limits(concurrency=1024), latency

    def cost(self, _reply: Reply) -> float:
        """Return 0 dollars."""
        return 0.0

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def parse_latency(name: ModelName) -> float:
    """Return the seconds of the option ``latency``; 0 without it."""
    text = name.options.get("latency", "0")
    try:
        return float(text)
    except ValueError:
        message = f"model {name.full!r}: latency={text!r} is no number of seconds"
        raise InputError(message) from None
