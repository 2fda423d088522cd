"""Solo performance: one agent plays several personas in one reply (Wang et al. 2023)."""

from typing import Annotated, Literal

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.verdicts import verdict_from

Variant = Annotated[
    Literal["original", "expert"],
    Meta(
        title="Who it is asked to be",
        description="original: personas the agent finds itself; expert: an expert, always",
    ),
]
STEPS = {"original": "spp", "expert": "spp-expert"}


@protocol(
    paper="arXiv:2307.05300; Smit et al. 2024, appendix A.6",
    calls="1",
    roles=("agent",),
    kind="control",
    faithful=("paper", "code"),
)
async def solo_performance(
    debate: Debate, question: Question, *, variant: Variant = "original"
) -> Verdict:
    """Ask one agent to let several personas of its own debate, and take their answer.

    Use it when you want several points of view at the price of one call; only large models play
    personas well.

    It is the prompt style ``spp``, or ``spp-expert``, as a protocol: another style changes nothing.

    Differs:
        - Examples: the paper has two worked examples, an arithmetic puzzle of two people and a poem
          of four, one of them a reader of ten. Here they are tasks of moot's own with teams of the
          same sizes, one of them with a lay reader, and with two rejected drafts each.
    """
    [agent] = debate.seat("agent")
    return verdict_from(await debate.ask(agent, STEPS[variant]))
