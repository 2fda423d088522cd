"""Two sides and an arbiter: the course of several protocols."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.debate.agent_config import personas_of
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.prompting import Slot
from moot.debate.protocol_settings import OMITTED
from moot.debate.verdicts import verdict_from
from moot.debate.views import View, Views
from moot.parsing.json_fields import split_words
from moot.parsing.ruling import SIDES, Ruling, Side
from moot.prompts.personas import name_persona
from moot.prompts.personas import personas as known_personas


class TwoSides(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of protocols in which two sides argue before an arbiter."""

    speaks_first: Annotated[
        Side,
        Meta(description="the side that answers first and, if there is one, takes the opening"),
    ] = "affirmative"
    shown_first: Annotated[Side, Meta(description="the side that the arbiter reads first")] = (
        "affirmative"
    )
    sides_as: Annotated[
        Literal["label", "persona"],
        Meta(
            description="what the arbiter reads the sides as: affirmative and negative, or personas"
        ),
    ] = "label"
    tells_personas: Annotated[
        bool, Meta(description="whether the arbiter is told the personas, beside the sides' names")
    ] = False
    swaps_labels: Annotated[
        bool, Meta(description="whether the arbiter reads each side under the other's name")
    ] = False
    ends_by: Annotated[
        Literal["preference", "answer"],
        Meta(
            title="When the arbiter has decided",
            description="ends a round with a ruling that prefers a side, or with any that gives an "
            "answer",
            extra=OMITTED,
        ),
    ] = "preference"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "TwoSides":
        """Return those among a debate's settings; what an old transcript lacks has its default."""
        names = [name for name in cls.__struct_fields__ if name in settings]
        return cls(**{name: settings[name] for name in names})


@dataclass(frozen=True, slots=True)
class Headings:
    """The names of the two sides for an arbiter.

    Attributes:
        names: each side's name, e.g. ``"Affirmative"`` or ``"Left-wing"``.
        keys: the word by which a ruling names each side, e.g. ``"Left"``.
        notes: a text beside each name; may be empty.
        options: both keys, in an order that does not depend on the seats.
        advocates: whether the sides make a case, instead of looking for the right answer.
        debaters: a description of both sides for the arbiter; empty for none.
    """

    names: Mapping[Side, str]
    keys: Mapping[Side, str]
    notes: Mapping[Side, str]
    options: tuple[str, str] = ("Affirmative", "Negative")
    advocates: bool = False
    debaters: str = ""

    def side(self, said: str | None) -> Side | None:
        """Return the role of the side that a ruling names; None where it names none or both."""
        if said is None:
            return None
        found = [side for side in SIDES if split_words(self.keys[side]) <= split_words(said)]
        return found[0] if len(found) == 1 else None


def headings_of(settings: Mapping[str, Any]) -> Headings:
    """Return the names of a debate's sides for the arbiter, from the debate's settings.

    The cast among them has the personas of the sides.
    """
    set_so = TwoSides.of(settings)
    who = personas_of(settings, SIDES if set_so.speaks_first == "affirmative" else SIDES[::-1])
    known = {side: known_personas().get(name_persona(who.get(side, ""))) for side in SIDES}
    pro, con = known["affirmative"], known["negative"]
    advocates = any(each.advocates for each in (pro, con) if each)
    own, other = SIDES if not set_so.swaps_labels else SIDES[::-1]
    called: dict[Side, Side] = {"affirmative": own, "negative": other}
    if set_so.sides_as == "persona" and pro and con:
        named_so = {"affirmative": pro, "negative": con}
        table = list(known_personas())
        first, second = sorted((pro, con), key=lambda each: table.index(each.name))
        return Headings(
            names={side: named_so[called[side]].side for side in SIDES},
            keys={side: named_so[called[side]].key for side in SIDES},
            notes=dict.fromkeys(SIDES, ""),
            options=(first.key, second.key),
            advocates=advocates,
            debaters=f"a {first.side.lower()} and a {second.side.lower()} debater",
        )
    told = {side: f" ({name_persona(text)})" for side, text in who.items()}
    return Headings(
        names={side: called[side].title() for side in SIDES},
        keys={side: called[side].title() for side in SIDES},
        notes={side: told.get(called[side], "") if set_so.tells_personas else "" for side in SIDES},
        advocates=advocates,
    )


def check_sides(settings: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the settings. Raises ``InputError`` where personas cannot name the sides."""
    if settings["sides_as"] == "persona":
        who = personas_of(settings, SIDES)
        pair = [known_personas().get(name_persona(who.get(side, ""))) for side in SIDES]
        if None in pair or len({each.key for each in pair if each}) < len(SIDES):
            raise InputError(
                f"{where}: sides_as = 'persona': both sides need a persona of moot's, and not the "
                f"same one: agents = [{{role = 'affirmative', persona = 'left'}}, {{role = "
                f"'negative', persona = 'right'}}]; there are {', '.join(known_personas())}"
            )
    return settings


@dataclass(frozen=True, slots=True)
class Argument:
    """The arguments of two sides, and the arbiter's decision.

    Attributes:
        arbiter: the agent that weighs them.
        affirmative: that side's newest view.
        negative: the other's.
        headings: the names of the sides for the arbiter.
        shown_first: the side that stands first wherever both are shown.
        round: the round that these views are of, from 1.
        ends_by: what a ruling ends the debate by, the preference or the answer.
        verdict: the arbiter's decision; None if no round had one.
    """

    arbiter: Agent
    affirmative: View
    negative: View
    headings: Headings
    shown_first: Side = "affirmative"
    round: int = 1
    ends_by: str = "preference"
    verdict: Verdict | None = None

    async def show_sides(
        self, debate: Debate, agent: Agent, step: str, *, in_round: int = 0
    ) -> View:
        """Show both sides to an agent, in their order, and return its reply.

        Args:
            debate: the debate.
            agent: the agent that is asked.
            step: the pack's prompt.
            in_round: the round that this belongs to; by default the agent's next.
        """
        told = self.headings
        order = SIDES if self.shown_first == "affirmative" else SIDES[::-1]
        views = {"affirmative": self.affirmative, "negative": self.negative}
        sides = Views(
            views[side].relabel(told.names[side], views[side].answer, views[side].turn.round)
            for side in order
        )
        notes = {told.names[side]: told.notes[side] for side in SIDES}
        slots: dict[str, Slot] = {"sides": sides, "notes": notes, "round": self.round}
        return await self.ask(debate, agent, step, in_round=in_round, **slots)

    async def ask(
        self, debate: Debate, agent: Agent, step: str, *, in_round: int = 0, **slots: Slot
    ) -> View:
        """Ask an agent that weighs the sides; its prompt and its form name them."""
        told = self.headings
        filled: dict[str, Any] = {"options": " or ".join(told.options), **slots}
        keys = told.options if told.debaters else ()
        return await debate.ask(
            agent, step, in_round=in_round, keys=keys, advocates=told.advocates, **filled
        )

    def at_first(self, views: Iterable[View]) -> "Argument":
        """Return the arguments of the first round, of all views of the debate."""
        first = {view.agent: view for view in reversed([*views]) if view.turn.votes}
        pro, con = first[self.affirmative.agent], first[self.negative.agent]
        return replace(self, affirmative=pro, negative=con)

    def read_decision(self, view: View, *, must: bool = False) -> Verdict | None:
        """Return the verdict of a ruling: its answer, else that of the side it supports.

        Args:
            view: the ruling.
            must: True for the last word: it is a verdict even without an answer.
        """
        ruling = view.get(Ruling)
        by = view.agent.seat.role
        if self.ends_by == "answer" and not must:
            return verdict_from(view, by=by) if view.answer is not None else None
        side = self.headings.side(ruling.side) if ruling else None
        if view.answer is None and ruling is not None and side is not None:
            supported = self.affirmative if side == "affirmative" else self.negative
            if supported.answer is not None and ruling.preference is not False:
                return verdict_from(supported, by=by)
        return verdict_from(view, by=by) if must or view.is_decided else None


async def argue(
    debate: Debate,
    arbiter: str,
    *,
    rounds: int,
    keeps_opposing: bool = True,
    reply: str = "reply",
) -> Argument:
    """Let an affirmative and a negative argue until an arbiter decides, or the rounds are over.

    The side that speaks first answers, has the first seat and, in later rounds, replies to the
    other; the other opposes what the first has just said; the arbiter weighs both.

    Args:
        debate: it seats the two sides and the arbiter; its settings are those of ``TwoSides``.
        arbiter: the role of the agent that weighs.
        rounds: the most there are.
        keeps_opposing: whether the second side opposes in every round; else in the first alone, and
            replies as the first side does from then on.
        reply: the step in which a side replies to the other.
    """
    set_so = TwoSides.of(debate.context.settings)
    opens, told = set_so.speaks_first == "affirmative", headings_of(debate.context.settings)
    order = SIDES if opens else SIDES[::-1]
    [first] = debate.seat(order[0], opens=True, advocates=told.advocates)
    [second] = debate.seat(order[1], opens=False, advocates=told.advocates)
    [judge] = seat_arbiter(debate, arbiter, told)
    other: View | None = None
    for number in debate.until_stop(range(1, rounds + 1)):
        if other is None:
            one = await debate.ask(first, "answer")
        else:
            one = await debate.ask(first, reply, other=other)
        step = "oppose" if keeps_opposing or number == 1 else reply
        other = await debate.ask(second, step, other=one)
        pro, con = (one, other) if opens else (other, one)
        argument = Argument(judge, pro, con, told, set_so.shown_first, number, set_so.ends_by)
        ruling = await argument.show_sides(debate, judge, "weigh")
        if verdict := argument.read_decision(ruling):
            return replace(argument, verdict=verdict)
    return argument


def seat_arbiter(debate: Debate, role: str, told: Headings) -> list[Agent]:
    """Seat an agent that weighs the sides, and tell it who debates."""
    return debate.seat(role, debater=False, debaters=told.debaters, advocates=told.advocates)
