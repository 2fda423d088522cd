"""Checks of files in the open format: every wrong line, with its path."""

from collections.abc import Iterator
from typing import Any

import msgspec

from moot.contrib.imports.debate_log import (
    FORMAT,
    LoggedAgent,
    LoggedDebate,
    LoggedMessage,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread
from moot.contrib.imports.log_survey import find_own_fault
from moot.extend.faults import split_fault

_PARTS: dict[str, type[msgspec.Struct]] = {
    "question": LoggedQuestion,
    "agents": LoggedAgent,
    "turns": LoggedTurn,
    "verdict": LoggedVerdict,
    "prompt": LoggedMessage,
}
"""The structs within others, by their keys."""


class LogCheck(msgspec.Struct):
    """The result of a check of a log.

    Attributes:
        format: the name of the open format.
        lines: that were checked.
        faults: every wrong line, with what is wrong.
    """

    format: str = FORMAT
    lines: int = 0
    faults: list[Unread] = []


def check_log(log: Log) -> LogCheck:
    """Check every line of a log in the open format.

    Raises:
        InputError: a file is damaged, so that its lines cannot be told apart.
    """
    found = LogCheck()
    for file in log.files(".json", ".jsonl", ".ndjson"):
        for key, value in file.iterate_items():
            found.lines += 1
            found.faults += [Unread(file.place(key), why) for why in find_faults(value)]
    return found


def find_faults(value: Any) -> Iterator[str]:  # noqa: ANN401 -- any JSON
    """Yield what is wrong with a debate in the open format, each with its path."""
    try:
        debate = msgspec.convert(value, LoggedDebate)
    except msgspec.ValidationError as error:
        path, why = split_fault(error)
        yield f"{_number(path, value)}: {why}" if path else why
        return
    yield from find_unknown(value, LoggedDebate, "")
    if fault := find_own_fault(debate):
        yield fault


def _number(path: str, value: dict[str, Any]) -> str:
    """Return a path with the number of the agent or turn in it, from 0, in place of dots."""
    for name in ("agents", "turns"):
        if path.startswith(f"{name}[...]"):
            wrong = (n for n, each in enumerate(value[name]) if not _fits(each, _PARTS[name]))
            return path.replace("...", str(next(wrong, "...")), 1)
    return path


def _fits(value: object, kind: type[msgspec.Struct]) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def find_unknown(value: dict[str, Any], kind: type[msgspec.Struct], path: str) -> Iterator[str]:
    """Yield the keys that the format does not have, which nobody reads."""
    known = {field.encode_name for field in msgspec.structs.fields(kind)}
    tag = kind.__struct_config__.tag_field
    for key, inner in value.items():
        if key not in known and key != tag:
            yield f"{path}{key}: unknown key; more of a debate goes into labels"
        elif (part := _PARTS.get(key)) is not None:
            several = isinstance(inner, list)
            for number, each in enumerate(inner if several else [inner]):
                if isinstance(each, dict):
                    place = f"{path}{key}[{number}]." if several else f"{path}{key}."
                    yield from find_unknown(each, part, place)
