"""Whether an agent is asked how sure it is, and on which scale."""

from collections.abc import Mapping
from typing import Any

from moot.core.errors import InputError
from moot.debate.agent_config import styles_in
from moot.debate.agents import Agent
from moot.debate.context import DebateContext
from moot.prompts.packs import Pack, Step


def check_confidence(settings: Mapping[str, Any], pack: Pack, where: str, *, needs: str) -> None:
    """Raise ``InputError`` where no reply of a debate's agents could state a confidence.

    Args:
        settings: of a protocol, each of its type; the nodes of a network are checked one by one.
        pack: its prompts.
        where: for the error's text.
        needs: the library that the protocol runs on; empty without one.
    """
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
    if not (scale and votes and (agent.seat.debater or agent.seat.draws_as is not None)):
        return ""
    return scale if context.pack.reads_as(template, agent.config.style) == "answer" else ""
