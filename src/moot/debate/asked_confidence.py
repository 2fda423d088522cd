"""How sure an agent is: whether it is asked, on which scale, and what further calls say."""

from moot.core.errors import InputError
from moot.debate.agents import Agent

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
