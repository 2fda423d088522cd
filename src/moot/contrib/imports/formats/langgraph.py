"""Message states and checkpoints of LangGraph, with messages as LangChain writes them."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from moot.contrib.imports.debate_log import LoggedDebate
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import (
    Questions,
    name_folder,
    read_content,
    some_fit,
    split_parts,
    stem,
)
from moot.contrib.imports.talks import Said, is_count, make_talk, read_whole

Json = Mapping[str, Any]
_ROLES = {
    "human": "user",
    "HumanMessage": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessage": "system",
    "tool": "tool",
    "ToolMessage": "tool",
    "function": "tool",
    "FunctionMessage": "tool",
}
_STATES = ("values", "channel_values", "checkpoint", "state", "output")
"""Where a snapshot or a checkpoint has its state."""


def _open(message: Any) -> tuple[str, Json] | None:  # noqa: ANN401 -- any JSON
    """Return a message's role and its fields; None for what is no message of LangChain."""
    match message:
        case {"lc": int(), "id": [*_, str(kind)], "kwargs": dict() as fields}:
            pass
        case {"type": str(kind), "data": {"content": _} as fields}:
            pass
        case {"type": str(kind), "content": _} as fields:
            pass
        case _:
            return None
    role = _ROLES.get(kind) or _ROLES.get(str(fields.get("type")))
    return (role, fields) if role and "content" in fields else None


def _find_messages(value: object) -> list[tuple[str, Json]]:
    """Return the messages of a state, a snapshot or a checkpoint; empty for anything else."""
    match value:
        case [dict() as state, [*_], *_]:  # a snapshot: its values, what is next …
            return _find_messages(state)
    if not isinstance(value, dict):
        return []
    channels = [value.get("messages"), *value.values()]
    for channel in channels:
        if isinstance(channel, list) and channel:
            opened = [_open(each) for each in channel]
            found = [each for each in opened if each is not None]
            if len(found) == len(channel):
                return found
    inner = (value[key] for key in _STATES if isinstance(value.get(key), dict))
    return next(filter(None, map(_find_messages, inner)), [])


def _find_thread(value: object) -> str:
    """Return the thread of a snapshot; empty where it names none."""
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        match part:
            case {"config": {"configurable": {"thread_id": thread}}} | {
                "configurable": {"thread_id": thread}
            }:
                return str(thread)
            case {"thread_id": str(thread)}:
                return thread
    return ""


def _is_empty(value: object) -> bool:
    """Whether it is a state before the first message of an agent."""
    found = value[0] if isinstance(value, list) and value else value
    if not isinstance(found, dict):
        return False
    inner = [found[key] for key in _STATES if isinstance(found.get(key), dict)]
    return found.get("messages") == [] or any(
        "messages" not in each or _is_empty(each) for each in inner
    )


def _fits(head: object) -> bool:
    items = head[:3] if isinstance(head, list) else []
    return any(map(_find_messages, [head, *items])) or bool(_list_bare(head))


def _list_bare(value: object) -> list[tuple[str, Json]]:
    """Return the messages of a bare list of them."""
    return _find_messages({"messages": value})


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else "no messages of type human and ai, or of lc"


@log_format("langgraph", look=_look)
def langgraph(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Message states and checkpoints of LangGraph; of each thread the longest state."""
    questions = Questions()
    for part in split_parts(log, _fits):
        file, head = part.file, part.file.peek()
        whole = bool(_list_bare(head) or _find_messages(head))
        items = iter([("", read_whole(file))]) if whole else file.iterate_items()
        threads: dict[str, tuple[str, list[tuple[str, Json]]]] = {}
        for key, value in items:
            place = file.place(key) if key else file.name
            messages = _find_messages(value) or _list_bare(value)
            thread = _find_thread(value)
            first = messages[0][1].get("id") if messages else None
            own = thread or str(first or key)
            if not messages and own not in threads and not _is_empty(value):
                yield Unread(place, "no state, snapshot or checkpoint of LangGraph")
            elif messages and len(messages) > len(threads.get(own, ("", []))[1]):
                threads[own] = place, messages
        for thread, (place, messages) in threads.items():
            said = list(map(_read, messages))
            if not any(each.role == "assistant" for each in said):
                yield Unread(place, "no message of an agent in any of its states")
                continue
            made = make_talk(said, id="", place=place)
            number, replicate = questions.take(file.name, made.question.text)
            name = stem(file.name) if whole else number
            yield msgspec.structs.replace(
                made,
                id=name,
                dataset=name_folder(log, file) if whole else part.dataset,
                replicate=0 if whole else replicate,
                labels={"thread": thread} if thread else {},
            )


def _read(message: tuple[str, Json]) -> Said:
    role, fields = message
    content = fields["content"]
    words = read_content(content)
    text = msgspec.json.encode(content).decode() if words is None else words
    more: dict[str, Any] = {}
    stated = fields.get("response_metadata")
    stated = stated if isinstance(stated, dict) else {}
    model = stated.get("model_name") or stated.get("model")
    if isinstance(model, str):
        more["model"] = model
    if isinstance(finish := stated.get("finish_reason"), str):
        more["finish"] = finish
    usage = fields.get("usage_metadata") or {}
    for key, field in (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")):
        if isinstance(usage, dict) and is_count(usage.get(key)):
            more[field] = usage[key]
    name = fields.get("name")
    if role == "assistant" and not text.strip() and fields.get("tool_calls"):
        more["step"] = "tool call"
        text = msgspec.json.encode(fields["tool_calls"]).decode()
    return Said(name if isinstance(name, str) else "", role, text, more=more)
