"""The server of docs/serve.md is one, and what the page shows is answered by it."""

import asyncio
import json
import os
import re
import shlex
import tomllib
from pathlib import Path

import aiohttp
import pytest

from moot.contrib.server import chat, http_errors
from moot.contrib.server.chat.chat_json import CompletionRequest, DebateOptions
from moot.contrib.server.chat.request import HEADERS, IGNORED
from moot.contrib.server.config import config_from, read_config
from moot.contrib.server.serving import make_server
from support import environments as clients
from support.server import up
from support.shown import DOCS, find_blocks

PAGE = (DOCS / "serve.md").read_text()
MODEL = "simulated/p=0.7"
"""Stands in for the embedded model, which takes its time."""


def blocks(language):
    return find_blocks(PAGE, language)


def of_here(text, port):
    return text.replace("local/smollm2", MODEL).replace("127.0.0.1:8642", f"127.0.0.1:{port}")


def make_shown(store):
    [shown] = blocks("toml")
    tables = tomllib.loads(shown.replace("local/smollm2", MODEL))
    return make_server(config_from(**{**tables, "clients": {}}), store=store)


def test_the_file_shown_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setenv("ANNA_TOKEN", "a" * 20)
    file = tmp_path / "server.toml"
    file.write_text(blocks("toml")[0])
    config = read_config(file)
    assert config.clients.keys() == {"anna"}
    assert None not in (config.limits.request, config.limits.hour)


async def test_the_curl_command_shown_is_answered(tmp_path):
    [command] = blocks("curl")
    running = make_shown(tmp_path)
    async with up(running):
        _, url, _, value, _, body = shlex.split(of_here(command, running.port))
        name, _, kind = value.partition(": ")
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=body, headers={name: kind}) as response,
        ):
            told = await response.json()
    assert told["moot"]["kind"] == json.loads(body)["moot"]["kind"]


EACH = (
    "import sys\nfor code in sys.argv[1:]:\n exec(code, {'__name__': '__main__'}); print(end='\\0')"
)
"""Runs programs one after another: their client takes a second to import."""


@pytest.mark.soak
async def test_the_python_shown_runs(tmp_path):
    running = make_shown(tmp_path)
    async with up(running):
        shown = [of_here(code, running.port) for code in blocks("python")]
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
    names = {*CompletionRequest.__struct_fields__, *DebateOptions.__struct_fields__} - {"model"}
    names |= {name for name in IGNORED if not name.startswith("prompt_cache")}
    assert [name for name in sorted(names) if f"`{name}" not in PAGE] == []
    assert [name for name in HEADERS if name not in PAGE.lower()] == []
    files = [Path(http_errors.__file__), *Path(chat.__file__).parent.glob("*.py")]
    source = "".join(file.read_text() for file in files)
    codes = set(re.findall(r'code="(\w+)"', source)) - {"client_closed"}
    assert [code for code in sorted(codes) if f"`{code}`" not in PAGE] == []
