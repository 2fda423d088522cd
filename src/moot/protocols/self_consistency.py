"""Self-consistency: sample several reasonings of one prompt, then vote (Wang et al. 2023)."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule, Samples
from moot.debate.verdicts import verdict_from

Aggregate = Annotated[bool, Meta(description="whether an aggregator merges instead of a vote")]


@protocol(
    paper="arXiv:2203.11171; aggregator: Prejudice and Fidelity, section 3.1 and table 5",
    calls="samples + aggregate",
    answers="samples",
    roles=("sampler", "aggregator"),
    opened=("sampler",),
    voters=("sampler",),
    kind="samples",
    first="sampler",
    closing="aggregate",
    faithful=("paper", "code"),
)
async def self_consistency(
    debate: Debate,
    question: Question,
    *,
    samples: Samples = 5,
    aggregate: Aggregate = False,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Sample the same prompt several times and take the most frequent answer.

    Use it when you want the strongest simple baseline: the same price as a debate, and no talk; not
    for open questions, whose answers are rarely the same twice.

    Its draws are those of a society of minds' first round, so the two are paired and the shared
    calls are paid once. With an aggregator, one more agent reads all samples, analyses them and
    gives the most consistent and correct answer.

    Differs:
        - Verdict: Wang et al. and Smit et al. vote, the default; Prejudice and Fidelity has an
          aggregator and no vote (``aggregate``), which its studies here have, too. ``faithful``
          follows Smit et al. in a vote, and Prejudice and Fidelity in what the aggregator is asked.
        - Prompt: the benchmark's code is its ensemble refinement without the second stage, whose
          system message announces questions of a kind. Here the plain style is all that is said.
        - Aggregator: the paper numbers the answers; here they are headed by the agents' numbers.
          For chess it says that the answers name possible squares; here it does not.
        - Box: an aggregator's answer stands in a line "Final answer:". Prejudice and Fidelity asks
          for it in a box, of two solutions for 0 or 1, and for a square in brackets.
    """
    samplers = debate.seat("sampler", samples)
    views = await debate.everyone(samplers, "answer")
    if not aggregate:
        return debate.decide(views, decision)
    [aggregator] = debate.seat("aggregator", debater=False)
    return verdict_from(await debate.ask(aggregator, "aggregate", others=views), by="aggregator")
