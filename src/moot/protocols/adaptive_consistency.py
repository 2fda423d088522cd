"""Adaptive consistency: sample until the most frequent answer is likely to stay it."""

from fractions import Fraction
from math import comb
from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule
from moot.debate.stop_rule import Ending, Stop
from moot.debate.views import Views
from moot.parsing.same import majority

Most = Annotated[int, Meta(ge=1, le=10_000, description="the most samples that are drawn")]
Sure = Annotated[
    float,
    Meta(ge=0.5, le=1, description="how likely the leading answer has to stay in the lead"),
]
BatchSize = Annotated[int, Meta(ge=1, le=10_000, description="how many samples are drawn at once")]


def stop_when_sure(sure: float) -> Stop:
    """Return a stop that ends where the leading answer is likely enough to stay in the lead.

    With a and b the votes of the two most frequent answers, the signal is the probability that a
    share drawn from Beta(a + 1, b + 1) is above one half.

    Args:
        sure: the least probability, 0.5 to 1.
    """

    def stop(views: Views, question: Question) -> Ending | None:
        _, votes = majority(views.answers, question.kind)
        first, second, *_ = (*sorted(votes.values(), reverse=True), 0, 0)
        many = first + second + 1
        lost = sum(comb(many, place) for place in range(first + 1, many + 1))
        signal = Fraction(2**many - lost, 2**many)
        enough = signal >= sure  # exactly: in floats it is 1 from some fifty votes on
        why = "the lead is likely to stay" if enough else "the lead may change"
        return Ending(why=why, signal=float(signal), threshold=sure, ends=enough)

    return stop


@protocol(
    paper="arXiv:2305.11860",
    calls="most",
    fewest="1",
    answers="most",
    roles=("sampler",),
    opened=("sampler",),
    voters=("sampler",),
    first="sampler",
    kind="control",
)
async def adaptive_consistency(
    debate: Debate,
    question: Question,
    *,
    most: Most = 40,
    sure: Sure = 0.95,
    batch: BatchSize = 1,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Draw samples of one prompt until the leading answer is likely to stay, then vote.

    Use it when you want the vote of self-consistency and questions differ in how hard they are:
    easy ones take few samples; where all are hard it saves nothing.

    Its draws are those of ``self-consistency``, the first of them: what it saves is the rest. A
    sample without an answer does not count, but is one of ``most``.

    Differs:
        - The code also stops by a share, an entropy or a Dirichlet belief. Here it is the Beta of
          the two most frequent answers, its default.
    """
    stop, views = stop_when_sure(sure), Views()
    while len(views) < most:
        count = min(batch, most - len(views))
        samples = debate.seat("sampler", count, after=len(views))
        views = views.add(*await debate.everyone(samples, "answer"))
        if len(views) < most and debate.ends(stop, views):
            break
    return debate.decide(views, decision)
