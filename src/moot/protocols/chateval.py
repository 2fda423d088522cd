"""ChatEval: debaters over a common history, in three modes (Chan et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Views
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Agents, Rounds, Summary
from moot.debate.verdicts import majority

Mode = Annotated[
    Literal["one-by-one", "simultaneous"],
    Meta(description="whether agents speak in turn or all at once"),
]


@protocol(
    paper="arXiv:2308.07201, section 3.3; Smit et al. 2024, appendix A.5",
    calls="agents * rounds + summary * (rounds - 1)",
    roles=("debater", "summariser"),
    agreement=True,
)
async def chateval(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    mode: Mode = "one-by-one",
    summary: Summary = False,
) -> Verdict:
    """Let debaters speak over the history of all that was said, then vote.

    The third mode of the paper is ``simultaneous`` with ``summary``: after each round but the last
    a summariser's words take the place of the history.
    """
    debaters = debate.seat("debater", agents, remembers=False)
    scribes = debate.seat("summariser", remembers=False) if summary else []
    history = Views()
    for left in reversed(range(rounds)):
        if mode == "simultaneous":
            history = history.then(*await debate.everyone(debaters, "speak", history=history))
        else:
            history = await debate.in_turn(debaters, "speak", history)
        if left and scribes:
            history = await debate.everyone(scribes, "summarise", history=history)
    return majority(history.newest(debaters), question)
