"""The JSON of ``/v1/responses`` in OpenAI's forms: requests and answers."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from moot.contrib.server.chat.chat_json import (
    CachedTokens,
    CompletionExtension,
    DebateOptions,
    ReasoningTokens,
)
from moot.extend.calls import Effort
from moot.extend.records import Dissent, Unread

IGNORED = frozenset(
    [
        *("include", "prompt_cache_key", "prompt_cache_retention", "safety_identifier"),
        *("service_tier", "store", "stream_options", "truncation", "user"),
    ]
)
"""Parameters that change no answer."""

NOTHING: dict[str, tuple[Any, ...]] = {
    "background": (False,),
    "context_management": (),
    "conversation": (),
    "max_tool_calls": (),
    "previous_response_id": (),
    "prompt": (),
    "top_logprobs": (0,),
}
"""Parameters that no debate can honour, with the values that ask for nothing."""


class ReasoningOptions(msgspec.Struct, frozen=True):
    """How much the agents' models think. The summary is always the debate."""

    effort: Effort | None = None
    summary: str | None = None
    generate_summary: str | None = None


class TextFormat(msgspec.Struct, frozen=True):
    """The form of the answer's text."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = "answer"
    schema: dict[str, Any] = {}
    strict: bool | None = None
    description: str | None = None


class TextOptions(msgspec.Struct, frozen=True):
    """Options of the answer's text."""

    format: TextFormat | None = None
    verbosity: Literal["medium"] | None = None


class ResponsesRequest(msgspec.Struct, frozen=True, kw_only=True):
    """``POST /v1/responses``. Null stands for a parameter that is not given.

    Attributes:
        model: a preset, or ``PROTOCOL:PROVIDER/MODEL?setting=value``.
        input: the question; or messages, calls of tools and what these gave.
        instructions: a system message before all others.
        max_output_tokens: of each message of an agent.
        metadata: comes back in the answer.
        tools: functions of the client that the agent of ``single`` may ask to be called.
    """

    model: Annotated[str, Meta(min_length=1, max_length=8192)]
    input: str | Annotated[list[dict[str, Any]], Meta(min_length=1)]
    instructions: str | None = None
    stream: bool | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    max_output_tokens: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    reasoning: ReasoningOptions | None = None
    text: TextOptions | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    metadata: dict[str, Any] | None = None
    moot: DebateOptions | None = None


class ResponseUsage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens, counted as those of a chat completion."""

    input_tokens: int
    input_tokens_details: CachedTokens
    output_tokens: int
    output_tokens_details: ReasoningTokens
    total_tokens: int


class ResponseFailure(msgspec.Struct, frozen=True):
    """Why a response has failed."""

    code: str
    message: str


class ResponseExtension(CompletionExtension, frozen=True, kw_only=True):
    """The outcome of the debate: the field ``moot`` of a response.

    Attributes:
        replicate: its number among the debates of the same question.
        dissents: what speaks against the answer; empty where nothing does.
        unread: the replies that should have counted for it and could not be read.
    """

    replicate: int
    dissents: tuple[Dissent, ...] = ()
    unread: tuple[Unread, ...] = ()


class ResponseBody(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request.

    Attributes:
        output: the debate as a summary of reasoning, the answer as a message, and calls of tools.
    """

    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Literal["completed", "failed", "in_progress", "incomplete"]
    model: str
    output: list[dict[str, Any]] = []
    error: ResponseFailure | None = None
    incomplete_details: dict[str, str] | None = None
    instructions: str | None = None
    max_output_tokens: int | None = None
    metadata: dict[str, Any] = {}
    parallel_tool_calls: bool = True
    previous_response_id: None = None
    reasoning: ReasoningOptions = ReasoningOptions()
    store: bool = False
    temperature: float | None = None
    text: dict[str, Any] = {}
    tool_choice: str | dict[str, Any] = "auto"
    tools: list[dict[str, Any]] = []
    top_p: float | None = None
    truncation: Literal["disabled"] = "disabled"
    usage: ResponseUsage | None = None
    moot: ResponseExtension | None = None
