"""Tools: how tests start the MCP server of ``tool_server``, and read what it was called for."""

import sys
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("tool_server.py")


def name_server(log: Path, *allow: str, **more: Any) -> dict[str, Any]:
    """A table of the setting ``tools``: the server ``notes`` over standard input and output."""
    command = f"{sys.executable} {SCRIPT} {log}"
    return {"name": "notes", "command": command, "allow": [*allow], **more}


def read_log(log: Path) -> list[str]:
    """The calls that reached the server, one a line."""
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []
