"""Two sides before an arbiter: the course that several protocols share."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from moot.answers.ruling import Ruling, Side
from moot.core.events import Verdict
from moot.debate.agents import Agent, View
from moot.debate.debate import Debate
from moot.debate.verdicts import says

ShownFirst = Annotated[Side, Meta(description="the side that whoever decides reads first")]
SpeaksFirst = Annotated[
    Side, Meta(description="the side that answers first and, if there is one, takes the opening")
]


@dataclass(frozen=True, slots=True)
class Argument:
    """What two sides have argued, and where the arbiter stands.

    Attributes:
        arbiter: who weighs it.
        affirmative: that side's newest view.
        negative: the other's.
        shown_first: the side that stands first wherever both are shown.
        verdict: what the arbiter decided; None when all rounds left it open.
    """

    arbiter: Agent
    affirmative: View
    negative: View
    shown_first: Side = "affirmative"
    verdict: Verdict | None = None

    async def put(self, debate: Debate, agent: Agent, step: str) -> View:
        """Show both sides to an agent, in their order, and take in what it says."""
        pro, con, first = self.affirmative, self.negative, self.shown_first
        if first == "affirmative":  # what is read first is heard first
            return await debate.ask(agent, step, affirmative=pro, negative=con, shown_first=first)
        return await debate.ask(agent, step, negative=con, affirmative=pro, shown_first=first)

    def decided(self, view: View, *, must: bool = False) -> Verdict | None:
        """What a ruling decides: its answer, else that of the side it supports.

        Args:
            view: the ruling.
            must: True for the last word: it is a verdict even without an answer.
        """
        ruling = view.told(Ruling)
        by = view.agent.seat.role
        if view.answer is None and ruling is not None and ruling.side is not None:
            side = self.affirmative if ruling.side == "affirmative" else self.negative
            if side.answer is not None and ruling.preference is not False:
                return says(side, by=by)
        return says(view, by=by) if must or view.decided else None


async def argue(
    debate: Debate,
    arbiter: str,
    *,
    rounds: int,
    speaks_first: Side = "affirmative",
    shown_first: Side = "affirmative",
) -> Argument:
    """Let an affirmative and a negative argue until an arbiter decides, or the rounds are over.

    One side answers and, in later rounds, replies to the other; the other opposes what the first
    has just said; the arbiter weighs both.

    Args:
        debate: it seats the two sides and the arbiter.
        arbiter: the role of who weighs.
        rounds: the most there are.
        speaks_first: the side that answers; it has the first seat.
        shown_first: the side that stands first before the arbiter.
    """
    opens = speaks_first == "affirmative"
    [first] = debate.seat("affirmative" if opens else "negative")
    [second] = debate.seat("negative" if opens else "affirmative")
    [judge] = debate.seat(arbiter)
    one = await debate.ask(first, "answer")
    for left in reversed(range(rounds)):
        other = await debate.ask(second, "oppose", other=one)
        pro, con = (one, other) if opens else (other, one)
        argument = Argument(judge, pro, con, shown_first)
        ruling = await argument.put(debate, judge, "weigh")
        if verdict := argument.decided(ruling):
            return Argument(judge, pro, con, shown_first, verdict)
        if left:
            one = await debate.ask(first, "reply", other=other)
    return argument
