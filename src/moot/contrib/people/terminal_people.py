"""People who answer in the terminal: they see what an agent would be sent, and type its reply."""

import asyncio
import os
import sys

from moot import Call, InputError
from moot.extend.calls import Terminal
from moot.extend.words import format_things, make_visible

END, EARLIER = ".", "?"
"""A line that has only this ends a reply; as the first line, this shows the earlier messages."""
LINE = 4096
"""Bytes of a typed line from which on a terminal drops the rest."""
ATTEMPTS = 3
"""How often in a row the end of a reply without words is taken for a mistake."""
_RULE = "─" * 60


async def ask_in_terminal(terminal: Terminal, person: str, call: Call) -> str:
    """Show a call to a person, and return what was typed; everything else goes on meanwhile.

    People are asked one after the other. Raises ``InputError`` where the terminal has closed.
    """
    async with terminal.free:
        terminal.pause()
        try:
            _drop_typed_ahead()
            _show(_head(person, call), call.messages[-1].content, _hint(call))
            return await _read_reply(call)
        finally:
            terminal.resume()


def _head(person: str, call: Call) -> str:
    scene = call.scene
    if scene is None:
        return f"{person}, you are asked:"
    return f"{person}, you are asked as {scene.agent}, in round {scene.round} ({scene.step}):"


def _hint(call: Call) -> str:
    hint = f"Type your reply. End it with a line that has only {END} or with Ctrl-D."
    earlier = len(call.messages) - 1
    if earlier:
        hint += f" {EARLIER} alone shows {format_things(earlier, 'earlier message')}."
    return hint


def _show(head: str, text: str, hint: str = "") -> None:
    """Write a text under a heading, with the hint on how to reply."""
    lines = [_RULE, head, "", text, "", *([hint] if hint else [])]
    _write("\n".join(lines))


def _write(text: str) -> None:
    sys.stderr.write(f"{make_visible(text)}\n")
    sys.stderr.flush()


async def _read_reply(call: Call) -> str:
    """Return the lines that are typed until the end of the reply; there is a word among them."""
    lines: list[str] = []
    empty = 0
    while True:
        raw = await _read_line()
        line = raw.decode(sys.stdin.encoding or "utf-8", "replace")
        ends = not line.endswith("\n")  # Ctrl-D, in the line or at its beginning
        line = line.rstrip("\r\n")
        if len(raw) >= LINE:
            _write(f"(the terminal takes {LINE} bytes a line; the rest of this line is lost)")
        if line == EARLIER and not lines and not ends:
            for message in call.messages[:-1]:
                _show(message.role, message.content)
            _write(_hint(call))
            continue
        if line != END and (line or not ends):
            lines.append(line)
        if line == END or ends:
            text = "\n".join(lines)
            if text.strip():
                _write("(your reply is taken)")
                return text
            empty += 1
            if empty == ATTEMPTS and ends:
                raise InputError("the terminal has closed, so no one can type; run it again")
            lines.clear()
            _write("Nothing was typed. Type your reply, or stop with Ctrl-C.")


def _drop_typed_ahead() -> None:
    """Drop what was typed before the person was asked: it is no reply."""
    if sys.platform != "win32":
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def _read_line() -> bytes:
    """Return the next line of the terminal, as typed; nothing at Ctrl-D."""
    if sys.platform == "win32":  # only a thread can wait for a line there
        return (await asyncio.to_thread(sys.stdin.readline)).encode("utf-8", "replace")
    loop, number = asyncio.get_running_loop(), sys.stdin.fileno()
    typed = asyncio.Event()
    loop.add_reader(number, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(number)
    return os.read(number, LINE * 16)
