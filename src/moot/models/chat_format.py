"""The chat-completions format: the request for a call, and the reply in a response."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from math import exp
from typing import Any, NamedTuple

import msgspec

from moot.core.calls import Call, Reply, Sampling
from moot.core.errors import NOT_JSON
from moot.core.messages import Message, ToolCall
from moot.models.endpoint_address import COMPLETIONS
from moot.models.finish_reasons import read_finish
from moot.models.refusals import SYSTEM_MESSAGES
from moot.models.token_usage import TokenUsage, read_usage

encode = msgspec.json.Encoder().encode

RENAMED = {
    "max_tokens": "max_completion_tokens",
    SYSTEM_MESSAGES: "the beginning of the next user message",
}
"""The other name of a parameter, for endpoints that refuse its usual name."""


class MessageBody(msgspec.Struct):
    """The message of a choice, or what a piece of a stream adds to it.

    Values of any type are decoded; the functions below check them.
    """

    content: Any = None
    refusal: Any = None
    # Hidden thought: DeepSeek's name, and that of OpenRouter, Groq, Ollama and newer vLLMs.
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: Any = None


class _Choice(msgspec.Struct):
    message: MessageBody | None = None
    finish_reason: Any = None
    logprobs: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: TokenUsage | None = None
    error: Any = None


class _OddCompletion(msgspec.Struct):
    """A completion whose usage is of any type."""

    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Completion).decode


class Unreadable(ValueError):
    """A response that is no completion.

    Attributes:
        error: the error object in the response, if it has one.
    """

    def __init__(self, message: str, error: object = None) -> None:
        super().__init__(message)
        self.error = error


def fields(
    model: str, call: Call, *, seed: str | None, changes: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return the request's JSON object.

    Args:
        model: the endpoint's name for the model.
        call: the call. A sampling value of None is not sent.
        seed: the name of the seed parameter; None to send no seed.
        changes: parameters that this endpoint refuses, each with the name to send instead, or None
            to leave it out.
    """
    sampling = call.sampling
    sent: dict[str, Any] = {"model": model, "messages": _shape_messages(call.messages)}
    if sampling.temperature is not None:
        sent["temperature"] = sampling.temperature
    if sampling.top_p is not None:
        sent["top_p"] = sampling.top_p
    if sampling.max_tokens is not None:
        sent["max_tokens"] = sampling.max_tokens
    if sampling.stop:
        sent["stop"] = sampling.stop
    if seed is not None:
        sent[seed] = call.seed()
    if sampling.schema is not None or sampling.logprobs or sampling.tools is not None:
        sent |= _further_fields(sampling)
    return _change(sent, call, changes) if changes else sent


def _change(sent: dict[str, Any], call: Call, changes: Mapping[str, str | None]) -> dict[str, Any]:
    """Return a request's JSON object without what this endpoint refuses."""
    if SYSTEM_MESSAGES in changes:
        sent["messages"] = _shape_messages(tuple(_join_system(call.messages)))
    for name, instead in changes.items():
        value = sent.pop(name, None)
        if instead is not None and value is not None:
            sent[instead] = value
    return sent


def _further_fields(sampling: Sampling) -> dict[str, Any]:
    """Return the parameters that few calls have: a schema, probabilities, a client's tools."""
    sent: dict[str, Any] = {}
    if sampling.schema is not None:
        schema = {"name": "reply", "schema": sampling.schema, "strict": True}
        sent["response_format"] = {"type": "json_schema", "json_schema": schema}
    if sampling.logprobs:
        sent["logprobs"] = True
    if (tools := sampling.tools) is not None:
        given = {"tool_choice": tools.choice, "parallel_tool_calls": tools.parallel}
        sent["tools"] = tools.tools
        sent |= {name: value for name, value in given.items() if value is not None}
    return sent


def _shape_messages(messages: tuple[Message, ...]) -> Sequence[Message | dict[str, Any]]:
    """Return messages as they are sent: as they are, unless one has images."""
    for message in messages:
        if message.images:
            return list(_join_images(messages))
    return messages


def _join_system(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages with the text of each system message before the next message of a user."""
    held: list[str] = []
    for each in messages:
        if each.role == "system":
            held.append(each.content)
        elif each.role == "user" and held:
            yield msgspec.structs.replace(each, content="\n\n".join([*held, each.content]))
            held.clear()
        else:
            yield each
    if held:
        yield Message("user", "\n\n".join(held))


def _join_images(messages: Iterable[Message]) -> Iterator[dict[str, Any] | Message]:
    """Yield messages with their images; those of a user that follow one another become one."""
    for is_user, same in groupby(messages, key=lambda each: each.role == "user"):
        if not is_user:
            yield from same
            continue
        parts: list[dict[str, Any]] = []
        for each in same:
            parts += [{"type": "text", "text": each.content}] if each.content else []
            parts += [{"type": "image_url", "image_url": {"url": url}} for url in each.images]
        yield {"role": "user", "content": parts}


def _decode_odd(body: bytes) -> _Completion:
    """Decode JSON that msgspec refuses, or whose usage is not as it should be.

    It has half of a surrogate pair, NaN, a raw line break, a byte-order mark before it.

    Raises:
        Unreadable: it is no completion.
    """
    reason = "the response is not JSON"
    try:
        data = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
        reason = "the response is no chat completion"
        odd = msgspec.convert(data, _OddCompletion)
    except (ValueError, RecursionError):
        raise Unreadable(reason) from None
    return _Completion(odd.choices, read_usage(odd.usage), odd.error)


def read_text(content: object) -> str:
    """Return the text of a message's content: a text, or a list of parts; null is an empty text."""
    if type(content) is str and content.isascii():
        return content
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        content = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(content, str):
        return ""
    # Half of a surrogate pair cannot be stored or sent; it becomes a question mark.
    return content if content.isascii() else content.encode("utf-8", "replace").decode()


def read_thought(message: MessageBody) -> str:
    """Return the hidden thought, from a field of its own or from the parts of the content."""
    if message.reasoning_content is not None or message.reasoning is not None:
        thought = read_text(message.reasoning_content) or read_text(message.reasoning)
        if thought:
            return thought
    if not isinstance(message.content, list):
        return ""
    parts = (part.get("thinking") for part in message.content if isinstance(part, dict))
    return "".join(map(read_text, parts))


def _read_tool_calls(given: object) -> tuple[ToolCall, ...]:
    """Return the calls of tools in a message; what is no call of a function is left out."""
    calls = []
    for each in given if isinstance(given, list) else ():
        with suppress(msgspec.ValidationError):
            calls.append(msgspec.convert(each, ToolCall))
    return tuple(calls)


def _mean_probability(logprobs: object) -> float | None:
    """Return the mean probability of the tokens in a choice's logprobs; None where it has none."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    tokens = content if isinstance(content, list) else []
    found = [token.get("logprob") for token in tokens if isinstance(token, dict)]
    known = [exp(min(0.0, each)) for each in found if isinstance(each, int | float)]
    return sum(known) / len(known) if known and len(known) == len(tokens) else None


def read(body: bytes, seconds: float, *, thought_beside: bool = False) -> Reply:
    """Return the reply in a response.

    A null content is an empty reply: it is paid for, and commits to no answer. A refusal that the
    endpoint sends in place of the content is the reply. Usage that is missing or impossible is
    unknown.

    Args:
        body: the body of the response.
        seconds: from the request to the response.
        thought_beside: whether the endpoint counts hidden thought beside the completion tokens.

    Raises:
        Unreadable: there is no reply in it.
    """
    try:
        completion = _decode(body)
    except NOT_JSON:
        completion = _decode_odd(body)
    choice = completion.choices[0] if completion.choices else None
    if choice is None or choice.message is None:
        raise Unreadable("the response holds no reply", completion.error)
    finish = read_finish(choice.finish_reason)
    if finish is None:
        raise Unreadable("the endpoint broke off its reply", completion.error)
    message, usage = choice.message, completion.usage or _NO_USAGE
    written, thought = usage.count_written(thought_beside=thought_beside)
    text, shown = read_text(message.content) or read_text(message.refusal), read_thought(message)
    if thought is None and shown and not text:
        thought = written  # nothing else was written
    return Reply(
        text=text,
        finish=finish,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=written,
        cached_tokens=usage.count_cached(),
        seconds=seconds,
        thought=shown,
        reasoning_tokens=thought,
        tool_calls=() if message.tool_calls is None else _read_tool_calls(message.tool_calls),
        token_probability=None if choice.logprobs is None else _mean_probability(choice.logprobs),
    )


_NO_USAGE = TokenUsage()


class WireFormat(NamedTuple):
    """One kind of request to an endpoint.

    Attributes:
        path: the path below the endpoint's address.
        fields: returns the request's JSON object; see ``fields``.
        read: returns the reply in a response, or raises ``Unreadable``; see ``read``.
    """

    path: str
    fields: Callable[..., dict[str, Any]]
    read: Callable[[bytes, float], Reply]


CHAT = WireFormat(COMPLETIONS, fields, read)
"""Chat completions."""
CHAT_THOUGHT_BESIDE = WireFormat(COMPLETIONS, fields, partial(read, thought_beside=True))
"""Chat completions of endpoints that count hidden thought beside the completion tokens."""
