"""Community: agents debate in turn over one history, and a judge chooses (MAD-Community)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Views
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.settings import Agents, Placing, Rounds
from moot.debate.verdicts import says


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

    The judge reads the newest response of each agent. The paper samples judges cooler than agents:
    ``agents = [{role = "judge", temperature = 0.3}]``.
    """
    members = debate.seat("member", agents, remembers=False, placing=placing)
    said = Views()
    for _ in range(rounds):
        said = await debate.in_turn(members, "speak", said, placing=placing)
    [judge] = debate.seat("judge", placing=placing)
    last = said.newest(members)
    return says(await debate.ask(judge, "choose", others=last, placing=placing), by="judge")
