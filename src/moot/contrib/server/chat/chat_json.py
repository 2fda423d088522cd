"""The JSON of the endpoint in OpenAI's forms: requests, completions, chunks and errors."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from moot.extend.calls import Effort
from moot.extend.records import Dissent, Kind, ReplyPiece, ToolCall, Unread

MOST_STOPS = 16
"""The most stop texts of a request."""


class ContentPart(msgspec.Struct, frozen=True):
    """A part of a message's content: text, or in a user's message an image."""

    type: str
    text: str | None = None
    image_url: dict[str, Any] | str | None = None


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of the conversation.

    Attributes:
        role: ``system``, ``developer``, ``user`` or ``assistant``.
        content: a text, or a list of parts.
        tool_calls: the tools that the assistant wants called.
        tool_call_id: of a tool's message: which call it answers.
        function_call: refused where there is one.
    """

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[ContentPart] | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    function_call: dict[str, Any] | None = None


class StreamOptions(msgspec.Struct, frozen=True):
    """Options of a stream."""

    include_usage: bool | None = None


class JsonSchema(msgspec.Struct, frozen=True):
    """The schema that ``response_format`` names."""

    name: str = "answer"
    schema: dict[str, Any] = {}
    strict: bool | None = None
    description: str | None = None


class ResponseFormat(msgspec.Struct, frozen=True):
    """The form of the answer's text."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class DebateOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a debate that OpenAI's requests do not have.

    Attributes:
        kind: what the answer looks like.
        choices: the options of a multiple-choice question.
        context: a passage to read before the question; it comes before the conversation's.
        settings: of the protocol, over those of the model's name.
        replicate: the number of the first choice among the debates of the same question; ``new``
            for a new debate, which is also the default without a seed.
        max_calls: the most calls the debates of this request may pay for together.
        max_tokens: the most prompt and completion tokens, as ``max_calls``.
        max_cost: the most US dollars, as ``max_calls``.
        pieces: whether a stream has the words of all agents as they are written.
    """

    kind: Kind | None = None
    choices: list[str] | None = None
    context: str | None = None
    settings: dict[str, Any] | None = None
    replicate: Annotated[int, Meta(ge=0, le=999_999)] | Literal["new"] | None = None
    max_calls: Annotated[int, Meta(ge=0)] | None = None
    max_tokens: Annotated[int, Meta(ge=0)] | None = None
    max_cost: Annotated[float, Meta(ge=0)] | None = None
    pieces: bool | None = None


class CompletionRequest(msgspec.Struct, frozen=True, kw_only=True):
    """``POST /v1/chat/completions``. Null stands for a parameter that is not given.

    Attributes:
        model: a preset, or ``PROTOCOL:PROVIDER/MODEL?setting=value``.
        messages: the last one, a user's, is the question; the earlier ones are the conversation.
        n: debates of the same question, each a choice.
        max_tokens: of each message of an agent; ``max_completion_tokens`` is the same.
        reasoning_effort: how much the agents' models think; each endpoint takes some of the values.
        stop: the answer's text ends before the first of these.
        tools: functions of the client that the agent of ``single`` may ask to be called.
    """

    model: Annotated[str, Meta(min_length=1, max_length=8192)]
    messages: Annotated[list[ChatMessage], Meta(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int, Meta(ge=1, le=128)] | None = None
    seed: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    top_p: Annotated[float, Meta(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    max_completion_tokens: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    reasoning_effort: Effort | None = None
    stop: str | Annotated[list[str], Meta(max_length=MOST_STOPS)] | None = None
    response_format: ResponseFormat | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    moot: DebateOptions | None = None


class CachedTokens(msgspec.Struct, frozen=True):
    """Prompt tokens that endpoints served from their caches, or the ledger by a replay."""

    cached_tokens: int = 0


class ReasoningTokens(msgspec.Struct, frozen=True):
    """Completion tokens that are hidden thought of the agents' models."""

    reasoning_tokens: int = 0


class ChatUsage(msgspec.Struct, frozen=True):
    """Tokens, summed over every call of every debate; counts that endpoints did not report are 0.

    Attributes:
        completion_tokens: those written this time; replayed replies have none.
    """

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CachedTokens = CachedTokens()
    completion_tokens_details: ReasoningTokens = ReasoningTokens()


class VerdictBody(msgspec.Struct, frozen=True):
    """The verdict of a debate, see ``moot.core.events.Verdict``; ``by`` as ``Answer.by`` has it."""

    answer: str | None
    by: str
    turn: int | None
    votes: dict[str, int]


class DebateTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict of one or several debates, and their calls, costs and time.

    Attributes:
        verdict: None if a debate failed.
        calls: replies, whether paid for or replayed.
        replayed: those of them that came from the ledger and cost nothing this time.
        cost: in US dollars, as if nothing had been replayed; None where a price is unknown.
        spent: what was paid this time, without replayed calls; None where a price is unknown.
        seconds: wall time; of several debates, that of the longest.
        failed: None, or why there is no verdict.
    """

    verdict: VerdictBody | None
    calls: int
    replayed: int
    cost: float | None
    spent: float | None
    seconds: float
    failed: str | None = None


class DebateBody(DebateTotals, frozen=True, kw_only=True):
    """The outcome of one debate.

    Attributes:
        replicate: its number among the debates of the same question.
        dissents: what speaks against the answer; empty where nothing does.
        unread: the replies that should have counted for it and could not be read.
    """

    replicate: int
    dissents: tuple[Dissent, ...] = ()
    unread: tuple[Unread, ...] = ()


class CompletionExtension(DebateTotals, frozen=True, kw_only=True):
    """The outcome of all debates of a request: the field ``moot`` of a completion.

    The verdict is that of the first choice; each choice has its own.

    Attributes:
        run: the key under which ``moot show`` finds the transcripts.
        kind: the question's.
        simulated: whether any agent is not a language model.
    """

    run: str
    protocol: str
    kind: Kind
    simulated: bool


FinishReason = Literal["stop", "length", "content_filter", "tool_calls"]


class ReplyMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The message of a choice.

    Attributes:
        reasoning_content: all messages of the agents, as in a stream.
        refusal: why there is no content, where the verdict does not fit the form asked for.
        tool_calls: the tools that the agent wants called.
    """

    role: Literal["assistant"] = "assistant"
    content: str | None
    reasoning_content: str
    refusal: str | None = None
    tool_calls: tuple[ToolCall, ...] | UnsetType = UNSET


class CompletionChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One debate's answer."""

    index: int
    message: ReplyMessage
    finish_reason: FinishReason
    logprobs: None = None
    moot: DebateBody


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a request that did not ask for a stream."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: ChatUsage
    moot: CompletionExtension


class TurnBody(msgspec.Struct, frozen=True, kw_only=True):
    """The turn behind a reasoning delta, see ``moot.core.events.Turn``."""

    id: int
    agent: str
    role: str
    round: int
    model: str
    answer: str | None
    reads: tuple[int, ...]


class ChunkExtension(msgspec.Struct, frozen=True, kw_only=True):
    """What a chunk has beside its delta.

    That is a turn, a piece of a reply under way, or at the end the outcome of the debate.
    """

    turn: TurnBody | UnsetType = UNSET
    piece: ReplyPiece | UnsetType = UNSET
    debate: DebateBody | UnsetType = UNSET


class ToolCallDelta(ToolCall, frozen=True, kw_only=True):
    """A call of a tool in a stream; it comes whole."""

    index: int


class Delta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a chunk adds to the message of a choice."""

    role: Literal["assistant"] | UnsetType = UNSET
    content: str | UnsetType = UNSET
    reasoning_content: str | UnsetType = UNSET
    refusal: str | UnsetType = UNSET
    tool_calls: tuple[ToolCallDelta, ...] | UnsetType = UNSET


class ChunkChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk's part of a choice."""

    index: int
    delta: Delta
    finish_reason: FinishReason | None = None
    logprobs: None = None
    moot: ChunkExtension | UnsetType = UNSET


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a stream. It has ``usage`` only if the request asked for it."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: ChatUsage | UnsetType | None = UNSET
    moot: CompletionExtension | UnsetType = UNSET


class ModelCard(msgspec.Struct, frozen=True, kw_only=True):
    """One model of ``GET /v1/models``; ``description`` says how it answers, in a line."""

    id: str
    description: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = "moot"


class ModelList(msgspec.Struct, frozen=True, kw_only=True):
    """``GET /v1/models``.

    Models that the owner allows by a pattern, such as ``openai/*``, are not in it: ask for one as
    ``PROTOCOL:openai/NAME``, e.g. ``single:openai/gpt-4o-mini``.
    """

    object: Literal["list"] = "list"
    data: list[ModelCard]


class ErrorDetails(msgspec.Struct, frozen=True, kw_only=True):
    """An error in OpenAI's form."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every response that is an error."""

    error: ErrorDetails
