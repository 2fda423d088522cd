"""Stand-ins for language models: replies as long as theirs, which end debates as often.

What the store knows of a model goes first (``learn_habits``): by step and style, so that debates of
one protocol say something of another that has steps of the same names. Where it knows nothing,
lengths are those of the embedded model (``find_length``), by what a reply is read as.

Replies are of two sorts. Most end by themselves; their lengths are taken to have a gamma
distribution of shape 2. Some repeat themselves until they are cut off: they are the main cost of a
small model without ``max_tokens``. Measured by ``python bench/estimates.py --embedded --lengths``.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import exp
from statistics import fmean
from typing import NamedTuple

import msgspec

from moot.core.calls import Call, Draw, Reply, Scene, identity
from moot.core.events import Transcript
from moot.core.ports import Limits, Model
from moot.core.recorded_settings import CastSettings, SizeSettings, read_settings
from moot.core.stored import decode_study
from moot.debate.agent_config import models_in
from moot.models.simulated import Simulated
from moot.parsing.parser import registry as parsers
from moot.studies.lab import Lab

RUNS, DEBATES = 20, 12
"""The latest runs that are looked at, and the debates of each of their arms."""
ENOUGH = 8
"""So many replies, or chances to end a debate, say what is usual."""
OFTEN = 0.1
"""If more of the replies were cut off, they do not tell how long they would be without the cap."""

ReplyKind = tuple[str, str, bool]
"""A style, a step, and whether the agent has read others."""


class Habits:
    """What one model is known to do.

    Attributes:
        replies: how many replies this rests on.
    """

    def __init__(self) -> None:
        self.replies = 0
        self._lengths: dict[ReplyKind, dict[int | None, list[tuple[int, bool]]]] = {}
        self._ends: dict[tuple[str, bool], list[bool]] = defaultdict(list)

    def add(self, model: str, transcript: Transcript) -> None:
        """Take in what the model said in a debate."""
        settings = transcript.opened.settings
        own = read_settings(settings, CastSettings)
        style, most = own.style, own.max_tokens
        rounds = read_settings(settings, SizeSettings).rounds
        last = max((turn.id for turn in transcript.turns), default=0)
        for turn in transcript.turns:
            if turn.model != model or turn.completion_tokens is None:
                continue
            self.replies += 1
            kind = style, turn.step, bool(turn.reads)
            found = self._lengths.setdefault(kind, defaultdict(list))
            found[most].append((turn.completion_tokens, turn.finish == "length"))
            if turn.round != rounds:  # after the last round it ends in any case
                self._ends[turn.step, turn.round > 1].append(turn.id == last)

    def length(self, kind: ReplyKind, most: int | None) -> float | None:
        """Return the mean tokens of a reply that is cut off after ``most``; None where unknown.

        Args:
            kind: of reply.
            most: None for no ``max_tokens``.
        """
        known = self._lengths.get(kind, {})
        same = known.get(most, [])
        if len(same) >= ENOUGH:
            return fmean(tokens for tokens, _ in same)
        usable = [tokens for cap, each in known.items() for tokens in _under(each, cap, most)]
        return fmean(usable) if len(usable) >= ENOUGH else None

    def ends(self, step: str, *, later: bool) -> float | None:
        """Return the share of replies to a step that end a debate early; None where unknown.

        Where little is known of later rounds, or of the first, they are taken to be alike.
        """
        alone = self._ends.get((step, later), [])
        for known in (alone, alone + self._ends.get((step, not later), [])):
            if len(known) >= ENOUGH:
                return fmean(known)
        return None


def _under(replies: list[tuple[int, bool]], cap: int | None, most: int | None) -> Iterator[float]:
    """Yield how long replies with one cap would have been with another, as far as is known."""
    lower = most is not None and (cap is None or cap >= most)
    if lower or fmean(cut for _, cut in replies) <= OFTEN:
        yield from (float(min(tokens, most or tokens)) for tokens, _ in replies)


def learn_habits(lab: Lab, models: Mapping[str, str]) -> dict[str, Habits]:
    """Return the habits of models that the store knows, by the names of their calls.

    Args:
        lab: with the store.
        models: the names of their calls, by those that settings have.
    """
    found = {called: Habits() for called in models.values()}
    for row in lab.store.runs()[:RUNS] if models else ():
        for arm in decode_study(row).arms:
            said = {models[name] for name in models_in(arm.settings) if name in models}
            for each in islice(lab.store.debates(row.id, arm=arm.name), DEBATES) if said else ():
                for model in said:
                    found[model].add(model, each.transcript)
    return found


class ReplyLength(NamedTuple):
    """How long replies of one kind are.

    Attributes:
        typical: mean tokens of those that end by themselves.
        endless: the share of those that do not, 0 to 1.
        even: whether those that end are all about as long.
    """

    typical: float
    endless: float = 0.0
    even: bool = False

    def mean(self, most: int | None) -> float:
        """Return the mean length of replies that are cut off after ``most`` tokens.

        Where nothing cuts them off, endless ones are taken for typical ones.
        """
        if most is None:
            return self.typical
        ended = min(self.typical, most) if self.even else shorten(self.typical, most)
        return (1 - self.endless) * ended + self.endless * most


ALONE = {"simple": ReplyLength(21), "few-shot": ReplyLength(21), "explained": ReplyLength(25)}
"""Of an agent that has read no other, by style."""
OTHERWISE = ReplyLength(85, 0.02)
"""The same in all other styles."""
READING = {"explained": ReplyLength(60, 0.6)}
"""Of an agent that has read others and answers in its own words, by style."""
HAVING_READ = ReplyLength(60, 0.03)
"""The same in all other styles."""
FORMS = {
    "conclusion": ReplyLength(60, 0.15, even=True),
    "evaluation": ReplyLength(30, even=True),
    "opinion": ReplyLength(75, 0.08, even=True),
    "reasoned": ReplyLength(32, even=True),
    "ruling": ReplyLength(50, 0.25, even=True),
}
"""Of a reply that is held to a JSON schema, by what it is read as."""
FORM = ReplyLength(55, 0.05, even=True)
"""The same of all others that are."""


def find_length(style: str, reads_as: str, *, reads: bool) -> ReplyLength:
    """Return the length of a kind of reply of the embedded model, in tokens.

    Args:
        style: in which the agent answers.
        reads_as: what the reply is read as, the name of a parser.
        reads: whether the agent has read others.
    """
    if parsers.get(reads_as).schema is not None:
        return FORMS.get(reads_as, FORM)
    if reads:
        return READING.get(style, HAVING_READ)
    return ALONE.get(style, OTHERWISE)


def shorten(typical: float, most: int) -> float:
    """Return the mean length of replies that are cut off after so many tokens.

    Their lengths are taken to have a gamma distribution of shape 2: few are very short, some are
    more than twice as long as the typical one.
    """
    scale = typical / 2
    return scale * (2 - exp(-most / scale) * (2 + most / scale))


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

    async def claim(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, or None: no other process has this ledger."""
        return self._replies.get(identity)

    def release(self, identity: bytes) -> None:
        """Do nothing: no other process has this ledger."""

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:  # noqa: ARG002 -- as every ledger
        """Keep a reply."""
        self._replies[identity] = reply
        return reply
