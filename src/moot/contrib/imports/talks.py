"""Talks: messages of several speakers, as frameworks of agents keep them, become a debate."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
)
from moot.contrib.imports.log_files import Log, LogFile

PROMPTS = {"user", "human", "system", "developer"}
"""Roles of those who only ask, where they have no name of their own."""


def pick_files(log: Log, ending: str) -> list[LogFile]:
    """Return about twenty files of a log, from its first to its last ones, for a look."""
    files = [*log.files(ending)]
    return files[:: max(1, len(files) // 20)]


def is_count(value: object) -> bool:
    """Return whether a value of JSON is a number of tokens."""
    return type(value) is int and value >= 0


def read_whole(file: LogFile) -> Any:  # noqa: ANN401 -- any JSON
    """Return the JSON of a file with one talk; of JSON lines the list of them."""
    return [value for _, value in file.read_lines()] if file.is_lines else file.read_json()


class Said(NamedTuple):
    """A message of a talk.

    Attributes:
        name: of the speaker; empty where the log has none.
        role: ``"assistant"``, ``"tool"``, ``"user"`` or another one.
        text: its words.
        heard: whether the others were shown it.
        more: further fields of ``LoggedTurn``.
    """

    name: str
    role: str
    text: str
    heard: bool = True
    more: Mapping[str, Any] = {}


def make_talk(
    said: Sequence[Said],
    question: LoggedQuestion | None = None,
    **known: Any,  # noqa: ANN401 -- fields of LoggedDebate
) -> LoggedDebate:
    """Return a talk as a debate; each turn has read all that its agent was shown before.

    What a user or the system says without a name of its own is the prompt of the next turn. The
    first of it is the question where the log states none.

    Args:
        said: all messages, in order.
        question: as the log states it.
        known: further fields of the debate.
    """
    turns = list[LoggedTurn]()
    agents = dict[str, LoggedAgent]()
    prompt = list[LoggedMessage]()
    shown = list[tuple[int, str, bool]]()
    asked = ""
    for each in said:
        if not each.name and each.role in PROMPTS:
            asked = asked or (each.text if each.role != "system" else "")
            prompt.append(LoggedMessage(role=each.role, content=each.text))
            continue
        name, answers = each.name or each.role, each.role == "assistant"
        agents.setdefault(
            name, LoggedAgent(name=name, role="debater" if answers else each.role, answers=answers)
        )
        turns.append(
            LoggedTurn(
                agent=name,
                text=each.text,
                reads=tuple(number for number, who, heard in shown if heard or who == name),
                prompt=tuple(prompt),
                votes=answers,
                **each.more,
            )
        )
        shown.append((len(turns), name, each.heard))
        prompt = []
    first = asked or (said[0].text if said else "")
    return LoggedDebate(
        question=question or LoggedQuestion(text=first),
        agents=tuple(agents.values()),
        turns=tuple(turns),
        method="recorded",
        **known,
    )
