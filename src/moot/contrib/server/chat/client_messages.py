"""The messages of a request: the question, the conversation before it, calls of tools after it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from moot import Message
from moot.contrib.server.chat.chat_json import ChatMessage, CompletionRequest, ContentPart
from moot.contrib.server.http_errors import (
    HttpRefusal,
    refuse_missing,
    refuse_parameter,
    refuse_value,
)
from moot.extend.records import ToolUse

Role = Literal["system", "user", "assistant", "tool"]
ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
IMAGES = ("https://", "http://", "data:image/")
"""The beginnings of addresses of images. They are fetched by the model's endpoint, never here."""


class ClientConversation(NamedTuple):
    """What the messages of a request say.

    Attributes:
        text: the question: the last message of the user.
        history: the messages before it; its images are one of them.
        following: the messages after it: calls of tools, and what these gave.
        images: the parameter with the first image; empty without one.
    """

    text: str
    history: tuple[Message, ...]
    following: tuple[Message, ...]
    images: str


def parse_conversation(messages: Sequence[ChatMessage]) -> ClientConversation:
    """Split messages into the question and what stands around it; empty ones are left out.

    Raises ``HttpRefusal`` for what no agent can read, or where no question is asked.
    """
    parsed = [_parse(message, f"messages[{at}]") for at, message in enumerate(messages)]
    end = len(parsed)
    while end and parsed[end - 1].role == "tool":
        end -= 1
    if end < len(parsed) and end and parsed[end - 1].tool_calls:
        end = _find_question(parsed, end)
    _check_question(messages, end - 1)
    question, before = parsed[end - 1], parsed[: end - 1]
    if question.images:
        before.append(Message("user", "", images=question.images))
    history = tuple(_merge_calls(each for each in before if _says_something(each)))
    images = next((at for at, each in enumerate(parsed) if each.images), None)
    where = "" if images is None else f"messages[{images}].content"
    following = tuple(_merge_calls(each for each in parsed[end:] if _says_something(each)))
    return ClientConversation(question.content, history, following, where)


def _find_question(parsed: Sequence[Message], end: int) -> int:
    """Return the place after the last message of a user before this one."""
    while end and parsed[end - 1].role != "user":
        end -= 1
    return end


def _check_question(messages: Sequence[ChatMessage], at: int) -> None:
    where = f"messages[{max(at, 0)}]"
    role = messages[at].role if at >= 0 else messages[0].role
    if at < 0 or role != "user":
        why = "the last message is the question and must be a user's, not one of role"
        raise HttpRefusal(f"{where}: {why} {role!r}", "invalid_value", param=f"{where}.role")
    if not _read_text(messages[at], where).strip():
        raise refuse_value(f"{where}.content", "it is empty; ask something")


def _merge_calls(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages; calls of tools that follow an assistant's message become part of it."""
    last: Message | None = None
    for message in messages:
        if last and last.role == message.role == "assistant" and message.tool_calls:
            calls = (*last.tool_calls, *message.tool_calls)
            text = "\n".join(filter(None, [last.content, message.content]))
            last = msgspec.structs.replace(last, content=text, tool_calls=calls)
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _says_something(message: Message) -> bool:
    return bool(message.content.strip() or message.tool_calls or message.images) or (
        message.role == "tool"
    )


def _parse(message: ChatMessage, where: str) -> Message:
    if message.role == "function" or message.function_call:
        raise refuse_parameter(where, "functions are called as tools: use tool_calls and tool")
    if message.tool_calls and message.role != "assistant":
        raise refuse_parameter(f"{where}.tool_calls", "only an assistant calls tools")
    if message.role == "tool" and not message.tool_call_id:
        raise refuse_missing(f"{where}.tool_call_id")
    images = tuple(_read_images(message, where))
    return Message(
        ROLES[message.role],
        _read_text(message, where),
        tool_calls=tuple(message.tool_calls or ()),
        tool_call_id=message.tool_call_id or "",
        images=images,
    )


def _read_text(message: ChatMessage, where: str) -> str:
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    for at, part in enumerate(message.content):
        if part.type == "image_url" and message.role == "user":
            continue
        if part.type != "text" or part.text is None:
            place = f"{where}.content[{at}]"
            raise refuse_parameter(place, f"a part of type {part.type!r}; agents read text alone")
    return "\n".join(part.text for part in message.content if part.text is not None)


def _read_images(message: ChatMessage, where: str) -> list[str]:
    if not isinstance(message.content, list):
        return []
    found = []
    for at, part in enumerate(message.content):
        if part.type == "image_url":
            url = _find_address(part)
            if not url.startswith(IMAGES):
                why = "expected an address, https:, or an image as data:image/…;base64,…"
                raise refuse_value(f"{where}.content[{at}].image_url", why)
            found.append(url)
    return found


def _find_address(part: ContentPart) -> str:
    url = part.image_url.get("url") if isinstance(part.image_url, dict) else part.image_url
    return url if isinstance(url, str) else ""


def parse_tools(request: CompletionRequest, following: tuple[Message, ...]) -> ToolUse | None:
    """Return the tools of a request, and the messages about calls of them; None without any.

    Raises ``HttpRefusal`` for a tool that is no function, or a choice among none.
    """
    tools: list[dict[str, Any]] = request.tools or []
    for at, tool in enumerate(tools):
        function = tool.get("function")
        if tool.get("type") != "function" or not isinstance(function, dict):
            why = f"a tool of type {str(tool.get('type'))[:40]!r}; a client's are functions"
            raise refuse_parameter(f"tools[{at}]", why)
        if not isinstance(function.get("name"), str) or not function["name"]:
            raise refuse_missing(f"tools[{at}].function.name")
    choice = request.tool_choice
    if not tools:
        if choice not in (None, "none", "auto"):
            raise refuse_value("tool_choice", "there are no tools")
        return ToolUse(following=following) if following else None
    return ToolUse.of(tools, choice, request.parallel_tool_calls, following)
