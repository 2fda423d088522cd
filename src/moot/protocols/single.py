"""One agent, asked once: the baseline of every debate."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import OMITTED
from moot.debate.verdicts import verdict_from

Tries = Annotated[
    int,
    Meta(
        ge=1,
        le=10,
        title="How often it is asked, until an answer can be read",
        description="how often it is asked at most, until an answer can be read",
        extra=OMITTED,
    ),
]


@protocol(
    paper="Smit et al. 2024, section 2 (single agent)",
    calls="tries",
    fewest="1",
    answers="1",
    roles=("agent",),
    kind="single",
    closing="answer",
    faithful=("paper", "code"),
)
async def single(debate: Debate, question: Question, *, tries: Tries = 1) -> Verdict:
    """Ask one agent once and take its answer.

    Use it when one call is enough, or a study needs its simplest baseline; nothing checks the
    answer.

    With ``tries`` above 1 it is asked again, in the same chat, while no answer can be read.

    Differs:
        - Simple: the paper's prompt ends with the opening words of the answer, so that the letter
          comes at once. A chat cannot be begun like this everywhere; ``simple`` asks for the line
          with the answer and nothing else.
    """
    [agent] = debate.seat("agent")
    view = await debate.ask(agent, "answer")
    for _ in range(tries - 1):
        if view.answer is not None:
            break
        view = await debate.ask(agent, "answer")
    return verdict_from(view)
