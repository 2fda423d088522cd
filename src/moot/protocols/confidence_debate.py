"""Confidence debate: agents read how sure the others are, as a number from 1 to 10."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from moot.core.confidence_scales import TOPS
from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.agents import Agent
from moot.debate.debate import Debate
from moot.debate.debate_settings import DebateSettings, read_own
from moot.debate.features.confidence import FEATURE
from moot.debate.protocol import protocol
from moot.debate.protocol_settings import (
    KEY_SHOWN,
    OMITTED,
    DecisionRule,
    Rounds,
    SeveralAgents,
)
from moot.debate.stop_rule import Stopping
from moot.debate.views import View, Views, draw_order
from moot.parsing.same import is_correct
from moot.parsing.standings import Standings
from moot.parsing.stated_confidence import find_confidences

LOWEST, HIGHEST = 1, 10
CERTAIN = 0.01
"""The uncertainty of an agent that is wholly sure, so that none is zero."""

Factor = Annotated[
    float,
    Meta(
        ge=0,
        le=1000,
        description="how far the numbers spread; the code's 14 makes those of three agents sum up "
        "to 15; for n agents 5 * n - 1 gives a mean of 5",
    ),
]
Oracle = Annotated[
    bool,
    Meta(
        description="whether agents are shown 10 beside right answers and 1 beside all others; for "
        "studies alone, since it needs the right answers",
        extra=OMITTED | KEY_SHOWN,
    ),
]
Shuffled = Annotated[
    bool,
    Meta(description="whether agents are shown each other's numbers mixed up, as a placebo"),
]


def _ask_for_confidence(
    settings: dict[str, Any], where: str, overlay: Path | None = None
) -> dict[str, Any]:
    """The settings with a confidence, in percent where none is set.

    Raises:
        InputError: the replies have no place for one, though they are no words of a conversation.
    """
    asked = settings | {"confidence": settings["confidence"] or "percent"}
    pack = confidence_debate.pack(overlay)
    if all(pack.step(style).reads_as != "reply" for style in DebateSettings(settings).styles):
        FEATURE.check(read_own(FEATURE, asked), confidence_debate.read(asked), where, pack)
    return asked


@protocol(
    paper="arXiv:2407.06426 (DebUnc) and its code, by prompt",
    calls="agents * rounds",
    answers="agents * rounds",
    roles=("mind",),
    agreement=True,
    voters=("mind",),
    first="mind",
    shared=Stopping,
    steered=True,
    verify=_ask_for_confidence,
)
async def confidence_debate(
    debate: Debate,
    question: Question,
    *,
    agents: SeveralAgents = 3,
    rounds: Rounds = 3,
    factor: Factor = 14.0,
    shuffled: Shuffled = False,
    oracle: Oracle = False,
    decision: DecisionRule = "plurality",
) -> Verdict:
    """Let every agent revise its answer over those of the others and how sure each of them is.

    Use it when a model's confidence tells its right answers from its wrong ones: measure that
    first (``moot analyse calibration``); where all are equally sure, it is a plain debate.

    Each round every answer gets a number from 1 to 10 that grows with how sure its agent is,
    measured against the others: with uncertainties u, ``factor * (1/u) / sum(1/u) + 1/n``, rounded.
    How sure an agent is comes from the setting ``confidence``, here ``percent`` where none is set;
    u is 1.01 less the confidence, and an agent that states none counts as wholly unsure. What an
    agent itself says of it is not shown to the others. A reply in a conversation (the style
    ``chat``) states none: then all numbers are one. The transcript has the numbers of each round.
    With ``shuffled`` they change places among the agents: what is then gained is not due to
    confidence. With ``oracle`` right answers have the highest number and all others the lowest:
    that is what a perfect confidence would be worth, and no method. Its verdicts and its reports
    say so.

    Differs:
        - Uncertainty: the code's are the mean entropy of the tokens and TokenSAR. Here it is any
          confidence that moot knows.
        - Attention: the paper also scales a model's attention. That needs its weights.
        - Oracle: in the code it is one more way to be sure. Here it is a setting, which takes the
          place of confidences; it is refused for a question without a known answer.
    """
    minds = debate.seat("mind", agents)
    views = await debate.everyone(minds, "answer")
    for number in debate.until_stop(range(2, rounds + 1)):
        if oracle:
            marks = [HIGHEST if is_correct(view.answer, question) else LOWEST for view in views]
        else:
            unsure = [1 - (view.confidence or 0.0) + CERTAIN for view in views]
            marks = mark_certainty(unsure, factor)
        if shuffled:
            order = draw_order(agents, question.id, *debate.key, "confidence-debate", number)
            marks = [marks[place] for place in order]
        debate.record_count(_state_marks(minds, marks), f"shown beside answers in round {number}")
        shown = Views(
            _hide_confidence(view, debate.context.settings["confidence"]).relabel(
                f"{view.agent.label} (confidence {mark})", view.answer, view.turn.round
            )
            for view, mark in zip(views, marks, strict=True)
        )
        others = {
            mind: Views(view for view in shown if view.agent.seat is not mind.seat)
            for mind in minds
        }
        views = await debate.everyone(minds, "revise", in_round=number, others=others.__getitem__)
    verdict = debate.decide(views, decision)
    return msgspec.structs.replace(verdict, by=f"{verdict.by}, oracle") if oracle else verdict


def _state_marks(minds: Sequence[Agent], marks: Sequence[int]) -> Standings:
    """Return the number that the others are shown beside each agent's answer, the highest first."""
    shown = {mind.seat.agent: float(mark) for mind, mark in zip(minds, marks, strict=True)}
    return Standings(scores=dict(sorted(shown.items(), key=lambda each: -each[1])))


def _hide_confidence(view: View, scale: str) -> View:
    """Return a reply without the lines that say how sure its agent is."""
    if scale not in TOPS:
        return view
    lines = view.text.splitlines()
    kept = [line for line in lines if not find_confidences(line, scale, finished=True)]
    return view.with_text("\n".join(kept).rstrip(), "reason")


def mark_certainty(uncertainties: list[float], factor: float) -> list[int]:
    """Return how sure each agent is beside the others, from 1 to 10.

    Args:
        uncertainties: of each agent, above 0.
        factor: how far the numbers spread.

    Source: arXiv:2407.06426, its code.
    """
    weights = [1 / each for each in uncertainties]
    whole = sum(weights)
    raw = (factor * weight / whole + 1 / len(weights) for weight in weights)
    return [round(min(max(each, LOWEST), HIGHEST)) for each in raw]
