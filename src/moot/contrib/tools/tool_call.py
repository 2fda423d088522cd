"""Tool calls: the line by which an agent asks for a tool, ``CALL docs.search {"query": "…"}``."""

import json
import re
from typing import Any, NamedTuple

from moot import Reading

_CALL = re.compile(r"^[ \t`*>-]*CALL[ \t]+([\w-]+(?:\.[^\s{}\"`*]+)?)[ \t]*(?=\{)", re.MULTILINE)
_AFTER = re.compile(r"[\s`*.]*\Z")
_strict = json.JSONDecoder()


class ToolCallLine(NamedTuple):
    """A call that an agent wrote.

    Attributes:
        name: the tool, as the agent names it.
        arguments: its arguments; None where they cannot be read.
        written: the arguments as they stand in the reply.
        end: the place in the reply after it.
    """

    name: str
    arguments: dict[str, Any] | None
    written: str
    end: int


class UncalledTool(Reading, frozen=True, kw_only=True, tag="no-call-left"):
    """A call that is not made, since the agent had none left: such a reply has no answer.

    Attributes:
        tool: what it names.
    """

    tool: str


UncalledTool.register()


def find_tool_call(reply: str) -> ToolCallLine | None:
    """Return the call that a reply begins with, or else ends with; None without one.

    A line in the middle is none: an agent that quotes a document calls nothing.
    """
    lines = [*_CALL.finditer(reply)]
    if not lines:
        return None
    if not reply[: lines[0].start()].strip():
        return _read(lines[0], reply)
    last = _read(lines[-1], reply)
    return last if _AFTER.match(reply, last.end) else None


def _read(line: re.Match[str], reply: str) -> ToolCallLine:
    start = line.end()
    try:
        arguments, end = _strict.raw_decode(reply, start)
        json.dumps(arguments, ensure_ascii=False).encode()  # half a character cannot be sent
    except ValueError:
        end = reply.find("\n", start)
        end = len(reply) if end < 0 else end
        return ToolCallLine(line[1], None, reply[start:end], end)
    except RecursionError:
        return ToolCallLine(line[1], None, reply[start:], len(reply))
    return ToolCallLine(line[1], arguments, reply[start:end], end)
