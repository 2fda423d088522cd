"""The reasons why a reply ended, in the words of all endpoints."""

from moot.core.calls import Finish

_REASONS: dict[Finish, tuple[str, ...]] = {
    "stop": (
        *("stop", "stop_sequence", "end_turn", "eos", "eos_token"),  # OpenAI, Anthropic, TGI
        *("complete", "completed", "finish", "finished", "done"),  # Cohere, Titan, Ollama
    ),
    "length": (
        *("length", "max_tokens", "max_output_tokens"),  # OpenAI; Anthropic, Gemini; responses
        *("max_completion_tokens", "max_new_tokens", "max_length"),
        *("model_length", "model_context_window_exceeded", "error_limit"),  # Mistral, z.ai, Cohere
    ),
    "filter": (
        *("content_filter", "content_filtered", "guardrail_intervened"),  # OpenAI, Bedrock
        *("safety", "recitation", "blocklist", "prohibited_content", "spii", "image_safety"),
        *("refusal", "error_toxic", "sensitive"),  # Anthropic, Cohere, Zhipu
    ),
}
_BROKEN = ("error", "network_error", "insufficient_system_resource", "abort", "aborted")
"""Reasons of a reply that is not whole: OpenRouter, Zhipu, DeepSeek, SGLang."""


def _fold(reason: str) -> str:
    """Return a reason without case and signs, and without Gemini's first words."""
    return "".join(filter(str.isalnum, reason.lower())).removeprefix("finishreason")


_FINISH: dict[str, Finish] = {
    name: finish
    for finish, reasons in _REASONS.items()
    for reason in reasons
    for name in (reason, _fold(reason))
}
_BREAKS = frozenset(map(_fold, _BROKEN))


def read_finish(reason: object) -> Finish | None:
    """Return how a reply ended; None where the endpoint broke it off, so that it is asked again.

    A reason that is missing is none against the reply.
    """
    if not isinstance(reason, str):
        return "stop"
    known = _FINISH.get(reason)
    if known is not None:
        return known
    folded = _fold(reason)
    if folded in _BREAKS:
        return None
    return _FINISH.get(folded, "other") if folded else "stop"
