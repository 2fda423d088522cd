"""A real MCP server over standard input and output, or over HTTP, which writes down each call.

Run it as ``python tool_server.py LOG``, or ``python tool_server.py LOG PORT``. LOG is the file that
gets a line for each call of a tool. With ``--fork FILE`` it is a server in a fork of its own, with
its streams, folder and environment, for each process that connects to the socket of that number;
so it goes on until its input ends.
"""

import atexit
import gc
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

from mcp.server.mcpserver import Image, MCPServer

NOTES = {
    "lighthouse": "The keeper of the lighthouse counted eleven ships before the storm.",
    "harbour": "The harbour has room for forty boats.",
}
server = MCPServer("notes")


def note(call: str) -> None:
    with Path(sys.argv[1]).open("a", encoding="utf-8") as file:
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


def wait_for(*files: int) -> list[int]:
    """Return those that have something to read, or have ended; their numbers may be large."""
    waiting = select.poll()
    for file in files:
        waiting.register(file, select.POLLIN)
    return [file for file, _ in waiting.poll()]


def fork(listener: socket.socket) -> None:
    """Return in each fork that shall be a server; else end with the input."""
    gc.freeze()
    atexit.register(os._exit, 0)  # a fork need not take all modules apart
    while 0 not in wait_for(0, listener.fileno()):
        asked, _ = listener.accept()
        if not os.fork():
            listener.close()
            return become(asked)
        asked.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # those that have ended
                pass
    sys.exit()


def become(asked: socket.socket) -> None:
    """Return in the process that is the server; its parent tells how it ended, or ends it."""
    told, streams, _, _ = socket.recv_fds(asked, 1 << 16, 3)
    if server := os.fork():
        for file in streams:
            os.close(file)
        wait_for(asked.fileno(), os.pidfd_open(server))
        os.kill(server, signal.SIGKILL)  # who asked is gone, or it has ended
        code = os.waitstatus_to_exitcode(os.waitpid(server, 0)[1])
        with suppress(BrokenPipeError):
            asked.send(bytes([code & 255]))
        os._exit(0)
    asked.close()
    for number, file in enumerate(streams):
        os.dup2(file, number)
        os.close(file)
    wanted = json.loads(told)
    os.chdir(wanted["folder"])
    os.environ.clear()
    os.environ.update(wanted["env"])
    sys.argv = wanted["words"]


if __name__ == "__main__":
    if sys.argv[1] == "--fork":
        fork(socket.socket(fileno=int(sys.argv[2])))
    if len(sys.argv) > 2:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run()
