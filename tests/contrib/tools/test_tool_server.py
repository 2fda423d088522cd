import asyncio
import json
import sys
from base64 import b64encode, urlsafe_b64encode
from contextlib import asynccontextmanager
from urllib.parse import quote, quote_plus

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from moot.contrib.tools import whole_lines
from moot.contrib.tools.masked_secrets import mask_secrets
from moot.contrib.tools.tool_server import ToolResult
from moot.contrib.tools.toolbox import ToolTable
from moot.core.calls import Call, Message, Scene
from moot.core.errors import InputError, RefusedError, ToolServerDown, TransientError
from moot.core.questions import Question
from moot.models.model_names import load
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from moot.studies.stand_in import MemoryLedger
from support.tools import name_server, read_log, write_script

TOKEN = "s3cr3t-value"


@asynccontextmanager
async def start(table):
    server = load(msgspec.convert(table, ToolTable).model)
    try:
        yield server
    finally:
        await server.close()


def ask_for(server, tool, **arguments):
    asked = msgspec.json.encode({"tool": tool, "arguments": arguments}).decode()
    return Call(model=server.name, messages=(Message("user", asked),))


async def call(server, tool, **arguments):
    reply = await server.reply(ask_for(server, tool, **arguments))
    assert (reply.cost, reply.tokens) == (0.0, 0)
    return msgspec.json.decode(reply.text, type=ToolResult)


async def test_a_server_answers_calls_and_is_started_again(tmp_path, monkeypatch, caplog):
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
        with pytest.raises(TransientError) as crashed:
            await call(server, "crash")
        assert str(crashed.value) == "tool server notes: the connection was lost"
        assert "out of memory, or so it says" in caplog.text
        assert (await call(server, "search", query="harbour")).text.startswith("The harbour")
        assert read_log(tmp_path / "log")[-2:] == ["crash", "search harbour"]


async def test_calls_that_are_in_flight_when_the_server_ends_are_made_again(tmp_path, caplog):
    late = {"result": {"content": [{"type": "text", "text": "late"}]}, "after": 0.5}
    table = write_script(tmp_path, end={**late, "exit": True}, late=late)
    path = CallPath(MemoryLedger(), retry=Retry(attempts=2, first=0))
    async with start(table) as server:
        await server.list_tools()
        asked = [ask_for(server, "late"), ask_for(server, "end")]
        replies = await asyncio.gather(*(path.reply(server, c, c.request()) for c in asked))
        assert [(each.text, each.retries) for each in replies] == [('{"text":"late"}', 1)] * 2
    assert sorted(read_log(tmp_path / "log")) == ["end {}", "end {}", "late {}", "late {}"]
    assert caplog.text.count("/home/owner/secret.py") == 1


async def test_all_pages_of_tools_are_read(tmp_path, monkeypatch, caplog):
    names = [f"t{number}" for number in range(5)]
    table = write_script(tmp_path, **dict.fromkeys(names, "x"))
    async with start(table) as server:
        assert [each.name for each in await server.list_tools()] == names
    monkeypatch.setattr("moot.contrib.tools.tool_server.MOST_PAGES", 2)
    async with start(table) as server:
        assert [each.name for each in await server.list_tools()] == names[:4]
    assert "only 2 pages of its tools are read" in caplog.text


async def test_no_form_of_a_secret_is_kept(tmp_path, monkeypatch):
    secret = 'p"ss wörd/+='
    monkeypatch.setenv("NOTES_HEADER", f"Bearer {secret}")
    forms = [secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]]
    forms += [quote(secret), quote_plus(secret), b64encode(secret.encode()).decode().rstrip("=")]
    tool = {
        "name": "echo",
        "description": f"They sent {secret}.",
        "inputSchema": {"type": "object", "properties": {"a": {"default": secret}}},
    }
    table = write_script(tmp_path, tools=[tool], echo="; ".join(forms))
    async with start({**table, "env": ["NOTES_HEADER"]}) as server:
        [listed] = await server.list_tools()
        assert listed.description == "They sent [NOTES_HEADER]."
        assert listed.schema["properties"] == {"a": {"default": "[NOTES_HEADER]"}}
        assert (await call(server, "echo")).text == "; ".join(["[NOTES_HEADER]"] * len(forms))


async def test_a_broken_result_ends_no_other_call(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(whole_lines, "LARGEST", 1 << 20)
    late = {"result": {"content": [{"type": "text", "text": "late"}]}, "after": 0.5}
    slow = {"result": {"content": []}, "after": 60}
    wrong = {"error": {"code": -32603, "message": "no such shelf"}}
    replies = {"bad": {"result": {"content": 5}}, "late": late, "wrong": wrong, "slow": slow}
    table = write_script(tmp_path, **replies, much="y" * (3 << 20), none="")
    async with start({**table, "seconds": 1}) as server:
        names = ("late", "bad", "wrong", "much", "none", "slow")
        calls = [call(server, name) for name in names]
        *found, lost = await asyncio.gather(*calls, return_exceptions=True)
        assert found == [
            ToolResult("late"),
            ToolResult("its result cannot be read", failed=True),
            ToolResult("no such shelf", failed=True),
            ToolResult("its reply has more than 1 MB", failed=True),
            ToolResult("(it returned nothing)"),
        ]
        assert isinstance(lost, TransientError)
        assert "tool server notes: no result within 1 s" in str(lost)
    assert "validation error" in caplog.text


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"command": "no-such-command --x"}, "there is no command 'no-such-command'"),
        (
            {"command": f"{sys.executable} -c \"import sys; sys.exit('no licence')\""},
            "last words: no licence",
        ),
        ({"command": "uvx 'open"}, "the command cannot be read"),
        ({"command": "x", "env": ["NOTES_TOKEN"]}, "environment variable NOTES_TOKEN is not set"),
        pytest.param({"command": "sleep 60"}, "does not answer in time", marks=pytest.mark.soak),
    ],
)
async def test_why_a_server_does_not_start_is_in_the_log_alone(table, why, caplog, monkeypatch):
    monkeypatch.delenv("NOTES_TOKEN", raising=False)
    if table["command"] == "sleep 60":
        monkeypatch.setattr("moot.contrib.tools.tool_server.START_SECONDS", 0.3)
    async with start({"name": "docs", **table}) as server:
        with pytest.raises(ToolServerDown) as down:
            await server.list_tools()
        with pytest.raises(TransientError) as lost:
            await call(server, "search", query="x")
    logged = [
        record.getMessage()
        for record in caplog.records
        if record.name == "moot.contrib.tools.tool_server"
    ]
    assert len(logged) == 2
    assert all(each.startswith("tool server docs: ") and why in each for each in logged)
    assert str(down.value).startswith("tool server docs: it does not start, or gives no list")
    assert str(lost.value) == "tool server docs: it cannot be reached"


@pytest.mark.parametrize("status", [401, 503])
async def test_a_status_over_http_is_no_result_and_no_secret_is_kept(status, caplog, monkeypatch):
    """A server over HTTP whose first call of a tool gets a status in place of a result."""
    monkeypatch.setenv("NOTES_HEADER", f"Bearer {TOKEN}")
    calls = []

    async def answer(asked):
        assert asked.headers["Authorization"] == f"Bearer {TOKEN}"
        told = await asked.json()
        about = {"serverInfo": {"name": "busy", "version": "1"}, "capabilities": {}}
        results = {
            "initialize": about | {"protocolVersion": "2025-03-26"},
            "tools/list": {"tools": []},
            "tools/call": {"content": [{"type": "text", "text": f"they sent {TOKEN}"}]},
        }
        if "id" not in told:
            return web.Response(status=202)
        if told["method"] == "tools/call":
            calls.append(told)
            if len(calls) == 1:
                return web.Response(status=status)
        unknown = {"error": {"code": -32601, "message": "no such method"}}
        known = told["method"] in results
        body = {"result": results[told["method"]]} if known else unknown
        return web.json_response({"jsonrpc": "2.0", "id": told["id"], **body})

    app = web.Application()
    app.router.add_post("/mcp", answer)
    async with TestServer(app) as served:
        table = {"name": "notes", "url": str(served.make_url("/mcp"))}
        table["headers"] = {"Authorization": "NOTES_HEADER"}
        async with start(table) as server:
            with pytest.raises(TransientError, match="the connection was lost"):
                await call(server, "search")
            assert await call(server, "search") == ToolResult("they sent [NOTES_HEADER]")
    assert "tool server notes: " in caplog.text
    assert len(calls) == 2


async def test_it_is_no_model_that_debates_and_no_agent_can_start_it(tmp_path):
    options = ("", "?command=x&url=http://h/", "?a=b", "?command=y&seconds=z")
    for each in options:
        with pytest.raises(InputError, match="it is no model that could debate"):
            load(f"tool/docs{each}")
    question = Question(id="q", text="x", kind="text")
    scene = Scene(question=question, agent="a", role="r", step="s", round=1)
    async with start(name_server(tmp_path / "log", "echo")) as server:
        asked = msgspec.structs.replace(ask_for(server, "echo", text="hi"), scene=scene)
        for each in (asked, Call(model=server.name, messages=(Message("user", "Hello?"),))):
            with pytest.raises(RefusedError, match="no model that could debate"):
                await server.reply(each)
        assert server.known is None
        assert read_log(tmp_path / "log") == []


@pytest.fixture
def secret(monkeypatch):
    value = 'a"b/ü?>'
    monkeypatch.setenv("KEY", value)
    monkeypatch.setenv("HEADER", f"Bearer {value}")
    monkeypatch.setenv("SHORT", "abc")
    return value


def mask(value):
    return mask_secrets(value, ("KEY", "HEADER", "SHORT", "NOT_SET"))


def test_what_json_holds_is_masked_throughout(secret):
    held = {"a": [secret, 1, None, {secret: "x\x00\ud800"}], "b": True}
    made = mask(held)
    assert secret not in str(made)
    assert made["a"][1:3] == [1, None]
    assert made["b"] is True
    [text] = made["a"][3].values()
    assert text.isprintable()
    assert text.startswith("x")


def test_every_form_is_masked_the_longest_first_and_a_short_value_left(secret):
    assert mask(f"Authorization: Bearer {secret}") == "Authorization: [HEADER]"
    assert mask(f"Basic {secret}").startswith("Basic [")
    assert mask("abc and more") == "abc and more"
    for form in ('a\\"b/ü?>', 'a\\"b/\\u00fc?>', quote_plus(secret), "a%22b/%C3%BC%3F%3E"):
        assert mask(f"<{form}>") in ("<[KEY]>", "<[HEADER]>")
    for code in (b64encode, urlsafe_b64encode):
        assert mask(code(secret.encode()).decode()).startswith("[")
