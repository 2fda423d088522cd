"""One agent, asked once: the baseline of every debate."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.verdicts import says


@protocol(paper="Smit et al. 2024, section 2 (single agent)", calls="1", roles=("agent",))
async def single(debate: Debate, question: Question) -> Verdict:
    """Ask one agent once and take its answer."""
    [agent] = debate.seat("agent")
    return says(await debate.ask(agent, "answer"))
