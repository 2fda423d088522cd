"""An MCP server over standard input and output, written by hand, so that it can break the rules.

Run it as ``python raw_tool_server.py SCRIPT LOG``. SCRIPT is a JSON file: ``tools`` is what it
lists, two a page, and ``replies`` has for each tool the result of a call. A reply has a ``result``
or an ``error``, and may come ``after`` seconds; with ``exit`` the server ends once in place of it.
"""

import json
import os
import sys
from pathlib import Path
from threading import Lock, Timer
from typing import Any

PAGE = 2
ABOUT = {"name": "raw", "version": "1"}
ABOUT = {"name": "raw", "version": "1"}
script = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
log = Path(sys.argv[2])
lock = Lock()


def send(number: Any, **body: Any) -> None:
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, **body}) + "\n")
        sys.stdout.flush()


def list_page(number: Any, cursor: str) -> None:
    first = int(cursor or 0)
    page: dict[str, Any] = {"tools": script["tools"][first : first + PAGE]}
    if script.get("endless") or first + PAGE < len(script["tools"]):
        page["nextCursor"] = str(first + PAGE)
    send(number, result=page)


def call(number: Any, name: str, arguments: dict[str, Any]) -> None:
    seen = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{name} {json.dumps(arguments, sort_keys=True)}\n")
    reply = dict(script["replies"][name])
    if reply.pop("exit", False) and not any(line.split()[0] == name for line in seen):
        sys.stderr.write("/home/owner/secret.py: out of memory\n")
        sys.stderr.flush()
        os._exit(3)
    Timer(reply.pop("after", 0), send, [number], reply).start()


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        given = asked.get("params") or {}
        match asked.get("method"):
            case "initialize":
                able = {"capabilities": {"tools": {}}, "serverInfo": ABOUT}
                send(asked["id"], result={"protocolVersion": given["protocolVersion"]} | able)
            case "tools/list":
                list_page(asked["id"], given.get("cursor") or "")
            case "tools/call":
                call(asked["id"], given["name"], given.get("arguments") or {})
            case _ if "id" in asked:
                send(asked["id"], error={"code": -32601, "message": "no such method"})
