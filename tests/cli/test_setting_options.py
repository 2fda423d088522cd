"""Settings, agents and tools on the command line: ``--set``, options of their names, ``--tool``."""

import json

import pytest

from moot.cli.setting_options import parse_agents, parse_settings, parse_tools
from moot.core.errors import InputError
from support.commands import FOUR, printed, refused
from support.tools import name_server, read_log


def test_values_stay_text_but_for_lists_and_none():
    given = ["agents=3", "temperature=.5", "top_p=none", "note=a=b", "odd=[x]", "put=.net"]
    told = {"agents": "3", "temperature": "0.5", "top_p": None, "note": "a=b"}
    assert parse_settings(given) == told | {"odd": "[x]", "put": ".net"}
    nodes, edges = '[{"name": "A"}]', '[["A", "judge"]]'
    made = parse_settings([f"nodes={nodes}", f"edges={edges}"])
    assert made == {"nodes": [{"name": "A"}], "edges": [["A", "judge"]]}


def test_agents_have_values_of_their_types():
    model = "scripted?reply=Yes, of course.&concurrency=2"  # no key follows its comma
    listed = [f"model={model},temperature=.2", "role=judge, max_tokens=64,top_p=none", ""]
    assert parse_agents(listed) == [
        {"model": model, "temperature": 0.2},
        {"role": "judge", "max_tokens": 64, "top_p": None},
        {},
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("smollm2", ["--agent smollm2", "key=value"]),
        ("temprature=1", ["--agent temprature=1", "did you mean 'temperature'"]),
        ("temperature=hot", ["temperature: expected `a number`", "--agent temperature=hot"]),
        ("role=judge,max_tokens=0", ["max_tokens", ">= 1"]),
        ("style=cot,style=simple", ["style is set twice"]),
    ],
)
def test_a_mistake_names_the_agent_and_what_is_right(text, said):
    with pytest.raises(InputError) as caught:
        parse_agents(["temperature=1", text])
    for part in said:
        assert part in str(caught.value)


ASKED = ["ask", "2 + 2?", "--kind", "number", "--model", FOUR, "--json"]


def test_a_setting_may_be_an_option(moot):
    same = json.loads(moot(*ASKED, "--set", "agents=2", "--set", "rounds=1")[1])["settings"]
    assert (same["agents"], same["rounds"]) == (2, 1)
    for flags in (["--agents", "2", "--rounds", "1"], ["--agents=2", "--rounds=1"]):
        assert json.loads(moot(*ASKED, *flags)[1])["settings"] == same
    for flag, chair in (("--no-chair", False), ("--chair", True), ("--chair=false", False)):
        told = moot(*ASKED, "--protocol", "council", "--top-p", "0.5", flag)[1]
        assert json.loads(told)["settings"].items() >= {"chair": chair, "top_p": 0.5}.items()
    code, out, _ = moot(*ASKED[:1], *ASKED[2:], "--", "--agents 2?")  # no option behind two hyphens
    assert (code, json.loads(out)["settings"]["agents"]) == (0, 3)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--round", "3"], "'--rounds'"),
        (["--rounds"], "requires an argument"),
        (["--rounds", "3", "--set", "rounds=2"], "rounds is set twice"),
        (["--chair"], "unknown setting 'chair'"),
    ],
)
def test_what_is_no_setting_is_named_with_what_would_be(moot, flags, said):
    err = refused(moot(*ASKED, *flags))
    assert said in err
    assert "Traceback" not in err


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
    told = refused(moot(*words))
    assert "none of its tools is allowed" in told
    assert "search (Search the notes of the port.)" in told
    assert read_log(tmp_path / "log") == []
    out = printed(moot(*words, "--allow", "notes.search", "--dry-run"))
    assert "at most 5 calls" in " ".join(out.split())
    assert read_log(tmp_path / "log") == []
    _, out, _ = moot(*words, "--allow", "notes.search", "--json")
    said = [turn["agent"] for turn in json.loads(out)["turns"]]
    assert said == ["agent", "notes", "agent", "notes", "agent"]
    assert read_log(tmp_path / "log") == ["search lighthouse"] * 2
