"""Steering: a person who follows a debate remarks on it, and has it go on or end."""

from moot.debate.debate import Debate
from moot.debate.exchange import Exchange
from moot.debate.feature import Feature
from moot.debate.hooks import Inner
from moot.debate.rounds import Rounds
from moot.debate.steering import Steering, make_note
from moot.prompts.packs import REMARK


class SteeringFeature(Feature):
    """Does what a person asks of a debate while it runs, at the end of a round."""

    names = ("steering",)

    def end(self, debate: Debate, state: Steering) -> None:
        """Record the steps that came too late."""
        for step in state.take_rest():
            debate.record(make_note(step, ends=False, after=debate.newest_turn))

    def inherit(self, state: Steering, inner: Inner) -> Steering | None:
        """Return the steering of a debate in this one's place; a sub-debate has none."""
        return state if inner.in_place else None

    def lines(self, state: Steering, exchange: Exchange) -> str:
        """Return the person's remarks, for all agents."""
        if not state.remarks:
            return ""
        return exchange.turns.context.pack.word(REMARK, "shown", remarks=state.remarks)

    def rounds(self, state: Steering, debate: Debate, rounds: Rounds) -> None:
        """Take the steps that a person asked for until the end of each round, and record them."""

        def take(rounds: Rounds) -> None:
            after, node = debate.newest_turn, debate.context.node
            for step in state.take(after):
                debate.record(make_note(step, after=after, node=node))
                rounds.extra += step.way == "extend"
                rounds.is_over |= step.way == "decide"

        rounds.steps.append(take)


FEATURE = SteeringFeature()
