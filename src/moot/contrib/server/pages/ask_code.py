"""The question of a debate as code: what a program sends to this server to ask the same."""

import json
import re
from pprint import pformat
from typing import Any, NamedTuple

from moot import MootError, Question
from moot.contrib.server.allowed_names import parse_name
from moot.contrib.server.config import ServerConfig
from moot.contrib.server.pages.ask_ways import DebateWay, find_way
from moot.extend.records import Opened

TOKEN = "MOOT_TOKEN"  # noqa: S105 -- the name of a variable
_ADDRESS = re.compile(r"https?://[\w.\-\[\]:]+")


class AskingCode(NamedTuple):
    """The same question for two kinds of programs.

    Attributes:
        python: a program for Python alone.
        curl: a command for a shell.
    """

    python: str
    curl: str


def write_code(config: ServerConfig, opened: Opened, base: str) -> AskingCode | None:
    """Return the code that asks a debate's question again; None where the endpoint cannot.

    Args:
        config: what the owner allows.
        opened: the beginning of the debate.
        base: the server's address, without a slash at the end.
    """
    question, way = opened.question, find_way(config, opened)
    plain = all(not (each.images or each.tool_calls) for each in question.earlier_messages)
    if way is None or question.secret or question.tool_use or not plain:
        return None
    body: dict[str, Any] = {
        "model": way.title if way.preset else f"{way.name}:{opened.settings['model']}",
        "messages": [
            *({"role": each.role, "content": each.content} for each in question.earlier_messages),
            {"role": "user", "content": question.text},
        ],
        "moot": _list_options(question, _list_set(way, opened)),
    }
    try:
        parse_name(config, body["model"], body["moot"].get("settings"))
    except MootError:
        return None
    address = base if _ADDRESS.fullmatch(base) else "http://127.0.0.1:8000"
    return AskingCode(_write_python(body, address, config), _write_curl(body, address, config))


def _list_options(question: Question, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the field ``moot`` of the request, without what is empty."""
    given = {
        "kind": question.kind,
        "choices": list(question.choices),
        "context": question.context,
        "settings": settings,
    }
    return {name: value for name, value in given.items() if value}


def _list_set(way: DebateWay, opened: Opened) -> dict[str, Any]:
    """Return the settings of a debate that differ from those of the way it goes."""
    model = opened.settings["model"]
    usual = way.protocol.check(way.preset.settings if way.preset else {"model": model})
    missing = object()
    return {
        name: value
        for name, value in opened.settings.items()
        if name != "model" and value != usual.get(name, missing)
    }


def _write_python(body: dict[str, Any], address: str, config: ServerConfig) -> str:
    token = f', "Authorization": "Bearer " + os.environ["{TOKEN}"]' if config.clients else ""
    return (
        f"import json\n{'import os' + chr(10) if config.clients else ''}import urllib.request\n\n"
        f"# OpenAI's client takes the same: base_url='{address}/v1', model, messages,\n"
        "# and the rest as extra_body={'moot': …}\n"
        f"body = {pformat(body, width=88, sort_dicts=False)}\n"
        "request = urllib.request.Request(\n"
        f'    "{address}/v1/chat/completions",\n'
        "    json.dumps(body).encode(),\n"
        f'    {{"Content-Type": "application/json"{token}}},\n'
        ")\n"
        "with urllib.request.urlopen(request) as reply:\n"
        "    answer = json.load(reply)\n"
        'print(answer["choices"][0]["message"]["content"])\n'
        'print(answer["moot"])  # verdict, votes, calls, cost\n'
    )


def _write_curl(body: dict[str, Any], address: str, config: ServerConfig) -> str:
    token = f'  -H "Authorization: Bearer ${TOKEN}" \\\n' if config.clients else ""
    return (
        f"curl -s {address}/v1/chat/completions \\\n{token}"
        "  -H 'Content-Type: application/json' -d @- <<'END'\n"
        f"{json.dumps(body, indent=2)}\nEND\n"
    )
