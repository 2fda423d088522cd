"""Society of minds: answer alone, read one another, revise, vote (Du et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Agents, Rounds, Summary
from moot.debate.verdicts import majority

Exchange = Annotated[
    Literal["simultaneous", "sequential"],
    Meta(description="whether agents read the round before, or already those before them"),
]


@protocol(
    paper="arXiv:2305.14325",
    calls="agents * rounds + summary * (rounds - 1)",
    roles=("mind", "summariser"),
    agreement=True,
)
async def society_of_minds(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    exchange: Exchange = "simultaneous",
    summary: Summary = False,
) -> Verdict:
    """Let every agent revise its answer in the light of the others', then vote.

    In a simultaneous round, the paper's, all agents read what was said in the round before; in a
    sequential one, the benchmark's code, each reads the newest of everyone. With a summary a
    summariser tells, between rounds, what has been said, and agents read that instead.
    """
    minds = debate.seat("mind", agents, remembers=not summary)
    scribes = debate.seat("summariser", remembers=False) if summary else []
    views = await debate.everyone(minds, "answer")
    for _ in range(rounds - 1):
        told = await debate.everyone(scribes, "summarise", others=views)
        if exchange == "simultaneous" or told:  # whoever reads the summary waits for nobody
            views = await debate.everyone(minds, "revise", others=told or views.without)
        else:
            for mind in minds:
                view = await debate.ask(mind, "revise", others=views.without(mind))
                views = views.renewed(view)
    return majority(views, question)
