"""How sure an agent is: whether it is asked, on which scale, and what further calls say."""

from collections.abc import Mapping
from typing import Any

from moot.core.confidence_scales import P_TRUE
from moot.core.errors import InputError
from moot.debate.agent_config import styles_in
from moot.debate.agents import Agent
from moot.debate.protocol_settings import MORE_DRAWS
from moot.parsing.confidence import LOGPROBS
from moot.prompts.packs import Pack

CONSISTENCY = "consistency"
"""The source that draws the answer again, and counts how often it is the same."""
A_SCALE = "choose a scale, such as percent"


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


def count_further(settings: Mapping[str, Any]) -> int:
    """Return how many further calls each answer of a debater takes for its confidence."""
    source = settings.get("confidence")
    if source == CONSISTENCY:
        draws: int = settings.get("more_draws", MORE_DRAWS)
        return draws
    return int(source == P_TRUE)


def check_confidence(
    settings: Mapping[str, Any], pack: Pack, where: str, *, needs: str, answers: str
) -> None:
    """Raise ``InputError`` where no reply of a debate's agents could have a confidence.

    Args:
        settings: of a protocol, each of its type; the nodes of a network are checked one by one.
        pack: its prompts.
        where: for the error's text.
        needs: the library that the protocol runs on; empty without one.
        answers: the formula of its answers; empty where it states none.
    """
    if settings["confidence"] == LOGPROBS:
        return
    place = f"{where}: setting confidence = {settings['confidence']!r}"
    if settings["confidence"] in {CONSISTENCY, P_TRUE}:
        if not answers:
            raise InputError(
                f"{place}: it takes further calls for each answer, and this protocol does not say "
                "how many answers it has; choose a scale, such as percent"
            )
        if settings["confidence"] == CONSISTENCY and settings["temperature"] == 0:
            raise InputError(f"{place}: at temperature = 0 all draws of a prompt are the same")
        return
    if needs:
        raise InputError(f"{place}: {needs} writes the prompts, and does not ask for it")
    for style in () if "nodes" in settings else sorted(styles_in(settings)):
        if (form := pack.step(style).reads_as) != "answer":
            raise InputError(
                f"{place}: a reply in style {style!r} has a form of its own ({form}), without a "
                "place for it; use a style that ends in a plain answer, such as cot"
            )
