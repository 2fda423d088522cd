"""The tools of assistants, called by the SDK's own client over both transports."""

import asyncio
import json
import signal
import sys
from contextlib import asynccontextmanager

import pytest
from httpx2 import AsyncClient
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import moot
from moot.contrib.server.config import config_from
from moot.contrib.server.mcp_serving import make_http_server
from moot.contrib.server.serving import open_socket, server_url
from moot.models.body import LARGEST
from moot.models.scripted import Scripted
from support.commands import environment
from support.tools import name_server, read_log

HOST = "127.0.0.1"
FOUR = "scripted?reply=Final answer: 4"
TOOLS = {"ask", "council", "review", "transcript"}


def stdio(tmp_path, *options):
    """The client of a server that it starts itself, as an assistant does."""
    words = ["-m", "moot", "mcp", "--store", str(tmp_path / "store"), *options]
    given = StdioServerParameters(command=sys.executable, args=words, env=environment())
    return Client(given, mode="legacy")


@asynccontextmanager
async def http(tmp_path, config, mode="auto", headers=None):
    """The client of a server on this machine, and the server's application."""
    running = make_http_server(config, store=tmp_path / "store")
    with open_socket(HOST, 0) as own:
        task = asyncio.create_task(running.serve(sockets=[own]))
        while not running.started:
            await asyncio.sleep(0.01)
        try:
            url = f"{server_url(running, HOST)}/mcp"
            running.app.state.urls = [url]
            async with (
                AsyncClient(headers=headers, timeout=60) as given,
                Client(streamable_http_client(url, http_client=given), mode=mode) as client,
            ):
                yield client, running.app
        finally:
            running.should_exit = True
            await task


def found(result):
    """What a tool returned, as its schema has it."""
    assert not result.is_error, result.content
    return result.structured_content


async def show(client, **one):
    return (await client.call_tool("transcript", one)).content[0].text


async def test_an_assistant_asks_over_standard_input_and_output(tmp_path):
    heard = []

    async def hear(done, most, message):
        heard.append((done, most, message))

    async with stdio(tmp_path, "--model", FOUR) as client:
        assert {each.name for each in (await client.list_tools()).tools} == TOOLS
        asked = {"question": "2 + 2?", "kind": "number"}
        answer = found(await client.call_tool("ask", asked, progress_callback=hear))
        told = [answer[name] for name in ("answer", "reached_by", "dissent")]
        assert (told, answer["took"]["calls"]) == (["4", "majority", []], 6)
        again = found(await client.call_tool("ask", asked))
        assert (again["run"], again["replicate"]) == (answer["run"], 1)
        assert "replicate 1" in await show(client, run=answer["run"])
        shown = await show(client, run=answer["run"], replicate=answer["replicate"])
        assert "replicate 1" not in shown
        assert "mind-3" in shown
        assert "verdict: 4" in shown
    assert [(done, most) for done, most, _ in heard] == [(n, 6) for n in range(1, 7)]
    assert heard[0][2] == "mind-1, round 1: 4"


async def test_an_assistant_is_told_what_could_not_be_read(tmp_path):
    unsure = "scripted?reply=I am not sure about this at all."
    async with http(tmp_path, config_from(models=[FOUR, unsure])) as (client, _):
        asked = {"question": "2 + 2?", "kind": "number", "protocol": "self-consistency"}
        seats = {"models": [FOUR, unsure, unsure], "settings": {"samples": 3}}
        answer = found(await client.call_tool("ask", asked | seats))
        told = "2 of 3 gave no answer that could be read"
        assert (answer["reached_by"], answer["unread"]) == ("the only answer of 3", [told])
        for number in range(20):  # each transcript can be read as soon as its answer is there
            one = {"run": answer["run"], "replicate": number}
            assert f"unread: {told}" in await show(client, **one)
            answer = found(await client.call_tool("ask", asked | seats))


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_council_and_a_review_over_http(tmp_path, mode):
    found_one = {"severity": "high", "where": "50", "what": "at sea level it is 100"}
    votes = [{"finding": "F1", "vote": "agree"}]
    reply = json.dumps({"findings": [found_one], "votes": votes, "answer": "no"})
    config = config_from(models=[FOUR, f"scripted?reply={reply}", "scripted?reply=Answer: 5"])
    async with http(tmp_path, config, mode) as (client, _):
        asked = {"question": "2 + 2?", "kind": "number", "models": [FOUR, config.models[2], FOUR]}
        answer = found(await client.call_tool("council", asked))
        assert answer["answer"] == "4"
        assert [each["answer"] for each in answer["dissent"]] == ["5"]
        given = {"text": "Water boils at 50 degrees.", "models": [config.models[1]]}
        review = found(await client.call_tool("review", {**given, "settings": {"agents": 2}}))
        assert [each["what"] for each in review["agreed"]] == ["at sea level it is 100"]
        assert (review["reviewers"], review["unread"]) == (2, [])


WRONG = [
    ("ask", {"question": ""}, "it is empty"),
    ("ask", {"question": "2?", "protocol": "debat"}, "unknown protocol 'debat'"),
    ("ask", {"question": "2?", "models": ["openai/gpt"]}, "openai/gpt"),
    ("ask", {"question": "2?", "settings": {"agents": -1}}, "agents"),
    ("ask", {"question": "2?", "settings": {"tools": [{"name": "x", "command": "x"}]}},
     "setting tools: it may name a file or an address"),
    ("ask", {"question": "2?", "max_calls": 2}, "may make 2"),
    ("review", {"text": " "}, "nothing to review"),
    ("review", {"text": "x", "about": "y", "decide": "z"}, "give one of the two"),
    ("transcript", {"run": "ask-none"}, "ask-none"),
    ("ask", {"question": "2?", "max_calls": 2**63 - 1}, "must be at most"),
    ("council", {"question": "2?", "max_cost": "1e999"}, "cost = inf"),
    ("ask", {"question": "2?", "max_calls": 0}, "max_calls: 0: Input should be greater"),
    ("review", {"text": "x", "max_calls": "many"}, "max_calls: many: Input should be a valid"),
]  # fmt: skip


async def test_what_cannot_be_is_refused_in_words_and_nothing_is_called(tmp_path):
    """Each argument of each tool with a slip in its name, too."""
    calls = []
    async with http(tmp_path, config_from(models=[FOUR])) as (client, app):
        app.state.lab.use_models([Scripted(calls.append, name=FOUR)])
        wrong = [*WRONG]
        for tool in (await client.list_tools()).tools:
            assert tool.input_schema["additionalProperties"] is False
            for name in tool.input_schema["properties"]:
                told = f"{tool.name}: unknown argument '{name}_'; did you mean '{name}'?"
                wrong.append((tool.name, {f"{name}_": 1}, told))
        for tool, given, told in wrong:
            result = await client.call_tool(tool, given)
            assert result.is_error
            assert told in result.content[0].text
            assert "Traceback" not in result.content[0].text
    assert calls == []


@asynccontextmanager
async def raw_stdio(tmp_path, *options):
    """The process of a server; its input stays open until the block is left."""
    words = ["-m", "moot", "mcp", "--store", str(tmp_path / "store"), *options]
    piped = dict.fromkeys(("stdin", "stdout", "stderr"), asyncio.subprocess.PIPE)
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, env=environment(), limit=1 << 22, **piped
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def send(process, method, number=None, **params):
    """Send a message of the protocol; return the reply where it has a number."""
    numbered = {} if number is None else {"id": number}
    message = {"jsonrpc": "2.0", "method": method, "params": params, **numbered}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()
    return json.loads(await process.stdout.readline()) if numbered else None


async def shake_hands(process):
    about = {"protocolVersion": "2025-06-18", "capabilities": {}}
    await send(process, "initialize", 1, clientInfo={"name": "t", "version": "0"}, **about)
    await send(process, "notifications/initialized")


@pytest.mark.parametrize(
    ("name", "busy"),
    [
        ("SIGTERM", True),
        pytest.param("SIGHUP", False, marks=pytest.mark.soak),
        pytest.param("SIGINT", True, marks=pytest.mark.soak),
    ],
)
async def test_a_signal_ends_a_server_whose_input_is_open(tmp_path, name, busy):
    slow = "scripted?reply=Final answer: 4&latency=30"
    async with raw_stdio(tmp_path, "--model", slow) as process:
        await shake_hands(process)
        if busy:
            asked = {"name": "ask", "arguments": {"question": "2 + 2?"}}
            message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            await send(process, "tools/list", 3)  # the debate is on
        process.send_signal(getattr(signal, name))
        async with asyncio.timeout(10):
            assert await process.wait() == 128 + getattr(signal, name)
        assert b"Traceback" not in await process.stderr.read()


@pytest.mark.soak
async def test_a_message_that_is_too_long_is_dropped_and_the_next_one_read(tmp_path):
    async with raw_stdio(tmp_path, "--model", FOUR) as process:
        await shake_hands(process)
        process.stdin.write(b"x" * (LARGEST + 1) + b"\n")
        listed = await send(process, "tools/list", 2)
        assert {each["name"] for each in listed["result"]["tools"]} == TOOLS
        process.stdin.close()
        async with asyncio.timeout(10):
            assert await process.wait() == 0
        assert b"was not read" in await process.stderr.read()


async def test_a_client_that_cancels_stops_the_calls(tmp_path):
    slow = "scripted?reply=Final answer: 4&latency=30"
    config = config_from(models=[slow], limits={"shutdown": 1})
    async with http(tmp_path, config) as (client, app):
        asking = asyncio.create_task(client.call_tool("ask", {"question": "2 + 2?"}))
        while not app.state.debates.live:
            await asyncio.sleep(0.01)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        async with asyncio.timeout(5):
            while app.state.debates.live:
                await asyncio.sleep(0.01)
        assert app.state.debates.counts["stopped"] == 1


async def test_a_token_is_asked_for_and_its_client_has_a_limit_of_an_hour(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKEN", "a-secret-of-some-length")
    clients = {"ann": {"token_env": "TOKEN", "hour": {"calls": 7}}}
    config = config_from(models=[FOUR], clients=clients)
    headers = {"Authorization": "Bearer a-secret-of-some-length"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    async with http(tmp_path, config, headers=headers) as (client, app):
        given = {"question": "2 + 2?", "kind": "number"}
        assert found(await client.call_tool("ask", given))["answer"] == "4"
        refused = await client.call_tool("ask", given)
        assert "client ann: its limit for an hour" in refused.content[0].text
        [url] = app.state.urls
        async with AsyncClient() as bare:
            assert (await bare.post(url, json=asked)).status_code == 401
            assert (await bare.post(url, json=asked, headers=headers)).status_code != 401


async def test_a_session_serves_the_client_alone_that_opened_it(tmp_path, monkeypatch):
    clients, headers = {}, {}
    for name in ("ann", "bob"):
        monkeypatch.setenv(name.upper(), f"a-secret-of-some-length-{name}")
        clients[name] = {"token_env": name.upper()}
        headers[name] = {"Authorization": f"Bearer a-secret-of-some-length-{name}"} | ACCEPTED
    config = config_from(models=[FOUR], clients=clients)
    about = {"protocolVersion": "2025-06-18", "capabilities": {}}
    about["clientInfo"] = {"name": "t", "version": "0"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    async with http(tmp_path, config, headers=headers["ann"]) as (_, app), AsyncClient() as bare:
        [url] = app.state.urls
        opened = await bare.post(url, json=hello, headers=headers["ann"])
        own = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        foreign = await bare.post(url, json=listing, headers=headers["bob"] | own)
        assert foreign.status_code == 404
        assert (await bare.delete(url, headers=headers["bob"] | own)).status_code == 404
        mine = await bare.post(url, json=listing, headers=headers["ann"] | own)
        assert mine.status_code == 200


ACCEPTED = {"Accept": "application/json, text/event-stream"}


async def test_a_preset_names_a_server_of_tools_that_is_not_shown(tmp_path):
    calls = 'scripted?reply=CALL search {"query": "harbour"}'
    looks = {"protocol": "single", "model": calls, "max_tool_calls": 1}
    looks["tools"] = [name_server(tmp_path / "log", "search")]
    pair = {"protocol": "society-of-minds", "model": FOUR, "agents": 2, "rounds": 1}
    config = config_from(models=[FOUR], presets={"looks": looks, "pair": pair})
    async with http(tmp_path, config) as (client, _):
        asked = {"question": "2 + 2?", "kind": "number", "protocol": "pair"}
        assert found(await client.call_tool("ask", asked))["took"]["calls"] == 2
        answer = found(await client.call_tool("ask", {"question": "?", "protocol": "looks"}))
        assert answer["took"]["calls"] == 3
        shown = await show(client, run=answer["run"])
        assert "The harbour has room for forty boats." in shown
        assert "tool_server" not in " ".join(shown.split())
    assert read_log(tmp_path / "log") == ["search harbour"]


async def test_of_a_run_with_several_questions_one_is_named(tmp_path):
    arms = [{"protocol": "single"}, {"protocol": "self-consistency", "samples": 2}]
    study = {"name": "sums", "settings": {"model": FOUR}, "arms": arms}
    study["datasets"] = [{"name": "arithmetic", "n": 2}]
    outcome = await moot.run(study, store=tmp_path / "store")
    async with http(tmp_path, config_from(models=[FOUR])) as (client, app):
        [first, _] = sorted({each.question for each in app.state.lab.store.values(1)})
        one = {"run": outcome.run, "question": first}
        for given, told in (
            ({"run": outcome.run}, f"it has 2 questions; name one: {first}, "),
            ({**one, "question": "x"}, "unknown question 'x'"),
            ({**one, "replicate": 99}, f"99: run {outcome.run} has no such debate, but 0"),
            ({**one, "replicate": -1}, f"-1: run {outcome.run} has no such debate, but 0"),
            ({"run": "x" * 100_000}, "xxx"),
        ):
            refused = await client.call_tool("transcript", given)
            assert refused.is_error
            assert told in refused.content[0].text
            assert len(refused.content[0].text) < 1_000
        shown = await show(client, **one)
        assert "single · arithmetic · replicate 0" in shown
        assert "self-consistency · arithmetic" in shown
