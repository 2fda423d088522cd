"""Medprompt: samples over shuffled choices, mapped back, and a vote (Nori et al. 2023)."""

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule, Samples
from moot.parsing.shuffle import draw_order


@protocol(
    paper="arXiv:2311.16452; Smit et al. 2024, section 2",
    calls="samples",
    roles=("sampler",),
    opened=("sampler",),
    voters=("sampler",),
    kind="control",
    faithful=("paper", "code"),
)
async def medprompt(
    debate: Debate,
    question: Question,
    *,
    samples: Samples = 5,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Sample chains of thought, each over the choices in an order of its own, and vote.

    Use it when a question has choices and models prefer some places or letters: the order changes
    with each sample; without choices it is self-consistency.

    Every answer is taken back to the original letter. This is the part of Medprompt that the
    benchmark used. ``style=few-shot-cot`` and ``choose=nearest`` add the nearest neighbours of the
    question among ``examples``; Medprompt has the model write their reasons itself and keeps those
    that end right. A question without choices is sampled as it is.

    Differs:
        - Examples: the paper speaks of few-shot prompts with reasoning (section 2), its code's
          configuration has no examples. The default is the code's, without.
        - System message: the sources have one, of a helpful assistant that answers questions of
          medicine. Here there is none for any data.
        - Sampling: the paper varies temperature and top-p (0.5 and 0.7, 0.5 and 0.8).
    """
    samplers = debate.seat("sampler", samples)
    orders = {one: draw_order(question, *debate.key, at) for at, one in enumerate(samplers)}
    views = await debate.everyone(samplers, "answer", order=orders.__getitem__)
    return debate.decide(views, decision)
