"""Tools: how tests start the MCP server of ``tool_server``, and read what it was called for."""

import atexit
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

Table = dict[str, Any]
SCRIPT = Path(__file__).with_name("tool_server.py")
FORKS = "TOOL_SERVER_FORKS"


@cache
def fork_servers() -> str:
    """Start what forks a server for each process that connects; return the name of its socket."""
    if name := os.environ.get(FORKS):
        return name
    name = os.environ[FORKS] = f"moot-tools-{token_hex(8)}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        number = listener.fileno()
        words = [sys.executable, SCRIPT, "--fork", str(number)]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, pass_fds=[number])
    atexit.register(process.communicate)  # its input ends, and with that itself
    return name


def name_server(log: Path, *allow: str, **more: Any) -> Table:
    """A table of the setting ``tools``: the server ``notes`` over standard input and output."""
    forked = SCRIPT.with_name("forked_tool_server.py")
    command = f"{sys.executable} -S -E {forked} {fork_servers()} {log}"
    return {"name": "notes", "command": command, "allow": [*allow], **more}


def read_log(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def write_script(folder: Path, *allow: str, tools: Sequence[Any] = (), **replies: Any) -> Table:
    """A table as of ``name_server``: a server that lists and answers what the script says."""
    bare = {"type": "object"}
    told = {
        name: {"result": {"content": [{"type": "text", "text": each}]}}
        if isinstance(each, str)
        else each
        for name, each in replies.items()
    }
    listed = [*tools] or [{"name": name, "inputSchema": bare} for name in replies]
    file = folder / "script.json"
    file.write_text(json.dumps({"tools": listed, "replies": told}), encoding="utf-8")
    raw = SCRIPT.with_name("raw_tool_server.py")
    command = f"{sys.executable} {raw} {file} {folder / 'log'}"
    return {"name": "notes", "command": command, "allow": [*allow]}
