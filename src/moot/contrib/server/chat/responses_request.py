"""A request to ``/v1/responses``, told as the chat completion that asks for the same."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from moot import Message
from moot.contrib.server.chat.chat_json import (
    ChatMessage,
    CompletionRequest,
    ContentPart,
    JsonSchema,
    ResponseFormat,
)
from moot.contrib.server.chat.request import ChatRequest, build_request, decode_object
from moot.contrib.server.chat.responses_json import IGNORED, NOTHING, ResponsesRequest
from moot.contrib.server.http_errors import HttpRefusal, refuse_parameter, refuse_value
from moot.extend.faults import split_fault
from moot.extend.records import ToolCall

_NAMES = (
    (r"^messages\b", "input"),
    (r"^response_format\.json_schema\b", "text.format"),
    (r"^response_format\b", "text.format"),
    (r"^max_(completion_)?tokens\b", "max_output_tokens"),
    (r"^reasoning_effort\b", "reasoning.effort"),
    (r"^(tools\[\d+\])\.function\b", r"\1"),
)
"""The names of parameters in chat completions, and their names here."""
_TEXTS = frozenset({"input_text", "output_text", "text", "refusal"})


def parse_responses_request(
    body: bytes, headers: Mapping[str, str]
) -> tuple[ResponsesRequest, ChatRequest]:
    """Return a request, and what it asks for. Raises ``HttpRefusal`` naming what is wrong."""
    request = decode_object(body, ResponsesRequest, IGNORED, NOTHING)
    try:
        asked = build_request(_as_completion(request), headers)
    except HttpRefusal as refusal:
        raise rename_parameter(refusal) from None
    if request.instructions and request.instructions.strip():
        history = (Message("system", request.instructions), *asked.history)
        asked = asked._replace(history=history)
    return request, asked


def rename_parameter(refusal: HttpRefusal) -> HttpRefusal:
    """Return an error that speaks of a parameter by its name in this API."""
    param = refusal.param
    if param is None:
        return refusal
    named = param
    for pattern, name in _NAMES:
        named = re.sub(pattern, name, named)
    message = str(refusal).replace(param, named)
    return HttpRefusal(
        message, refusal.code, status=refusal.status, param=named, headers=refusal.headers
    )


def _as_completion(request: ResponsesRequest) -> CompletionRequest:
    given, text = request.input, request.text
    if isinstance(given, str):
        messages = [ChatMessage("user", given)]
    else:
        messages = [_as_message(item, f"input[{at}]") for at, item in enumerate(given)]
    return CompletionRequest(
        model=request.model,
        messages=messages,
        stream=request.stream,
        temperature=request.temperature,
        top_p=request.top_p,
        max_completion_tokens=request.max_output_tokens,
        reasoning_effort=request.reasoning.effort if request.reasoning else None,
        response_format=_as_format(text.format) if text and text.format else None,
        tools=None if request.tools is None else list(map(_as_tool, request.tools)),
        tool_choice=_as_choice(request.tool_choice),
        parallel_tool_calls=request.parallel_tool_calls,
        moot=request.moot,
    )


def _as_format(given: Any) -> ResponseFormat:  # noqa: ANN401 -- a TextFormat
    schema = JsonSchema(given.name, given.schema, given.strict, given.description)
    return ResponseFormat(given.type, schema if given.type == "json_schema" else None)


def _as_tool(tool: dict[str, Any]) -> dict[str, Any]:
    if tool.get("type") != "function":
        return tool
    named = ("name", "description", "parameters", "strict")
    own = {name: tool[name] for name in named if tool.get(name) is not None}
    return {"type": "function", "function": own}


def _as_choice(choice: Any) -> Any:  # noqa: ANN401 -- as in either API
    if isinstance(choice, dict) and "name" in choice:
        return {"type": "function", "function": {"name": choice["name"]}}
    return choice


class _FunctionItem(msgspec.Struct):
    call_id: str
    name: str
    arguments: str = "{}"


class _OutputItem(msgspec.Struct):
    call_id: str
    output: str | list[dict[str, Any]]


class _MessageItem(msgspec.Struct):
    role: str
    content: str | list[dict[str, Any]]


def _as_message(item: dict[str, Any], where: str) -> ChatMessage:
    """Return an item of the input as a message; an empty one for reasoning, which is left out."""
    kind = item.get("type", "message")
    read = _ITEMS.get(kind) if isinstance(kind, str) else None
    if read is None:
        raise refuse_parameter(where, f"an item of type {str(kind)[:40]!r} cannot be read here")
    form, make = read
    try:
        return make(msgspec.convert(item, form), where)
    except msgspec.ValidationError as error:
        place, fault = split_fault(error)
        raise refuse_value(f"{where}.{place}".rstrip("."), fault[:1].lower() + fault[1:]) from None


def _read_message(item: Any, where: str) -> ChatMessage:  # noqa: ANN401 -- a _MessageItem
    if item.role not in {"system", "developer", "user", "assistant"}:
        raise refuse_value(
            f"{where}.role", f"{item.role[:40]!r} is none of user, assistant, system"
        )
    return ChatMessage(item.role, _as_content(item.content, f"{where}.content"))


def _read_call(item: Any, where: str) -> ChatMessage:  # noqa: ANN401, ARG001 -- a _FunctionItem
    call = ToolCall.of(item.call_id, item.name, item.arguments)
    return ChatMessage("assistant", None, [call])


def _read_output(item: Any, where: str) -> ChatMessage:  # noqa: ANN401 -- an _OutputItem
    content = _as_content(item.output, f"{where}.output")
    return ChatMessage("tool", content, tool_call_id=item.call_id)


def _leave_out(item: Any, where: str) -> ChatMessage:  # noqa: ANN401, ARG001 -- reasoning
    return ChatMessage("system", "")


_ITEMS: dict[str, tuple[type[Any], Callable[[Any, str], ChatMessage]]] = {
    "message": (_MessageItem, _read_message),
    "function_call": (_FunctionItem, _read_call),
    "function_call_output": (_OutputItem, _read_output),
    "reasoning": (dict, _leave_out),
}
"""Of each type of item that is read, its form and what makes a message of it."""


def _as_content(given: str | list[dict[str, Any]], where: str) -> str | list[ContentPart]:
    if isinstance(given, str):
        return given
    return [_as_part(part, f"{where}[{at}]") for at, part in enumerate(given)]


def _as_part(part: dict[str, Any], where: str) -> ContentPart:
    kind = part.get("type")
    if kind in _TEXTS:
        text = part.get("text", part.get("refusal"))
        return ContentPart("text", text if isinstance(text, str) else None)
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return ContentPart("image_url", image_url=part["image_url"])
    what = "without an image_url" if kind == "input_image" else f"of type {str(kind)[:40]!r}"
    raise refuse_parameter(where, f"a part {what}; agents read text and images")
