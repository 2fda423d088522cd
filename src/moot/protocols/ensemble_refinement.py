"""Ensemble refinement: reasonings, then aggregations conditioned on all (Singhal et al. 2023)."""

from typing import Annotated, Any

from msgspec import Meta

from moot.core.errors import InputError
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import DecisionRule

COOLER = 0.2
"""How far below the first stage's temperature the second is sampled (the benchmark's code)."""
AT_ONCE = ("simple", "few-shot")
"""The styles without reasoning."""

Reasonings = Annotated[int, Meta(ge=1, le=1000, description="samples of the first stage")]
Aggregations = Annotated[int, Meta(ge=1, le=1000, description="samples of the second stage")]
SummariseFirst = Annotated[
    bool, Meta(description="whether reasoning begins with a summary of the information at hand")
]


def _check_style(
    settings: dict[str, Any], where: str, *, style: str, summarise_first: bool
) -> dict[str, Any]:
    """The settings, where they go together. Raises ``InputError``."""
    if summarise_first and style in AT_ONCE:
        raise InputError(
            f"{where}: summarise_first: style = {style} has no reasoning that could begin with a "
            "summary; take cot or few-shot-cot"
        )
    return settings


@protocol(
    paper="arXiv:2305.09617, section 3.3; Smit et al. 2024, appendices A.2 and A.5",
    calls="reasonings + aggregations",
    roles=("reasoner", "aggregator"),
    opened=("reasoner",),
    voters=("aggregator",),
    verify=_check_style,
    kind="control",
    faithful=("paper", "code"),
)
async def ensemble_refinement(
    debate: Debate,
    question: Question,
    *,
    reasonings: Reasonings = 3,
    aggregations: Aggregations = 9,
    summarise_first: SummariseFirst = False,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Sample reasonings, show all of them to each aggregation, and vote over the aggregations.

    Use it when answers need long reasoning and one more look over several of them helps, as in
    medicine; it makes many calls, most of them long.

    Few-shot examples are shown in the first stage only; the second is sampled 0.2 cooler. In a
    style without reasoning (``simple``, ``few-shot``) neither stage reasons: the benchmark has a
    row for each.

    Differs:
        - First stage: the sources have a system message that announces questions of a kind. Here it
          is the plain style, so that the first stage is the first samples of self-consistency,
          which is what the benchmark's self-consistency is, too.
        - Summary: ``summarise_first`` is the paper's prompt "ER MAD CoT"; its table 3 has "ER MAD"
          throughout, the default.
        - Second stage: what is said and its order are the code's. There the task is a system
          message and each reasoning a message of the assistant; here it is one user message.
        - First temperature: the code's first stage is sampled at 0.7 with top-p 0.5.
        - Sources: the paper's prompt lets reasoning refer to authoritative sources; here it does
          not.
    """
    reasoners = debate.seat("reasoner", reasonings)
    views = await debate.everyone(reasoners, "reason" if summarise_first else "answer")
    aggregators = debate.seat("aggregator", aggregations, debater=False, cooler=COOLER)
    refined = await debate.everyone(
        aggregators, "refine", others=views, summarise_first=summarise_first
    )
    return debate.decide(refined, decision)
