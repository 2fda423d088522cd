"""Lists of OpenAI messages: conversations, group chats, files for fine-tuning.

A file is one list, a list or JSON lines of lists, or of ``{"messages": [...]}``. A message of an
assistant, or of anybody with a name, is a turn; it has read all before it. The others are prompts,
and the first of them is the question.
"""

from collections.abc import Iterator
from typing import Any

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
)
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import (
    Questions,
    ReadMessage,
    name_folder,
    read_message,
    some_fit,
    split_parts,
)

_ROLES = {"user", "assistant", "system", "developer", "tool", "function"}
_PROMPTS = {"system", "developer", "tool", "function"}


def _list_messages(value: Any) -> list[ReadMessage]:  # noqa: ANN401 -- any JSON
    """Return the messages of a conversation; none where it has anything else, or no reply."""
    inner = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(inner, list):
        return []
    messages = [read_message(each) if _is_message(each) else None for each in inner]
    found = [each for each in messages if each is not None]
    return found if len(found) == len(inner) and any(map(_speaks, found)) else []


def _speaks(message: ReadMessage) -> bool:
    return message.role == "assistant" or bool(message.name and message.role not in _PROMPTS)


def _is_message(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and "content" in value and str(value.get("role")) in _ROLES


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    several = isinstance(head, list) and any(map(_list_messages, head))
    return several or bool(_list_messages(head))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else 'no list of {"role": …, "content": …} with a reply'


@log_format("messages", look=_look)
def messages(log: Log) -> Iterator[LoggedDebate | Unread]:
    """Lists of OpenAI messages, with names or roles."""
    questions = Questions()
    for part in split_parts(log, _fits):
        file = part.file
        whole = bool(_list_messages(file.peek()))
        items: Iterator[tuple[Any, Any]] = (
            iter([("", file.read_json())]) if whole else file.iterate_items()
        )
        for key, value in items:
            place = file.place(key) if key else file.name
            if said := _list_messages(value):
                split = list(_split(said))
                text = _find_question(split)
                name, replicate = questions.take(file.name, text)
                if isinstance(value, dict) and isinstance(stated := value.get("id"), str | int):
                    name, replicate = str(stated), 0
                yield _make_debate(
                    split,
                    LoggedQuestion(text=text),
                    id=name,
                    dataset=name_folder(log, file) if whole else part.dataset,
                    replicate=replicate,
                    settings={} if whole else part.settings,
                    place=place,
                )
            else:
                yield Unread(place, 'should be a list of {"role": …, "content": …} with a reply')


_Turn = tuple[ReadMessage | None, list[LoggedMessage]]


def _split(said: list[ReadMessage]) -> Iterator[_Turn]:
    """Yield the replies, each with the prompt before it; last what nobody answered.

    Where all have names, the first message is the task.
    """
    prompt: list[LoggedMessage] = []
    all_named = all(each.name for each in said)
    for number, each in enumerate(said):
        if _speaks(each) and not (all_named and number == 0 and len(said) > 1):
            yield each, prompt
            prompt = []
        else:
            prompt.append(LoggedMessage(role=each.role, content=each.text))
    if prompt:
        yield None, prompt


def _find_question(split: list[_Turn]) -> str:
    """Return the first prompt of a user, else the first of any."""
    prompts = [each for _, prompt in split for each in prompt]
    asked = [each for each in prompts if each.role not in _PROMPTS] or prompts
    return asked[0].content if asked else ""


def _make_debate(split: list[_Turn], question: LoggedQuestion, **known: Any) -> LoggedDebate:  # noqa: ANN401 -- fields of LoggedDebate
    turns: list[LoggedTurn] = []
    for message, prompt in split:
        if message is not None:
            turns.append(
                LoggedTurn(
                    agent=message.name or message.role,
                    text=message.text,
                    reads=tuple(range(1, len(turns) + 1)),
                    prompt=tuple(prompt),
                )
            )
    agents = tuple(LoggedAgent(name=name) for name in dict.fromkeys(turn.agent for turn in turns))
    return LoggedDebate(
        question=question, agents=agents, turns=tuple(turns), method="recorded", **known
    )
