import asyncio
import socket
import subprocess
import sys
from contextlib import asynccontextmanager

import msgspec
import pytest

from moot.core.calls import Call, Message
from moot.core.errors import InputError, RefusedError
from moot.debate.toolbox import ToolTable
from moot.models.model_names import load
from moot.models.tool import ToolResult
from support.tools import SCRIPT, name_server, read_log

TOKEN = "s3cr3t-value"


@asynccontextmanager
async def start(table):
    server = load(msgspec.convert(table, ToolTable).model)
    try:
        yield server
    finally:
        await server.close()


async def call(server, tool, **arguments):
    asked = msgspec.json.encode({"tool": tool, "arguments": arguments}).decode()
    reply = await server.reply(Call(model=server.name, messages=(Message("user", asked),)))
    assert (reply.cost, reply.tokens) == (0.0, 0)
    return msgspec.json.decode(reply.text, type=ToolResult)


async def test_a_server_lists_its_tools_and_answers_calls(tmp_path, monkeypatch):
    monkeypatch.setenv("NOTES_TOKEN", TOKEN)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
    async with start(name_server(tmp_path / "log", env=["NOTES_TOKEN"])) as server:
        listed = {each.name: each for each in await server.list_tools()}
        assert listed["search"].description == "Search the notes of the port."
        assert listed["search"].schema["properties"]["query"]["type"] == "string"
        found, echoed = await asyncio.gather(
            call(server, "search", query="harbour"), call(server, "echo", text="hi\x00")
        )
        assert found.text == "The harbour has room for forty boats."
        assert not found.failed
        assert "hi" in echoed.text
        assert "\x00" not in echoed.text
        wrong = await call(server, "search", words="x")
        assert wrong.failed
        assert "query" in wrong.text
        assert (await call(server, "nothing")) == ToolResult("Unknown tool: nothing", failed=True)
        assert (await call(server, "picture")).text == "(moot cannot show it: image, no text)"
        assert (await call(server, "fail", why="bad luck")).failed
        told = await call(server, "secret")
        assert told.text == "the token is [NOTES_TOKEN]; MOOT: None"
        assert TOKEN not in server.name


async def test_a_server_that_crashes_is_told_and_started_again(tmp_path):
    async with start(name_server(tmp_path / "log")) as server:
        crashed = await call(server, "crash")
        assert crashed.failed
        assert "out of memory, or so it says" in crashed.text
        assert (await call(server, "search", query="harbour")).text.startswith("The harbour")
        assert read_log(tmp_path / "log") == ["crash", "search harbour"]


async def test_a_call_has_a_time_limit(tmp_path):
    async with start(name_server(tmp_path / "log", seconds=2)) as server:
        await server.list_tools()
        late = await call(server, "slow", seconds=60)
        assert late == ToolResult("no result within 2 s", failed=True)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-command --x", "there is no command 'no-such-command'"),
        (f"{sys.executable} -c \"import sys; sys.exit('no licence')\"", "last words: no licence"),
        ("uvx 'open", "the command cannot be read"),
    ],
)
async def test_a_server_that_does_not_start_is_told_in_words(command, why):
    async with start({"name": "docs", "command": command}) as server:
        with pytest.raises(InputError, match=f"tool server docs.*{why}"):
            await server.list_tools()
        assert why in (await call(server, "search", query="x")).text


async def test_a_secret_that_is_not_set_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("NOTES_TOKEN", raising=False)
    async with start(name_server(tmp_path / "log", env=["NOTES_TOKEN"])) as server:
        with pytest.raises(InputError, match="environment variable NOTES_TOKEN is not set"):
            await server.list_tools()


async def test_a_server_over_http_answers_too(tmp_path, monkeypatch):
    monkeypatch.setenv("NOTES_HEADER", f"Bearer {TOKEN}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [sys.executable, str(SCRIPT), str(tmp_path / "log"), str(port)]
    with subprocess.Popen(arguments, stderr=subprocess.DEVNULL) as process:
        try:
            url = f"http://127.0.0.1:{port}/mcp"
            table = {"name": "notes", "url": url, "headers": {"Authorization": "NOTES_HEADER"}}
            async with start(table) as server, asyncio.timeout(30):
                while True:  # until it listens
                    try:
                        await server.list_tools()
                        break
                    except InputError:
                        await asyncio.sleep(0.05)
                found = await call(server, "search", query="lighthouse")
                assert "eleven ships" in found.text
                echoed = await call(server, "echo", text=f"they sent {TOKEN}")
                assert echoed.text == "they sent [NOTES_HEADER]"
        finally:
            process.terminate()


@pytest.mark.parametrize(
    "name",
    ["tool/docs", "tool/docs?command=x&url=http://h/", "tool/x?a=b", "tool/x?command=y&seconds=z"],
)
def test_it_is_no_model_that_debates(name):
    with pytest.raises(InputError, match="it is no model that could debate"):
        load(name)


async def test_it_answers_no_prompt():
    async with start({"name": "docs", "command": "x"}) as server:
        with pytest.raises(RefusedError, match="no model that could debate"):
            await server.reply(Call(model=server.name, messages=(Message("user", "Hello?"),)))
