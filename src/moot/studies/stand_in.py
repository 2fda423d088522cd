"""Stand-ins for language models: replies as long as theirs, at no price."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from moot.core.calls import Call, Draw, Reply, Scene, identity
from moot.core.ports import Limits, Model
from moot.models.simulated import Simulated
from moot.studies.reply_lengths import Habits, find_length

PER_MESSAGE = 6
"""Tokens that a chat template adds to each message."""
OWN_SYSTEM = 23
"""Tokens of the system message that the embedded model's template adds where there is none."""
ACCURACY = 0.4
"""How often the agents are right."""
ENDS = {"ruling": (0.98, 0.3), "opinion": (0.98, 0.3)}
"""How often a judge who may end the debate does, and a consultant, at first and later on."""
_TOKEN = re.compile(r"[^\W\d_]+|\d|[^\w\s]")
_FILLER = "This follows from what is said above, as far as one can tell. "


def count_tokens(text: str) -> int:
    """Return about as many tokens as a text has: its words, digits and signs.

    Within 8 % of the embedded model's count for nine in ten prompts of the shipped studies on sums.
    """
    return len(_TOKEN.findall(text))


def make_stand_in(model: Model, style: str, habits: Habits | None = None) -> Model:
    """Return the stand-in for a model in a rehearsal; a simulated model stands for itself."""
    if isinstance(model, Simulated):
        return model.without_latency()
    return StandIn(model.name, style, habits, most=model.limits.reply)


def list_assumptions(models: Iterable[Model]) -> Iterator[str]:
    """Yield what stands in for these models, in sentences."""
    models = list(models)
    if any(isinstance(each, Simulated) for each in models):
        yield "simulated models replied themselves"
    if any(not isinstance(each, Simulated) for each in models):
        yield (
            "in place of language models: agents that are right in "
            f"{ACCURACY:.0%} of the cases and reply at the length of the embedded model, and never "
            "at more than max_tokens"
        )


class StandIn:
    """Agents of a simulated population that reply at the length of a language model.

    Args:
        name: of the model that they stand in for.
        style: how an agent answers, which says how long a reply is.
        habits: what is known of the model.
        most: the tokens after which the model cuts its replies off of itself.
    """

    simulated = True

    def __init__(
        self, name: str, style: str, habits: Habits | None = None, *, most: int | None = None
    ) -> None:
        self.name = self.endpoint = name
        self.limits = Limits(concurrency=1024)
        self._population = Simulated("rehearsal", accuracy=ACCURACY)
        self._style, self._most = style, most
        self._habits = habits or Habits()

    async def reply(self, call: Call) -> Reply:
        """Answer as an agent of the population, in more words."""
        scene = call.scene
        assert scene is not None
        greedy = call.sampling.temperature == 0  # such a model says the same in every draw
        drawn = identity(call.request(), Draw(call.draw.replicate) if greedy else call.draw)
        said = await self._population.reply(self._ending(call, scene, drawn))
        tokens = self._tokens(scene, call.sampling.max_tokens)
        # No other prompt gets the very same words, as with any language model.
        text = f"Note {drawn.hex()[:6]}. {said.text}"
        missing = round((tokens - count_tokens(text)) / count_tokens(_FILLER))
        return msgspec.structs.replace(
            said,
            text=_FILLER * missing + text,
            prompt_tokens=self._prompt_tokens(call),
            completion_tokens=round(tokens),
        )

    def _tokens(self, scene: Scene, most: int | None) -> float:
        """Return the tokens of a reply."""
        reads = bool(scene.heard) or scene.round > 1
        known = self._habits.length((self._style, scene.step, reads), most)
        if known is not None:
            return known
        return find_length(self._style, scene.reads_as, reads=reads).mean(most or self._most)

    def _ending(self, call: Call, scene: Scene, drawn: bytes) -> Call:
        """Return the call with a scene in which debates end as often as with the real model.

        The population's go by the answers they have heard: they are settled where all are the same,
        and not without any.
        """
        if scene.reads_as not in ENDS:
            return call
        later = scene.round > 1
        share = self._habits.ends(scene.step, later=later)
        share = ENDS[scene.reads_as][later] if share is None else share
        ends = share > drawn[0] / 256
        if scene.reads_as == "opinion":
            others = scene.others[-1:] if ends else ()
            own = msgspec.structs.replace(scene, others=others)
        else:
            heard = [answer for answer in scene.heard if answer is not None][:1]
            own = msgspec.structs.replace(scene, heard=(*heard, *heard) if ends else ())
        return msgspec.structs.replace(call, scene=own)

    def _prompt_tokens(self, call: Call) -> int:
        tokens = sum(count_tokens(each.content) + PER_MESSAGE for each in call.messages)
        if self.name.startswith("local/") and call.messages[0].role != "system":
            tokens += OWN_SYSTEM
        return tokens

    def cost(self, _reply: Reply) -> float:
        """Return 0: nothing is paid."""
        return 0.0

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class MemoryLedger:
    """A ledger in memory."""

    def __init__(self) -> None:
        self._replies: dict[bytes, Reply] = {}

    blocked = False

    async def ready(self) -> None:
        """Do nothing: memory is always ready."""

    async def find(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, or None."""
        return self._replies.get(identity)

    async def claim(self, identity: bytes) -> Reply | None:  # noqa: ARG002 -- as every ledger
        """Return None: no other process has this ledger."""
        return None

    def release(self, identity: bytes) -> None:
        """Do nothing: no other process has this ledger."""

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:  # noqa: ARG002 -- as every ledger
        """Keep a reply."""
        self._replies[identity] = reply
        return reply
