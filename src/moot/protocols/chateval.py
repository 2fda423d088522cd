"""ChatEval: debaters over a common history, in three modes (Chan et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import Agents, DecisionRule, HasSummary, Rounds
from moot.debate.stop_rule import Stopping
from moot.debate.views import Views

SpeakingMode = Annotated[
    Literal["one-by-one", "simultaneous"],
    Meta(description="whether agents speak in turn or all at once"),
]


@protocol(
    paper="arXiv:2308.07201, section 3.3; Smit et al. 2024, appendix A.5",
    calls="agents * rounds + summary * (rounds - 1)",
    roles=("debater", "summariser"),
    agreement=True,
    voters=("debater",),
    shared=Stopping,
    faithful=("paper", "code"),
)
async def chateval(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    mode: SpeakingMode = "one-by-one",
    summary: HasSummary = False,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let debaters speak over the history of all that was said, then vote.

    Use it when agents should react to one another in turn, in roles if you give them personas;
    prompts grow with every turn, so not with small context windows.

    The third mode of the paper is ``simultaneous`` with ``summary``: after each round but the last
    a summariser's words take the place of the history. From then on it is shown its own summary
    with the new replies, and brings it up to date. A debater alone looks at its own answer again.

    Differs:
        - Question: the code does not show it to the summariser; here it is shown.
        - History: the code sends what others said as assistant messages with their names; here it
          stands with their names in one user message. The question comes last in both.
        - Name: each debater is told what the others call it. The sources do not say.
        - Agreement: as in the code it takes the place of "need not fully agree" in the system
          message. The code's texts above 50 % differ in the percentage alone; here reservations
          shrink as in the code's texts for society of minds.
    """
    alone = agents == 1
    debaters = debate.seat("debater", agents, remembers=False, alone=alone)
    scribes = debate.seat("summariser", remembers=False, debater=False) if summary else []
    history = Views()
    for _ in debate.until_stop(range(rounds)):
        if history and scribes:
            history = await debate.everyone(scribes, "summarise", history=history)
        if mode == "simultaneous":
            said = await debate.everyone(debaters, "speak", history=history, alone=alone)
            history = history.add(*said)
        else:
            history = await debate.in_turn(debaters, "speak", history, alone=alone)
    return debate.decide(history.newest(debaters), decision)
