"""A population of agents without a language model: the null model of debate, with knobs.

From the command line: ``simulated/NAME?accuracy=0.6&truth_drift=0.1``; see ``Population`` for all
knobs. Everything computed from it is labelled as simulated.
"""

import re
from asyncio import sleep
from collections import Counter
from copy import copy
from urllib.parse import urlencode

import msgspec

from moot.core.calls import Call, Reply, Scene, identity
from moot.core.errors import InputError, RefusedError, UnknownName
from moot.core.ports import Limits
from moot.models.fluent import MUST_DECIDE, Speech, worded
from moot.models.names import ModelName, registry
from moot.models.population import Population, among, lean, pick, plain, random
from moot.models.scripted import spoken
from moot.models.simulated_judge import favoured, ruled, sides
from moot.models.simulations import simulate

_UNDECIDED = (
    "There is something to be said for each of these views, and I leave it open.\nFinal answer:"
)
"""The empty marker makes it no answer even to a question that takes any text for one."""

CHOOSES = "choose"
"""The step in which a judge takes one of the responses that it is shown, and no other answer."""

_SPEAKS_AS = re.compile(r"\byou speak as ([^.\n]{1,200})\.")

_SCORED = ("General Public", "Critic", "Scientist")
"""Whom agents score where they are asked to, by the labels of ``chateval-scored``."""


class Simulated:
    """Agents that hold Dirichlet beliefs about a question and count the answers they read.

    It reads the question, the answers heard and an opening from ``call.scene``, not from the
    messages; from these, a judge reads which side is shown first and what it is called. A reply
    depends on the call's identity and scene alone: it is the same at any concurrency and in any
    order, and two protocols that share a draw get one reply. Token counts are words between white
    space; of ``sampling`` the temperature alone has an effect, and the schema.

    Args:
        name: tells apart models of one population; what follows ``simulated/`` in the model's name.
        latency: seconds before each reply, 0 or more.
        knobs: the fields of ``Population``, which says what they mean.

    Raises:
        UnknownName: there is no such knob.
        InputError: a knob's value is out of its range, or the latency is negative.
    """

    simulated = True

    def __init__(
        self, name: str = "population", *, latency: float = 0.0, **knobs: float | str
    ) -> None:
        where = f"model 'simulated/{name}'"
        self.population = _population(knobs, where=where)
        if not latency >= 0:
            raise InputError(f"{where}: latency {latency!r} is negative; it is in seconds, from 0")
        self._latency = latency
        changed = {
            field: value
            for field, value in msgspec.structs.asdict(self.population).items()
            if value != getattr(Population(), field)
        }
        self._name = f"simulated/{name}" + (f"?{urlencode(changed)}" if changed else "")

    @property
    def name(self) -> str:
        """``simulated/``, the given name, and every knob that is not at its default."""
        return self._name

    def at_once(self) -> "Simulated":
        """The same agents, who take no time."""
        made = copy(self)
        made._latency = 0.0  # noqa: SLF001 -- of its own kind
        return made

    @property
    def endpoint(self) -> str:
        """The name: no two models share a limit."""
        return self._name

    @property
    def limits(self) -> Limits:
        """1,024 calls at once."""
        return Limits(concurrency=1024)

    async def reply(self, call: Call) -> Reply:
        """Answer by a draw from the agent's belief.

        Raises:
            RefusedError: the call has no scene, so there is nothing to hold beliefs about.
        """
        if self._latency:
            await sleep(self._latency)
        if call.scene is None:
            raise RefusedError(f"{self._name}: a simulated agent needs the call's scene")
        reply = spoken(call, self._speak(call, call.scene))
        return msgspec.structs.replace(reply, seconds=self._latency)

    def cost(self, reply: Reply) -> float | None:  # noqa: ARG002  (the interface of a model)
        """Nothing: 0 dollars."""
        return 0.0

    async def close(self) -> None:
        """Nothing is held."""

    def _speak(self, call: Call, scene: Scene) -> str:
        if (reply := simulate(call, scene, self.population)) is not None:
            return reply
        own = random(identity(call.request(), call.draw))
        # All drawn at once: a knob turned up must not shift the draws that the others use.
        readable, shares, chance, decides, swayed, coin = (own.random() for _ in range(6))
        if readable < self.population.unparseable:
            return _UNDECIDED
        anchored, first = self._anchor(call, scene)
        heard = () if anchored else scene.heard
        belief = self.population.predictive(scene.question, heard)
        if scene.step == CHOOSES:
            belief = among(belief, scene.heard)
        if shares < self.population.correlation:
            chance = self._common(call, scene)
        belief = self.population.sampled(belief, call.sampling.temperature)
        if not anchored:
            belief = self._led(belief, scene)
        answer = pick(belief, first if anchored else chance)
        if scene.reads_as in {"ruling", "decision", "conclusion", "support"}:
            shown = sides(call.messages, scene.heard)
            side, answer = ruled(self.population, shown, answer, coin=coin, swayed=swayed)
            return worded(scene, _judgement(scene, answer, side.name, decides))
        sure = self.population.confidence(scene.question, belief, answer)
        scores = self._scores(scene) if scene.reads_as == "scored" else {}
        said = Speech(
            answer=answer,
            decides=_content(scene, answer, decides),
            reason=_persona(call) + _argument(scene, sure),
            scores=scores,
        )
        return worded(scene, said)

    def _led(self, belief: dict[str, float], scene: Scene) -> dict[str, float]:
        """The probability of each answer after what the agent is asked, told and said before."""
        people = self.population
        belief = lean(belief, scene.opening, people.anchor)
        belief = people.told(belief, scene.others, scene.agreement)
        return lean(belief, () if scene.own is None else (scene.own,), -people.revise)

    def _scores(self, scene: Scene) -> dict[str, int]:
        """What this agent thinks of each role, which says nothing of who is right."""
        key = ("score", self._name, scene.question.id, scene.agent)
        return {label: random(*key, label).randint(1, 10) for label in _SCORED}

    def _common(self, call: Call, scene: Scene) -> float:
        """The draw that all agents of this population share on this question in this round.

        It is new in every round: one kept across rounds would favour the answer it favoured before,
        and belief would no longer be a martingale.
        """
        question, seed = scene.question, self.population.seed
        key = ("common", seed, question.id, question.text, call.draw.replicate, scene.round)
        return random(*key).random()

    def _anchor(self, call: Call, scene: Scene) -> tuple[bool, float]:
        """Whether this agent keeps to its first answer throughout, and the draw of that answer."""
        if not self.population.anchoring:
            return False, 0.0
        question, (replicate, seat, _) = scene.question, call.draw
        rng = random("anchor", self._name, question.id, question.text, replicate, seat)
        return rng.random() < self.population.anchoring, rng.random()


def _persona(call: Call) -> str:
    """Who an agent says it is, where a prompt tells it to speak as somebody."""
    for message in call.messages:
        if message.role != "assistant" and (told := _SPEAKS_AS.search(message.content)):
            return f"I speak as {told[1]}. "
    return ""


def _argument(scene: Scene, sure: float) -> str:
    """What an agent says before its answer."""
    weighed = "Having weighed the answers so far" if any(scene.heard) else "Going by what I know"
    return f"{weighed}, I hold this to be right.\nConfidence: {sure:.0%}"


def _judgement(scene: Scene, answer: str, side: str, decides: float) -> Speech:
    """What a judge says: a preference, where it has to have one or has come to it."""
    must = scene.reads_as in {"decision", "support"} or scene.step in MUST_DECIDE
    prefers = must or _settled(scene, decides)
    told = "The answers agree well enough." if prefers else "Neither side has carried the point."
    return Speech(answer=answer, decides=prefers, reason=told, side=side)


def _content(scene: Scene, answer: str, chance: float) -> bool:
    """Whether an agent ends the debate: a consultant does when it is shown its own answer."""
    if scene.reads_as != "opinion":
        return _settled(scene, chance)
    reviewed = scene.others[-1] if scene.others else None
    return reviewed is not None and plain(reviewed) == plain(answer)


def _settled(scene: Scene, chance: float) -> bool:
    """Whether the matter looks settled: the likelier, the more the answers heard agree."""
    heard = [found for found in scene.heard if found is not None]
    return chance < (max(Counter(heard).values()) / len(heard) if heard else 0.0)


def _population(knobs: dict[str, float | str], *, where: str) -> Population:
    """Knobs as numbers or as text, checked."""
    for knob in knobs:
        if knob not in Population.__struct_fields__:
            raise UnknownName("knob", knob, Population.__struct_fields__, where=where)
    for knob, value in knobs.items():
        try:
            msgspec.convert({knob: value}, Population, strict=False)
        except msgspec.ValidationError as error:
            fault = str(error).partition(" - at")[0]
            raise InputError(f"{where}: {knob}={value}: {fault}") from None
    population = msgspec.convert(knobs, Population, strict=False)
    try:
        share = favoured(population.favours)[1]
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    if population.first + share > 1:
        raise InputError(f"{where}: first and the share of favours come to more than 1")
    return population


@registry.decorate("simulated")
def simulated(name: ModelName) -> Simulated:
    """``simulated/NAME?knob=value``, with ``latency=SECONDS`` if wanted."""
    knobs: dict[str, float | str] = dict(name.options)
    try:
        latency = float(knobs.pop("latency", 0.0))
    except ValueError:
        text = name.options["latency"]
        raise InputError(f"model {name.full!r}: latency={text!r} is no number of seconds") from None
    return Simulated(name.model or "population", latency=latency, **knobs)
