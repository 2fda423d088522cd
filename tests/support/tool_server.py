"""A real MCP server over standard input and output, or over HTTP, which writes down each call.

Run it as ``python tool_server.py LOG``, or ``python tool_server.py LOG PORT``. LOG is the file that
gets a line for each call of a tool.
"""

import os
import sys
import time
from pathlib import Path

from mcp.server.mcpserver import Image, MCPServer

NOTES = {
    "lighthouse": "The keeper of the lighthouse counted eleven ships before the storm.",
    "harbour": "The harbour has room for forty boats.",
}
server = MCPServer("notes")
log = Path(sys.argv[1])


def note(call: str) -> None:
    with log.open("a", encoding="utf-8") as file:
        file.write(f"{call}\n")


@server.tool()
def search(query: str) -> str:
    """Search the notes of the port."""
    note(f"search {query}")
    found = [text for word, text in NOTES.items() if word in query.casefold()]
    return "\n".join(found) or "nothing found"


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    note("echo")
    return text


@server.tool()
def fail(why: str = "no reason") -> str:
    """Fail."""
    note("fail")
    raise ValueError(why)


@server.tool()
def slow(seconds: float) -> str:
    """Return late."""
    note("slow")
    time.sleep(seconds)
    return "late"


@server.tool()
def crash() -> str:
    """End the server."""
    note("crash")
    sys.stderr.write("out of memory, or so it says\n")
    sys.stderr.flush()
    os._exit(3)


@server.tool()
def picture() -> Image:
    """Return a picture."""
    note("picture")
    return Image(data=b"\x89PNG\r\n", format="png")


@server.tool()
def secret() -> str:
    """Return what the environment has of a secret."""
    note("secret")
    return f"the token is {os.environ.get('NOTES_TOKEN')}; MOOT: {os.environ.get('MOOT_STORE')}"


@server.tool()
def much() -> str:
    """Return many words."""
    note("much")
    return "word " * 3000


if __name__ == "__main__":
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run()
