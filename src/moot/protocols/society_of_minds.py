"""Society of minds: answer alone, read one another, revise, vote (Du et al. 2023)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Agents, Rounds
from moot.debate.verdicts import majority


@protocol(paper="arXiv:2305.14325", calls="agents * rounds")
async def society_of_minds(
    debate: Debate, question: Question, *, agents: Agents = 3, rounds: Rounds = 2
) -> Verdict:
    """Let every agent revise its answer in the light of the others', then vote.

    A round is simultaneous: all agents read the *previous* round's views.
    """
    minds = debate.seat("mind", agents)
    views = await debate.everyone(minds, "answer")
    for _ in range(rounds - 1):
        views = await debate.everyone(minds, "revise", others=views.without)
    return majority(views, question)
