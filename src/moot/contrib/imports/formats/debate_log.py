"""Logs in moot's open format: one debate a line, as ``debate_log.py`` describes it."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from moot.contrib.imports.debate_log import FORMAT, LoggedDebate
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import some_fit, split_files

_NAME = FORMAT.partition("/")[0]


def _is_debate(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and str(value.get("format", "")).startswith(f"{_NAME}/")


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(head, list) and any(map(_is_debate, head))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else f'no line with "format": "{FORMAT}"'


@log_format("debate-log", look=_look)
def debate_log(log: Log) -> Iterator[LoggedDebate | Unread]:
    """The open format: one debate a line."""
    for file in split_files(log, _fits):
        for key, value in file.iterate_items():
            yield _read(value, file.place(key))


def _read(value: Any, place: str) -> LoggedDebate | Unread:  # noqa: ANN401 -- any JSON
    try:
        debate = msgspec.convert(value, LoggedDebate)
    except msgspec.ValidationError as error:
        return Unread(place, f"is no {FORMAT}: {error}")
    if fault := find_fault(debate):
        return Unread(place, f"is no {FORMAT}: {fault}")
    return msgspec.structs.replace(debate, place=debate.place or place)


def find_fault(debate: LoggedDebate) -> str:
    """Return the contradiction within a debate, in words; empty without one."""
    names = [agent.name for agent in debate.agents]
    if len(set(names)) < len(names):
        return f"agents: the name {Counter(names).most_common(1)[0][0]!r} stands twice"
    for number, turn in enumerate(debate.turns, 1):
        if turn.agent not in names:
            return f"turns[{number}].agent: {turn.agent!r} is no agent"
        late = [each for each in turn.reads or () if not 0 < each < number]
        if late:
            return f"turns[{number}].reads: {late[0]} is no earlier turn"
    deciding = debate.verdict.turn if debate.verdict else None
    if deciding is not None and not 0 < deciding <= len(debate.turns):
        return f"verdict.turn: there is no turn {deciding}"
    return ""
