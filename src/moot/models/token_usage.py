"""The tokens that an endpoint reports for a reply, under the names of many endpoints."""

from typing import Annotated, Any

import msgspec

Tokens = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class PromptDetails(msgspec.Struct):
    """The tokens of the prompt, in part: OpenAI, Gemini, xAI, vLLM, SGLang."""

    cached_tokens: Tokens | None = None


class CompletionDetails(msgspec.Struct):
    """The tokens written, in part."""

    reasoning_tokens: Tokens | None = None


class TokenUsage(msgspec.Struct):
    """The usage in a response; None for what it does not report.

    DeepSeek, Moonshot and gateways to Anthropic report prompt tokens from their cache under the
    last three names.
    """

    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    total_tokens: Tokens | None = None
    prompt_tokens_details: PromptDetails | None = None
    completion_tokens_details: CompletionDetails | None = None
    reasoning_tokens: Tokens | None = None
    prompt_cache_hit_tokens: Tokens | None = None
    cached_tokens: Tokens | None = None
    cache_read_input_tokens: Tokens | None = None

    def count_cached(self) -> int:
        """Return the prompt tokens that came from a cache; 0 where the endpoint does not say."""
        details = self.prompt_tokens_details
        found = None if details is None else details.cached_tokens
        if found is None:
            found = self.prompt_cache_hit_tokens
        if found is None:
            found = self.cached_tokens
        if found is None:
            found = self.cache_read_input_tokens
        return min(found, self.prompt_tokens or 0) if found else 0

    def count_written(self, *, thought_beside: bool) -> tuple[int | None, int | None]:
        """Return the tokens written, hidden thought included, and those that are hidden thought.

        Most endpoints count thought among the completion tokens. xAI and Gemini count it beside
        them, in the total alone; it is added here, since it is charged as written. The total may be
        larger for another reason, so the surplus counts only where the endpoint reports as many
        reasoning tokens, or is known to count so.

        Args:
            thought_beside: whether the endpoint counts thought beside the completion tokens.
        """
        written, details = self.completion_tokens, self.completion_tokens_details
        thought = self.reasoning_tokens if details is None else details.reasoning_tokens
        total, prompt = self.total_tokens, self.prompt_tokens
        if written is None or (thought is None and not thought_beside):
            return written, thought
        beside = total - prompt - written if total is not None and prompt is not None else 0
        if beside > 0 and (thought is None or thought == beside):
            return written + beside, beside
        if thought is not None and thought > written:
            return written + thought, thought
        return written, thought


_COUNTS = tuple(name for name in TokenUsage.__struct_fields__ if not name.endswith("_details"))


def read_usage(usage: object) -> TokenUsage:
    """Return the usage in a response of any shape; what is missing or impossible is unknown."""
    if not isinstance(usage, dict):
        return TokenUsage()
    prompt, written = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    read: dict[str, Any] = {name: _count(usage.get(name)) for name in _COUNTS}
    if isinstance(prompt, dict):
        read["prompt_tokens_details"] = PromptDetails(_count(prompt.get("cached_tokens")))
    if isinstance(written, dict):
        thought = _count(written.get("reasoning_tokens"))
        read["completion_tokens_details"] = CompletionDetails(thought)
    return TokenUsage(**read)


def _count(value: object) -> int | None:
    """Return a number of tokens, or None where the server sent something else."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if usable else None  # type: ignore[return-value]  # usable says it is an int
