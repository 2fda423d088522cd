"""Whether an agent is asked how sure it is, and on which scale."""

from collections.abc import Mapping
from typing import Any

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.debate.agent_config import styles_in
from moot.debate.agents import Agent
from moot.debate.context import DebateContext
from moot.parsing.confidence import Confidence
from moot.parsing.parser import Parsed
from moot.prompts.packs import Pack, Step

LOGPROBS = "logprobs"
"""The source that is the mean probability of the reply's tokens; nothing in the prompt asks."""


def is_debater(agent: Agent) -> bool:
    """Return whether an agent answers for itself, or as another question's debater."""
    return agent.seat.debater or agent.seat.draws_as is not None


def wants_logprobs(agent: Agent, context: DebateContext, *, votes: bool) -> bool:
    """Return whether an agent's reply shall come with the probabilities of its tokens.

    Raises:
        InputError: the agent's model gives none.
    """
    if context.settings.get("confidence") != LOGPROBS or not (votes and is_debater(agent)):
        return False
    model = agent.config.model
    if getattr(model, "gives_logprobs", None) is False:
        raise InputError(
            f"setting confidence = {LOGPROBS!r}: {model.name} gives no probabilities of tokens; "
            "choose a scale, such as percent"
        )
    return True


def add_probability(parsed: Parsed, reply: Reply) -> Parsed:
    """Return what a reply says with the probability of its tokens as its confidence.

    A reading that the reply has stays, and so does a reply whose endpoint gave no probability.
    """
    if parsed.reading is not None or reply.token_probability is None:
        return parsed
    return parsed._replace(reading=Confidence(confidence=reply.token_probability, source=LOGPROBS))


def check_confidence(settings: Mapping[str, Any], pack: Pack, where: str, *, needs: str) -> None:
    """Raise ``InputError`` where no reply of a debate's agents could state a confidence.

    Args:
        settings: of a protocol, each of its type; the nodes of a network are checked one by one.
        pack: its prompts.
        where: for the error's text.
        needs: the library that the protocol runs on; empty without one.
    """
    if settings["confidence"] == LOGPROBS:
        return
    place = f"{where}: setting confidence = {settings['confidence']!r}"
    if needs:
        raise InputError(f"{place}: {needs} writes the prompts, and does not ask for it")
    for style in () if "nodes" in settings else sorted(styles_in(settings)):
        if (form := pack.step(style).reads_as) != "answer":
            raise InputError(
                f"{place}: a reply in style {style!r} has a form of its own ({form}), without a "
                "place for it; use a style that ends in a plain answer, such as cot"
            )


def find_scale(agent: Agent, template: Step, context: DebateContext, *, votes: bool) -> str:
    """Return the scale on which an agent is asked how sure it is; empty where it is not.

    Debaters are asked where their reply is a plain answer of their own. An agent that answers as
    another question's debater is asked what that one is.
    """
    scale: str = context.settings.get("confidence") or ""
    if scale in {"", LOGPROBS} or not (votes and is_debater(agent)):
        return ""
    return scale if context.pack.reads_as(template, agent.config.style) == "answer" else ""
