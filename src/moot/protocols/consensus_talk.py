"""Consensus talk: agents speak in turn until enough of them agree with the newest solution."""

from collections.abc import Callable
from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Rounds, SeveralAgents
from moot.debate.stop_rule import Ending, Stop
from moot.debate.verdicts import verdict_from
from moot.debate.views import View, Views
from moot.parsing.same import is_same

Consensus = Annotated[
    Literal["majority", "supermajority", "unanimity", "hybrid"],
    Meta(
        description="how many have to agree: more than half; two thirds; all; or all in the first "
        "four rounds, or of up to three agents, and three quarters later"
    ),
]
Recalled = Annotated[
    int,
    Meta(ge=1, le=1000, description="how many rounds an agent reads: this one and those before"),
]
STRICT = 4
"""The rounds in which a hybrid consensus takes all agents."""
FEW = 3
"""Agents of whom a hybrid consensus always takes all."""
ENOUGH: dict[str, Callable[[int, int, int], bool]] = {
    "majority": lambda agreeing, agents, _: 2 * agreeing > agents,
    "supermajority": lambda agreeing, agents, _: 3 * agreeing >= 2 * agents,
    "unanimity": lambda agreeing, agents, _: agreeing == agents,
    "hybrid": lambda agreeing, agents, number: (
        agreeing == agents if number <= STRICT or agents <= FEW else 4 * agreeing >= 3 * agents
    ),
}
"""Whether so many of all agents are enough in a round, by the kind of consensus."""


@protocol(
    paper="arXiv:2502.19130; Kaesberg's mallm",
    calls="agents * rounds",
    fewest="2",
    answers="agents * rounds",
    roles=("speaker",),
    steered=True,
)
async def consensus_talk(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 3,
    rounds: Rounds = 10,
    consensus: Consensus = "majority",
    recalled: Recalled = 2,
) -> Verdict:
    """Let agents speak in turn, for the newest solution or for one of their own, until they agree.

    Use it when a question asks for knowledge and agents are likely to meet soon: it ends with the
    first message that makes enough of them agree; for a vote in a stated form take ``ballot``.

    The newest solution is the newest answer that differs from the one before it. All who spoke
    since then gave that same answer, and agree with it; so does the agent whose solution it is. It
    is checked after every message. Where the rounds are over first, the newest solution is the
    verdict. A reply without an answer neither agrees nor is a solution.

    Differs:
        - An agent agrees by giving the same answer; in mallm it says so.
        - mallm takes half of all agents for a majority; here it is more than half.
        - mallm's rounds are called turns there; the first message is a plain answer here, so that
          it is the first sample of ``self-consistency``.
    """
    speakers = debate.seat("speaker", agents, remembers=False)
    said, draft = Views(), None
    for number in debate.until_stop(range(1, rounds + 1)):
        for speaker in speakers:
            view = await _speak(debate, speaker, _recall(said, draft, number - recalled), draft)
            said = said.add(view)
            if not _agrees(view, draft, question):
                draft = view if view.answer is not None else draft
            if draft and debate.ends(_stop_when_enough(draft, agents, number, consensus), said):
                return verdict_from(draft, by="consensus")
    return verdict_from(draft or said[-1], by="newest solution")


async def _speak(debate: Debate, speaker: Agent, heard: Views, draft: View | None) -> View:
    """Let an agent speak; the first one of all reads nothing."""
    if not heard:
        return await debate.ask(speaker, "answer")
    standing = draft.agent.label if draft else ""
    return await debate.ask(speaker, "discuss", history=heard, standing=standing)


def _recall(said: Views, draft: View | None, before: int) -> Views:
    """Return what was said after a round, behind the draft if that is older."""
    recent = Views(view for view in said if view.turn.round > before)
    return recent if draft is None or draft in recent else Views((draft, *recent))


def _agrees(view: View, draft: View | None, question: Question) -> bool:
    return draft is not None and is_same(view.answer, draft.answer, question.kind)


def _stop_when_enough(draft: View, agents: int, number: int, consensus: str) -> Stop:
    """Return a stop that ends where enough agents agree with a draft."""

    def stop(views: Views, question: Question) -> Ending:
        since = views[views.index(draft) :]
        agreeing = len({view.agent.seat.number for view in since if _agrees(view, draft, question)})
        enough = ENOUGH[consensus](agreeing, agents, number)
        why = "enough agree" if enough else "too few agree"
        return Ending(why=why, signal=agreeing / agents, ends=enough)

    return stop
