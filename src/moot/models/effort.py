"""The effort of a reasoning model: each endpoint has its own parameters for it."""

from collections.abc import Mapping
from typing import Any, Literal

from moot.core.calls import Effort
from moot.core.errors import InputError

EffortWay = Literal[
    "reasoning_effort", "reasoning", "thinking", "template", "template-only", "none"
]
"""How an endpoint takes effort; see ``WAYS``."""

WAYS: dict[EffortWay, str] = {
    "reasoning_effort": "reasoning_effort",
    "reasoning": "reasoning.effort",
    "thinking": "thinking.type and reasoning_effort",
    "template": "reasoning_effort, and chat_template_kwargs.enable_thinking and .thinking",
    "template-only": "chat_template_kwargs.enable_thinking and .reasoning_effort",
    "none": "not at all: the endpoint ignores effort, so moot refuses it",
}
"""The parameters that are sent for effort, by way.

- ``reasoning_effort``: OpenAI and most others, Ollama, LM Studio and xAI among them.
- ``reasoning``: OpenRouter.
- ``thinking``: DeepSeek, which has a switch beside the effort.
- ``template``: vLLM and SGLang. The model's chat template decides whether it thinks: it reads
  ``enable_thinking`` (Qwen, GLM) or ``thinking`` (DeepSeek, Granite).
- ``template-only``: llama.cpp, where the chat template reads all of it.
- ``none``: Anthropic's chat completions, which accept ``reasoning_effort`` and ignore it.
"""

PARAMETERS = frozenset({"reasoning_effort", "reasoning", "thinking", "chat_template_kwargs"})
"""The names of all parameters that effort is sent as."""


def effort_parameters(way: EffortWay, effort: Effort, model: str) -> Mapping[str, Any]:
    """Return the parameters of a request for this effort.

    Args:
        way: how the endpoint takes effort.
        effort: how much the model thinks.
        model: the model's name, for the error's text.

    Raises:
        InputError: the endpoint ignores effort.
    """
    thinks = effort != "none"
    match way:
        case "reasoning_effort":
            return {"reasoning_effort": effort}
        case "reasoning":
            return {"reasoning": {"effort": effort}}
        case "thinking":
            if not thinks:
                return {"thinking": {"type": "disabled"}}
            return {"thinking": {"type": "enabled"}, "reasoning_effort": effort}
        case "template":
            both = {"enable_thinking": thinks, "thinking": thinks}
            return {"reasoning_effort": effort, "chat_template_kwargs": both}
        case "template-only":
            switches = {"enable_thinking": thinks, "reasoning_effort": effort}
            return {"chat_template_kwargs": switches}
        case "none":
            raise InputError(
                f"{model}: setting effort = {effort!r}: this endpoint ignores effort, so it would "
                "change nothing: leave it out, or put what the endpoint takes into extra_body of "
                "a [models.NAME] table"
            )


def add_effort(sent: dict[str, Any], parameters: Mapping[str, Any]) -> None:
    """Add the parameters of effort to a request; a table that is in it keeps its other keys."""
    for name, value in parameters.items():
        before = sent.get(name)
        both = isinstance(before, Mapping) and isinstance(value, Mapping)
        sent[name] = {**before, **value} if both else value  # type: ignore[dict-item]  # both
