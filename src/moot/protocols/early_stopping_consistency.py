"""Early-stopping consistency: sample in windows until all answers of one are the same."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule
from moot.debate.stops import stop_at_consensus
from moot.debate.verdicts import majority
from moot.debate.views import Views

WindowSize = Annotated[int, Meta(ge=2, le=1000, description="how many samples are drawn at once")]
Windows = Annotated[int, Meta(ge=1, le=1000, description="the most windows there are")]


@protocol(
    paper="arXiv:2401.10480",
    calls="windows * window_size",
    fewest="window_size",
    answers="windows * window_size",
    roles=("sampler",),
    opened=("sampler",),
    voters=("sampler",),
    first="sampler",
    kind="control",
)
async def early_stopping_consistency(
    debate: Debate,
    question: Question,
    *,
    window_size: WindowSize = 5,
    windows: Windows = 8,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Draw samples of one prompt, a window at a time, until a window has one answer alone.

    Use it when you want the vote of self-consistency with a rule to stop that is simple to explain;
    small windows stop too soon on hard questions.

    That answer is then the verdict; after the last window all samples vote. The draws are the first
    ones of ``self-consistency``. A window with a reply without an answer does not end it.
    """
    views = Views()
    for _ in range(windows):
        samples = debate.seat("sampler", window_size, after=len(views))
        newest = await debate.everyone(samples, "answer")
        views = views.add(*newest)
        if debate.ends(stop_at_consensus, newest):
            return majority(newest, question, by="unanimous window")
    return debate.decide(views, decision)
