"""The server of docs/serve.md is one, and what the page shows is answered by it."""

import asyncio
import json
import os
import re
import shlex
import tomllib
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from moot.contrib.server import chat, http_errors
from moot.contrib.server.chat.chat_json import CompletionRequest, DebateOptions
from moot.contrib.server.chat.request import HEADERS, IGNORED, NOTHING
from moot.contrib.server.config import config_from, read_config
from moot.contrib.server.serving import make_server, open_socket
from support import environments as clients

PAGE = Path(__file__).parents[2] / "docs" / "serve.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
MODEL = "simulated/p=0.7"
"""Stands in for the embedded model, which takes its time."""


def blocks(language):
    return [code for name, code in FENCE.findall(PAGE.read_text()) if name == language]


def of_here(text, port):
    return text.replace("local/smollm2", MODEL).replace("127.0.0.1:8642", f"127.0.0.1:{port}")


@asynccontextmanager
async def up(store):
    [shown] = blocks("toml")
    tables = tomllib.loads(shown.replace("local/smollm2", MODEL))
    running = make_server(config_from(**{**tables, "clients": {}}), store=store)
    with open_socket("127.0.0.1", 0) as own:
        task = asyncio.create_task(running.serve(sockets=[own]))
        while not running.started:
            await asyncio.sleep(0.01)
        yield running.port
        running.should_exit = True
        await task


def test_the_file_shown_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setenv("ANNA_TOKEN", "a" * 20)
    file = tmp_path / "server.toml"
    file.write_text(blocks("toml")[0])
    config = read_config(file)
    assert config.limits == type(config.limits)(
        request=config.limits.request, hour=config.limits.hour
    )
    assert config.clients.keys() == {"anna"}


async def test_the_curl_command_shown_is_answered(tmp_path):
    [command] = blocks("curl")
    async with up(tmp_path) as port:
        curl, url, header, value, data, body = shlex.split(of_here(command, port))
        assert (curl, header, data) == ("curl", "-H", "-d")
        name, _, kind = value.partition(": ")
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=body, headers={name: kind}) as response,
        ):
            told = await response.json()
    assert told["moot"]["kind"] == json.loads(body)["moot"]["kind"]


EACH = """
import sys
for code in sys.argv[1:]:
    exec(code, {"__name__": "__main__"})
    print("\\0", end="")
"""
"""Runs programs one after another: their client takes a second to import."""


@pytest.mark.slow
async def test_the_python_shown_runs(tmp_path):
    async with up(tmp_path) as port:
        shown = [of_here(code, port) for code in blocks("python")]
        done = await asyncio.create_subprocess_exec(
            clients.python(), "-c", EACH, *shown, env=dict(os.environ), stdout=-1, stderr=-1
        )
        out, err = await done.communicate()
    assert done.returncode == 0, err.decode()
    whole, response, streamed, _ = out.decode().split("\0")
    assert response.strip()
    assert "'by': 'majority'" in whole
    assert "mind-1, round 1:" in streamed


def test_every_parameter_field_and_code_is_documented():
    text = PAGE.read_text()
    names = {*CompletionRequest.__struct_fields__, *DebateOptions.__struct_fields__} - {"model"}
    names |= {name for name in IGNORED if not name.startswith("prompt_cache")}
    assert [name for name in sorted(names) if f"`{name}" not in text] == []
    assert [name for name in HEADERS if name not in text.lower()] == []
    refused = {"frequency_penalty", "logprobs", "audio", "logit_bias"}
    assert refused <= NOTHING.keys()
    source = "".join(
        file.read_text()
        for file in (Path(http_errors.__file__), *Path(chat.__file__).parent.glob("*.py"))
    )
    codes = set(re.findall(r'code="(\w+)"', source)) - {"client_closed"}
    assert [code for code in sorted(codes) if f"`{code}`" not in text] == []
