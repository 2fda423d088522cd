"""How sure an agent is: whether it is asked, on which scale, and what further calls say."""

from collections.abc import Mapping, Sequence
from typing import Any

from moot.core.calls import Reply
from moot.core.confidence_scales import P_TRUE
from moot.core.errors import InputError
from moot.core.questions import Kind
from moot.debate.agents import Agent
from moot.debate.context import DebateContext
from moot.debate.protocol_settings import MORE_DRAWS
from moot.parsing.confidence import Confidence
from moot.parsing.parser import Parsed
from moot.parsing.same import is_same
from moot.prompts.packs import Step

LOGPROBS = "logprobs"
"""The source that is the mean probability of the reply's tokens; nothing in the prompt asks."""
CONSISTENCY = "consistency"
"""The source that draws the answer again, and counts how often it is the same."""
_A_SCALE = "choose a scale, such as percent"


def wants_logprobs(agent: Agent, context: DebateContext, *, answers: bool) -> bool:
    """Return whether an agent's reply shall come with the probabilities of its tokens.

    Args:
        agent: who replies.
        context: with the settings.
        answers: whether the reply is an answer of its own.

    Raises:
        InputError: the agent's model gives none.
    """
    if context.settings.get("confidence") != LOGPROBS or not answers:
        return False
    need_logprobs(agent, f"confidence = {LOGPROBS!r}", _A_SCALE)
    return True


def need_logprobs(agent: Agent, setting: str, instead: str) -> None:
    """Raise ``InputError`` where an agent's model is known to give no probabilities of tokens.

    Args:
        agent: who is to be asked.
        setting: that needs them, with its value.
        instead: what to do.
    """
    model = agent.config.model
    if getattr(model, "gives_logprobs", None) is False:
        raise InputError(
            f"setting {setting}: {model.name} gives no probabilities of tokens; {instead}"
        )


def find_further(agent: Agent, context: DebateContext, *, votes: bool) -> str:
    """Return the source for which an answer takes further calls; empty where it takes none.

    Raises:
        InputError: the agent's model gives no probabilities of tokens, which the source needs.
    """
    source: str = context.settings.get("confidence") or ""
    if source not in {CONSISTENCY, P_TRUE} or not (votes and agent.seat.debater):
        return ""
    if source == P_TRUE:
        need_logprobs(agent, f"confidence = {P_TRUE!r}", _A_SCALE)
    return source


def count_further(settings: Mapping[str, Any]) -> int:
    """Return how many further calls each answer of a debater takes for its confidence."""
    source = settings.get("confidence")
    if source == CONSISTENCY:
        draws: int = settings.get("more_draws", MORE_DRAWS)
        return draws
    return int(source == P_TRUE)


def add_consistency(parsed: Parsed, drawn: Sequence[Parsed], kind: Kind) -> Parsed:
    """Return what a reply says with the share of draws that have its answer as its confidence.

    A reading that the reply has stays, and a reply without an answer has no confidence.
    """
    if parsed.reading is not None or parsed.answer is None:
        return parsed
    same = sum(is_same(parsed.answer, each.answer, kind) for each in drawn)
    raw = f"{same} of {len(drawn)} draws"
    return parsed._replace(
        reading=Confidence(confidence=same / len(drawn), raw=raw, source=CONSISTENCY)
    )


def add_p_true(parsed: Parsed, checked: Reply) -> Parsed:
    """Return what a reply says with the probability of "True" as its confidence.

    Where the model said "False", it is 1 minus the probability of that.
    """
    if parsed.reading is not None or parsed.answer is None:
        return parsed
    word, chance = checked.text.strip().casefold(), checked.token_probability
    sure = None
    if chance is not None and word:
        sure = {"t": chance, "f": 1 - chance}.get(word[0])
    return parsed._replace(
        reading=Confidence(confidence=sure, raw=checked.text.strip(), source=P_TRUE)
    )


def add_probability(parsed: Parsed, reply: Reply) -> Parsed:
    """Return what a reply says with the probability of its tokens as its confidence.

    A reading that the reply has stays, and so does a reply whose endpoint gave no probability.
    """
    if parsed.reading is not None or reply.token_probability is None:
        return parsed
    return parsed._replace(reading=Confidence(confidence=reply.token_probability, source=LOGPROBS))


def find_scale(agent: Agent, template: Step, context: DebateContext, *, answers: bool) -> str:
    """Return the scale on which an agent is asked how sure it is; empty where it is not.

    Debaters are asked where their reply is a plain answer of their own. An agent that answers as
    another question's debater is asked what that one is.
    """
    scale: str = context.settings.get("confidence") or ""
    if scale in {"", LOGPROBS, CONSISTENCY, P_TRUE} or not answers:
        return ""
    return scale if context.pack.reads_as(template, agent.config.style) == "answer" else ""
