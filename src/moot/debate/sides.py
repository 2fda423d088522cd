"""Two sides before an arbiter: the course that several protocols share."""

from dataclasses import dataclass

from moot.answers.ruling import Ruling
from moot.core.events import Verdict
from moot.debate.agents import Agent, View
from moot.debate.debate import Debate
from moot.debate.verdicts import says


@dataclass(frozen=True, slots=True)
class Argument:
    """What two sides have argued, and where the arbiter stands.

    Attributes:
        arbiter: who weighs it.
        affirmative: that side's newest view.
        negative: the other's.
        verdict: what the arbiter decided; None when all rounds left it open.
    """

    arbiter: Agent
    affirmative: View
    negative: View
    verdict: Verdict | None = None

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


async def argue(debate: Debate, arbiter: str, *, rounds: int) -> Argument:
    """Let an affirmative and a negative argue until an arbiter decides, or the rounds are over.

    The affirmative answers and, in later rounds, replies to the negative; the negative opposes what
    the affirmative last said; the arbiter weighs both.

    Args:
        debate: it seats the two sides and the arbiter.
        arbiter: the role of who weighs.
        rounds: the most there are.
    """
    [affirmative] = debate.seat("affirmative")
    [negative] = debate.seat("negative")
    [judge] = debate.seat(arbiter)
    pro = await debate.ask(affirmative, "answer")
    for left in reversed(range(rounds)):
        con = await debate.ask(negative, "oppose", other=pro)
        ruling = await debate.ask(judge, "weigh", affirmative=pro, negative=con)
        argument = Argument(judge, pro, con)
        if verdict := argument.decided(ruling):
            return Argument(judge, pro, con, verdict)
        if left:
            pro = await debate.ask(affirmative, "reply", other=con)
    return argument
