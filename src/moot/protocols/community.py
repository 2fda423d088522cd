"""Community: agents debate in turn over one history, and a judge chooses (MAD-Community)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Views
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Agents, Rounds
from moot.debate.verdicts import says

Placing = Annotated[
    Literal["user", "system"],
    Meta(description="the message the question stands in (MAD-Community, table 1)"),
]


@protocol(
    paper="MAD-Community, section 3 and figure 1",
    calls="agents * rounds + 1",
    roles=("member", "judge"),
    agreement=True,
)
async def community(
    debate: Debate,
    question: Question,
    *,
    agents: Agents = 3,
    rounds: Rounds = 2,
    placing: Placing = "user",
) -> Verdict:
    """Let agents speak in turn over all that was said, then a judge choose among the last.

    The judge reads the newest response of each agent.
    """
    members = debate.seat("member", agents, remembers=False, placing=placing)
    said = Views()
    for _ in range(rounds):
        for member in members:
            view = await debate.ask(member, "speak", history=said, placing=placing)
            said = Views((*said, view))
    [judge] = debate.seat("judge", placing=placing)
    last = Views(said.of(member) for member in members)
    return says(await debate.ask(judge, "choose", others=last, placing=placing), by="judge")
