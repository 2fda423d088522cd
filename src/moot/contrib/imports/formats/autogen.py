"""Chats of AutoGen and AG2: histories, results of chats and tasks, states of teams."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from moot.contrib.imports.debate_log import LoggedDebate, LoggedQuestion, LoggedVerdict
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import (
    Questions,
    name_folder,
    read_answer,
    read_content,
    some_fit,
    split_parts,
    stem,
)
from moot.contrib.imports.talks import Said, is_count, make_talk, read_whole

Json = Mapping[str, Any]
_ASIDE = re.compile(r"(.+?) \((thought|termination condition|-> .+)\)")
_TOOL = re.compile(r"(?i)(computer|code)?_?(terminal|executor)$")
_OUTPUT = "exitcode: "
_HUMAN = {"human", "user", "admin", "user_proxy", "userproxy"}
_SPEAKERS = "source", "name", "agent_name", "role"
_WORDS = {
    "TextMessage",
    "StopMessage",
    "HandoffMessage",
    "MultiModalMessage",
    "UserMessage",
    "AssistantMessage",
}
_ANSWERS = "ground_truth", "groundtruth"
_IDS = "question_ID", "question_id"
_ANSWERED = {"question", "history", "trajectory", "system_prompt", *_ANSWERS, *_IDS}
_DIVIDED = {"assistant": "agent"}
_WRAPS = ("state", "task_result", "data", "agent_state")


def _find_talks(value: Any) -> list[Sequence[Any]]:  # noqa: ANN401 -- any JSON
    """Return the lists of messages in a value of one of AutoGen's forms; empty for another."""
    found: list[Sequence[Any]]
    match value:
        case {"history": [*said]} | {"chat_history": [*said]} | {"message_thread": [*said]}:
            found = [said]
        case {"trajectory": [{"agent_name": _, "content": _}, *_] as said}:
            found = [said]
        case {"chat_messages": dict() as talks}:
            found = _drop_repeated([each for each in talks.values() if isinstance(each, list)])
        case {"agent_states": dict() as states}:
            managed = [said for each in states.values() for said in _find_managed(each)]
            own = [said for each in states.values() for said in _find_talks(each)]
            found = managed or _drop_repeated(own)
        case {"llm_context": {"messages": [*said]}} | {"llm_messages": [*said]}:
            found = [said]
        case {"messages": [{"source": str()}, *_]}:
            found = [value["messages"]]
        case [{"source": str(), "content": _}, *_]:
            found = [value]
        case dict():
            inner = (value[key] for key in _WRAPS if isinstance(value.get(key), dict))
            found = next(filter(None, map(_find_talks, inner)), [])
        case _:
            found = []
    return found


def _find_managed(state: object) -> list[Sequence[Any]]:
    thread = state.get("message_thread") if isinstance(state, dict) else None
    return [thread] if isinstance(thread, list) and thread else []


def _drop_repeated(talks: list[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the talks that are no part of another: each agent keeps what it saw."""
    told = [[msgspec.json.encode(_find_words(each)) for each in talk] for talk in talks]
    kept = []
    for number, talk in enumerate(talks):
        longer = (
            other
            for at, other in enumerate(told)
            if (len(other), number) > (len(talk), at) and {*told[number]} <= {*other}
        )
        if talk and not any(True for _ in longer):
            kept.append(talk)
    return kept


def _find_words(message: object) -> object:
    return message.get("content") if isinstance(message, dict) else message


def _fits(head: object) -> bool:
    items = head[:3] if isinstance(head, list) else []
    return any(map(_find_talks, [head, *items]))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else "no history, chat_messages, source or agent_states"


@log_format("autogen", look=_look)
def autogen(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Chats of AutoGen and AG2: histories, results of chats and tasks, states of teams."""
    questions = Questions()
    for part in split_parts(log, _fits):
        file = part.file
        whole = bool(_find_talks(file.peek()))
        items = iter([("", read_whole(file))]) if whole else file.iterate_items()
        for key, value in items:
            place = file.place(key) if key else file.name
            talks = _find_talks(value)
            if not talks:
                yield Unread(place, "no chat of AutoGen or AG2")
            for talk in talks:
                said = [each for number, one in enumerate(talk) for each in _read(one, number)]
                if len(said) < len(talk):
                    lost = f"{len(talk) - len(said)} of {len(talk)} messages"
                    yield Unread(place, f"{lost} have no speaker or no content")
                if not said:
                    continue
                if isinstance(value, dict) and "mistake_agent" in value:
                    # Tasks were divided: nobody answers the question alone.
                    said = [each._replace(role=_DIVIDED.get(each.role, each.role)) for each in said]
                known = _read_known(value if isinstance(value, dict) else {}, said)
                made = make_talk(said, known.pop("question"), id="", place=place, **known)
                name, number = questions.take(file.name, made.question.text)
                ids = map(value.get, _IDS) if isinstance(value, dict) else ()
                own = next(filter(None, ids), None)
                yield msgspec.structs.replace(
                    made,
                    id=str(own or (stem(file.name) if whole and len(talks) == 1 else name)),
                    dataset=name_folder(log, file) if whole else part.dataset,
                    replicate=0 if own or whole else number,
                )


def _read(message: object, number: int) -> Iterator[Said]:
    """Yield a message of a chat; nothing for what is none."""
    if not isinstance(message, dict) or "content" not in message:
        return
    content = message["content"]
    name = next(filter(None, map(message.get, _SPEAKERS)), None)
    if not isinstance(name, str):
        return
    kind = str(message.get("type") or "")
    spoken = isinstance(content, str) or kind in _WORDS or not kind
    words = read_content(content) if spoken else None
    text = msgspec.json.encode(content).decode() if words is None else words
    more: dict[str, Any] = {}
    if aside := _ASIDE.fullmatch(name):
        name, more["step"] = aside.groups()
    elif kind and kind not in _WORDS:
        more["step"] = kind
    if isinstance(usage := message.get("models_usage"), dict):
        names = ("prompt_tokens", "completion_tokens")
        more |= {key: usage[key] for key in names if is_count(usage.get(key))}
    role = "assistant"
    if name.casefold() in _HUMAN:
        role = "user"
    elif _TOOL.search(name) or text.startswith(_OUTPUT) or kind.startswith("ToolCall"):
        role = "tool"
    asks = role == "user" and number == 0 and "source" in message
    yield Said("" if asks else name, role, text, more.get("step") != "thought", more)


def _read_known(value: Json, said: list[Said]) -> dict[str, Any]:
    """Return the statements of a log beside the talk: the question, its answer, and labels."""
    question = None
    if isinstance(text := value.get("question"), str):
        right = next((value[key] for key in _ANSWERS if key in value), None)
        question = LoggedQuestion(text=text, answer=read_answer(right))
    labels = {
        key: each
        for key, each in value.items()
        if isinstance(each, str | int | float | bool) and key not in _ANSWERED
    }
    correct = value.get("is_correct", value.get("is_corrected"))
    verdict = None
    if isinstance(correct, bool):
        verdict = LoggedVerdict(text=said[-1].text, by="the log", correct=correct)
    return {"question": question, "labels": labels, "verdict": verdict}
