"""Stand-ins for language models: replies as long as theirs, at no price."""

import re
from collections.abc import Iterable, Iterator
from math import exp

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.ports import Limits, Model
from moot.models.simulated import Simulated

PER_MESSAGE = 6
"""Tokens that a chat template adds to each message."""
OWN_SYSTEM = 23
"""Tokens of the system message that the embedded model's template adds where there is none."""
ALONE = {"simple": 23, "cot": 95}
"""Tokens of a reply of an agent that has read no other, by style, if it is not cut off."""
OTHERWISE, READING = 95, 60
"""The same in all other styles, and of one that has read others, a judge among them."""
ACCURACY = 0.4
"""How often the agents are right."""
_TOKEN = re.compile(r"[^\W\d_]+|\d|[^\w\s]")
_FILLER = "This follows from what is said above, as far as one can tell. "


def count_tokens(text: str) -> int:
    """About as many tokens as a text has: its words, digits and signs.

    Within 8 % of the embedded model's count for nine in ten prompts of the shipped studies on sums.
    """
    return len(_TOKEN.findall(text))


def shorten(typical: float, most: int) -> float:
    """The mean length of replies that are cut off after so many tokens.

    Their lengths are taken to have a gamma distribution of shape 2: few are very short, some are
    more than twice as long as the typical one.
    """
    scale = typical / 2
    return scale * (2 - exp(-most / scale) * (2 + most / scale))


def stand_in(model: Model, style: str) -> Model:
    """What replies in place of a model in a rehearsal; a simulated model replies itself."""
    if isinstance(model, Simulated):
        return model.at_once()
    return StandIn(model.name, style)


def assumed(models: Iterable[Model]) -> Iterator[str]:
    """What stands in for these models, in sentences."""
    models = list(models)
    if any(isinstance(each, Simulated) for each in models):
        yield "simulated models replied themselves"
    if any(not isinstance(each, Simulated) for each in models):
        alone = ", ".join(f"{tokens} in style {style}" for style, tokens in ALONE.items())
        yield (
            "in place of language models: agents that are right in "
            f"{ACCURACY:.0%} of the cases and reply at the length of the embedded model: {alone}, "
            f"else {OTHERWISE} tokens, {READING} where they have read others, and never more than "
            "max_tokens"
        )


class StandIn:
    """Agents of a simulated population that reply at the length of a language model.

    Args:
        name: of the model that they stand in for.
        style: how an agent answers, which says how long a reply is.
    """

    simulated = True

    def __init__(self, name: str, style: str) -> None:
        self.name = self.endpoint = name
        self.limits = Limits(concurrency=1024)
        self._population = Simulated("rehearsal", accuracy=ACCURACY)
        self._alone = ALONE.get(style, OTHERWISE)

    async def reply(self, call: Call) -> Reply:
        """Answer as an agent of the population, in more words."""
        said = await self._population.reply(_exacting(call))
        read = call.scene is not None and (call.scene.heard or call.scene.round > 1)
        tokens = float(READING if read else self._alone)
        if call.sampling.max_tokens is not None:
            tokens = shorten(tokens, call.sampling.max_tokens)
        missing = tokens - count_tokens(said.text)
        return msgspec.structs.replace(
            said,
            text=_FILLER * round(missing / count_tokens(_FILLER)) + said.text,
            prompt_tokens=self._prompt_tokens(call),
            completion_tokens=round(tokens),
        )

    def _prompt_tokens(self, call: Call) -> int:
        tokens = sum(count_tokens(each.content) + PER_MESSAGE for each in call.messages)
        if self.name.startswith("local/") and call.messages[0].role != "system":
            tokens += OWN_SYSTEM
        return tokens

    def cost(self, _reply: Reply) -> float:
        """Nothing is paid: 0."""
        return 0.0

    async def close(self) -> None:
        """Nothing is held."""


def _exacting(call: Call) -> Call:
    """The call as a consultant gets it who finds something to amend in every second answer.

    The population's is content with any answer that is its own; the embedded model seldom is.
    """
    scene = call.scene
    if scene is None or scene.reads_as != "opinion" or identity(call.request(), call.draw)[0] % 2:
        return call
    return msgspec.structs.replace(call, scene=msgspec.structs.replace(scene, others=()))


class Memory:
    """A ledger in memory."""

    def __init__(self) -> None:
        self._replies: dict[bytes, Reply] = {}

    async def find(self, identity: bytes) -> Reply | None:
        """The recorded reply, or None."""
        return self._replies.get(identity)

    async def claim(self, identity: bytes) -> Reply | None:  # noqa: ARG002 -- as every ledger
        """Nothing: no other process has this ledger."""
        return None

    def release(self, identity: bytes) -> None:
        """Nothing, as for ``claim``."""

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:  # noqa: ARG002 -- as every ledger
        """Keep a reply."""
        self._replies[identity] = reply
        return reply
