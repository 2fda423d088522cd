"""Confidence gate: one agent answers, and the others debate only where it is not sure."""

from typing import Annotated

from msgspec import Meta

from moot.core.events import Verdict
from moot.core.questions import Question
from moot.debate.debate import Debate
from moot.debate.inner import (
    FittedOn,
    InnerDebate,
    Threshold,
    ask_for_confidence,
    enter_inner,
)
from moot.debate.protocol import list_inner_protocols, protocol
from moot.debate.protocol_settings import Agents, Rounds
from moot.debate.stops import accept_above, measure_confidence
from moot.debate.verdicts import verdict_from
from moot.debate.views import View

Tags = Annotated[
    bool, Meta(description="whether agents read each reply with the confidence it states")
]


@protocol(
    paper="arXiv:2504.05047 (DOWN)",
    calls="inner",
    fewest="1",
    answers="inner",
    verify=ask_for_confidence,
    runs=list_inner_protocols,
    signal="confidence",
)
async def confidence_gate(
    debate: Debate,
    question: Question,
    *,
    inner: InnerDebate = "society-of-minds",
    agents: Agents = 3,
    rounds: Rounds = 2,
    threshold: Threshold = None,
    fitted: FittedOn = "",
    tags: Tags = True,
) -> Verdict:
    """Let one agent answer, and debate only where its confidence is not above a threshold.

    Use it when one model answers all seats and says how sure it is, and its confidence was found to
    tell right from wrong on other questions (``moot tune``).

    Where the debate takes place, the agent's answer is its first turn: it is not asked again, and
    the others join it. The debate may be any protocol that begins with agents that each answer
    alone. A reply without a confidence that can be read, or without an answer, is never accepted.

    Differs:
        - Threshold: the paper's were not to be had. There is no default: without one it always
          debates, and says so.
        - The vote, or the judge, is that of the debate: its setting ``decision``.
        - Confidence: the paper's is the mean probability of the tokens, here with the setting
          ``confidence=logprobs``. Without one agents state it, in percent: few endpoints give
          probabilities.
    """
    protocol, inside = enter_inner(debate)
    if tags:
        inside.tag = lambda view: _show_confidence(debate, view)
    first = await inside.begin(protocol.first_role, 1)
    gate = accept_above(measure_confidence, threshold, signal="confidence", fitted_on=fitted)
    if inside.accepts(gate, first):
        return verdict_from(first[0], by="confidence")
    return await protocol.run(inside)


def _show_confidence(debate: Debate, view: View) -> View:
    """Return a view with its confidence beside its words; without one, as it is."""
    if view.confidence is None:
        return view
    stated = f"{view.confidence:.2f}"
    text = debate.word("tagged", text=view.text, confidence=stated)
    return view.with_text(text, f"with confidence {stated}")
