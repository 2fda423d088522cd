import json

import pytest

from moot.cli.setting_options import parse_agents, parse_tools
from moot.core.errors import InputError
from support.tools import name_server, read_log


def test_servers_and_what_may_be_called_are_read():
    named = ("docs=uvx docs-server --root=x", "web=http://127.0.0.1:8000/mcp")
    assert parse_tools(named, ("docs.search", "docs.a.b")) == [
        {"name": "docs", "command": "uvx docs-server --root=x", "allow": ["search", "a.b"]},
        {"name": "web", "url": "http://127.0.0.1:8000/mcp", "allow": []},
    ]
    assert parse_tools((), ()) == []
    assert parse_agents(["role=mind,tools=docs,web,temperature=0.2"]) == [
        {"role": "mind", "tools": ["docs", "web"], "temperature": 0.2}
    ]


@pytest.mark.parametrize(
    ("named", "allowed", "why"),
    [
        (["docs"], [], "write --tool NAME=COMMAND"),
        (["docs="], [], "write --tool NAME=COMMAND"),
        (["docs=x", "docs=y"], [], "docs is named twice"),
        (["docs=x"], ["search"], "write --allow NAME.TOOL"),
        (["docs=x"], ["dosc.search"], "unknown tool server 'dosc'"),
    ],
)
def test_what_cannot_be_read_is_told(named, allowed, why):
    with pytest.raises(InputError, match=why):
        parse_tools(named, allowed)


def test_a_question_is_asked_with_a_tool(moot, tmp_path):
    table = name_server(tmp_path / "log")
    words = ["ask", "How many ships?", "--protocol", "single", "--kind", "number"]
    words += ["--model", 'scripted?reply=CALL search {"query": "lighthouse"}']
    words += ["--tool", f"notes={table['command']}", "--max-tool-calls", "2"]
    code, _, told = moot(*words)
    assert code == 2
    assert "none of its tools is allowed" in told
    assert "search (Search the notes of the port.)" in told
    assert read_log(tmp_path / "log") == []
    code, out, _ = moot(*words, "--allow", "notes.search", "--dry-run")
    assert code == 0
    assert "at most 5 calls" in " ".join(out.split())
    assert read_log(tmp_path / "log") == []
    _, out, _ = moot(*words, "--allow", "notes.search", "--json")
    said = [turn["agent"] for turn in json.loads(out)["turns"]]
    assert said == ["agent", "notes", "agent", "notes", "agent"]
    assert read_log(tmp_path / "log") == ["search lighthouse"] * 2
