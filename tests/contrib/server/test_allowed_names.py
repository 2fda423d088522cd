"""What a client may name, and the many ways to name what it may not."""

import json
import re
from urllib.parse import quote, urlencode

import pytest

from moot.contrib.server import allowed_names
from moot.contrib.server.allowed_names import NotAllowed, check_allowed, check_plan, parse_name
from moot.contrib.server.config import config_from
from moot.core.errors import InputError, UnknownName
from moot.studies.question_plan import plan_question
from support import server as served

OWN = "simulated/crowd"
ADDRESS = "http://127.0.0.1:9/v1/llama"
CONFIG = config_from(
    models=[OWN, "openai/gpt-4o-mini", "openrouter/*", "local/*", "simulated/slow?latency=0.1"],
    presets={
        "careful": {"protocol": "society-of-minds", "model": OWN, "agents": 4},
        "dear": {"protocol": "single", "model": "openai/gpt-5"},
    },
)
FOREIGN = (
    "openai/gpt-5", "openai/gpt-4o", "anthropic/claude", "simulated/other",
    "http://evil.example/v1/x", ADDRESS, "local//etc/passwd", "local/../x", "local/./x",
    "scripted//etc/passwd", "scripted/replies.jsonl", "openrouter/../openai/x", "openrouter//x",
    "openrouter/http://evil.example/v1/x", "openai/gpt-4o-mini/../gpt-5", "OPENAI/gpt-4o-mini",
    " openai/gpt-4o-mini", "openai/gpt-4o-mini\n", "openai/gpt-4o-mini#",
)  # fmt: skip


def refused(name: str, given=None) -> str:
    with pytest.raises(InputError) as error:
        parse_name(CONFIG, name, given)
    return str(error.value)


@pytest.mark.parametrize("model", FOREIGN)
def test_a_model_that_is_not_listed_is_refused_wherever_it_stands(model):
    refused(f"single:{model}")
    entry = [{"model": model}]
    for name, value in (
        ("agents", entry),
        ("cast", entry),
        ("cast", [{"role": "debater", "model": model}]),
        ("model", model),
    ):
        refused(f"society-of-minds:{OWN}", {name: value})
        refused(f"society-of-minds:{OWN}", {name: json.dumps(value)})
        refused(f"society-of-minds:{OWN}?{name}={quote(json.dumps(value))}")
        refused("careful", {name: value})
    refused(f"self-consistency:{OWN}", {"samples": entry})
    for own in ({"model": model}, {"agents": entry}, {"cast": entry}):
        nodes = [{"name": "a", **own}, {"name": "b"}]
        with pytest.raises(NotAllowed):
            parse_name(CONFIG, f"hopfield:{OWN}", {"nodes": nodes})
        refused(f"hopfield:{OWN}?nodes={quote(json.dumps(nodes))}")
    deep = [{"name": "a", "protocol": "hopfield", "nodes": [{"name": "x", "model": model}]}]
    refused(f"hopfield:{OWN}", {"nodes": [*deep, {"name": "b"}]})
    refused(f"network:{OWN}", {"cast": [{"role": "judge", "model": model}]})


@pytest.mark.parametrize("option", ["key=AWS_SECRET_KEY", "base=http://evil", "timeout=1", "x"])
def test_options_of_a_model_are_its_owners(option):
    told = refused(f"single:openai/gpt-4o-mini?{option}")
    assert "evil" not in told
    for model in ("openai/gpt-4o-mini", "openrouter/x"):
        cast = [{"model": f"{model}?{option}"}]
        assert "not allowed" in refused(f"society-of-minds:{OWN}", {"agents": cast})


def test_no_setting_names_a_file():
    for value in ("/etc/passwd", "x.jsonl", "http://evil.example/x", ""):
        given = {"examples": value, "style": "few-shot"}
        assert "examples" in refused(f"single:{OWN}", given)
        refused(f"single:{OWN}?examples={quote(value)}")
        nodes = [{"name": "a", **given}, {"name": "b"}]
        assert "examples" in refused(f"hopfield:{OWN}", {"nodes": nodes})


def test_what_a_preset_names_is_allowed_there_alone():
    assert parse_name(CONFIG, "dear").settings["model"] == "openai/gpt-5"
    assert "gpt-5" in refused("single:openai/gpt-5")
    assert "gpt-5" in refused("careful", {"cast": [{"model": "openai/gpt-5"}]})
    assert parse_name(CONFIG, "careful?rounds=1").settings["rounds"] == "1"


def test_a_pattern_is_for_names():
    here = "http://10.0.0.1:8000/v1/*"
    for pattern, name, is_listed in (
        ("openrouter/*", "openrouter/meta-llama/llama-3:free", True),
        (here, "http://10.0.0.1:8000/v1/org/model", True),
        (here, "http://10.0.0.2:8000/v1/model", False),
        (here, "http://10.0.0.1:8000/v1/m?key=A_B", False),
        ("local/*", "local/" + "é", False),
    ):
        assert allowed_names.is_listed([pattern], name) is is_listed, name


def test_a_protocol_that_is_not_listed_is_refused():
    config = config_from(models=[OWN], protocols=["single", "hopfield"])
    assert allowed_names.list_names(config) == [f"single:{OWN}", f"hopfield:{OWN}"]
    with pytest.raises(UnknownName, match="society-of-minds"):
        parse_name(config, f"society-of-minds:{OWN}")
    nodes = [{"name": "a", "protocol": "society-of-minds"}, {"name": "b", "protocol": "single"}]
    with pytest.raises(NotAllowed, match="society-of-minds"):
        parse_name(config, f"hopfield:{OWN}", {"nodes": nodes})


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("carefull", "did you mean 'careful'"),
        ("", "unknown model"),
        (":", "unknown protocol"),
        ("single:", "write provider/model|not allowed"),
        (f"singel:{OWN}", "did you mean 'single'"),
        (f"single:{OWN}?temperature", "written"),
        (f"single:{OWN}?temperature=0&temperature=1", "twice"),
        (f"single:{OWN}?temprature=1", "did you mean 'temperature'"),
        (f"single:{OWN}?model={OWN}", "before the question mark"),
        (f"society-of-minds:{OWN}?agents=[", "JSON"),
        ("x" * 9000, "characters"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name, told):
    assert re.search(told, refused(name))


def test_what_may_be_named_is_a_setting():
    slow, pair = "simulated/slow?latency=0.1", f"society-of-minds:{OWN}"
    for name, given, settings in (
        (f"single:{slow}", None, {"model": slow}),
        (f"single:{slow}&temperature=0", None, {"model": slow, "temperature": "0"}),
        (f"{pair}?decision=unanimity", None, {"model": OWN, "decision": "unanimity"}),
        (f"single:{OWN}", {"put": "42"}, {"model": OWN, "put": "42"}),
    ):
        assert parse_name(CONFIG, name, given).settings == settings
    refused("single:simulated/slow?latency=0.15")
    refused("single:simulated/slow")
    nodes = [{"name": f"n{number}"} for number in range(2000)]
    assert "bytes" in refused(f"hopfield:{OWN}", {"nodes": nodes})


def test_an_unknown_name_is_told_how_one_is_written():
    one = config_from(models=[OWN])
    lists = f"GET /v1/models lists {len(allowed_names.list_names(one))}."
    example = f"for example society-of-minds:{OWN}; {lists}"
    few = config_from(models=["openai/*", OWN], protocols=["single", "hopfield"])
    slow = config_from(models=["simulated/slow?latency=0.1"])
    stands = "openai/* (* stands for any name); GET /v1/models lists 2."
    for config, name, told in (
        (one, "gpt-4o", f"model: unknown model 'gpt-4o'; Say PROTOCOL:{OWN}, {example}"),
        (few, "gpt-4o", f"Say PROTOCOL:PROVIDER/MODEL, for example single:{stands}"),
        (few, "hopfield", f"Say PROTOCOL:PROVIDER/MODEL, for example hopfield:{stands}"),
        (few, OWN, f"example single:{OWN};"),
        (slow, "gpt-4o", f"Say PROTOCOL, for example society-of-minds; {lists}"),
        (CONFIG, "council", "Say a preset (careful, dear) or PROTOCOL:PROVIDER"),
    ):
        with pytest.raises(UnknownName, match=re.escape(told)):
            parse_name(config, name)


def test_a_refusal_says_that_an_allowed_model_has_options_and_not_which():
    slow = config_from(models=["simulated/slow?latency=0.1"])
    with pytest.raises(NotAllowed, match=r"allowed are simulated/slow\?…$"):
        parse_name(slow, "single:simulated/slow")


def test_where_one_model_is_allowed_a_protocol_alone_is_a_name():
    one = config_from(models=[OWN])
    assert parse_name(one, "society-of-minds") == parse_name(one, f"society-of-minds:{OWN}")
    asked = "society-of-minds?agents=4"
    assert parse_name(one, asked) == parse_name(one, f"society-of-minds:{OWN}?agents=4")
    slow = config_from(models=["simulated/slow?latency=0.1"])
    settings = {"model": "simulated/slow?latency=0.1", "agents": "4"}
    assert parse_name(slow, asked).settings == settings
    for config in (CONFIG, config_from(models=["openai/*"])):
        with pytest.raises(UnknownName, match="unknown model 'society-of-minds'"):
            parse_name(config, "society-of-minds")


def test_the_last_look_finds_what_was_not_looked_at_before(tmp_path):
    for settings in ({"model": "openai/gpt-4o"}, {"model": OWN, "cast": [{"model": ADDRESS}]}):
        with pytest.raises(NotAllowed):
            check_plan(CONFIG, plan_question("Why?", protocol="single", settings=settings))
    choice = parse_name(CONFIG, f"single:{OWN}")
    check_allowed(CONFIG, choice)
    for wrong in ({"model": ADDRESS}, {"evidence": "/etc"}, {"cast": [{"evidence": "/etc"}]}):
        with pytest.raises(NotAllowed):
            check_allowed(CONFIG, choice._replace(settings={"model": OWN, **wrong}))
    prompts = tmp_path / "own.toml"
    prompts.write_text("")
    ours = plan_question("Why?", protocol="single", settings={"model": OWN}, prompts=prompts)
    with pytest.raises(NotAllowed, match="prompts"):
        check_plan(CONFIG, ours)
    preset = {"mine": {"protocol": "single", "model": "simulated/mine", "prompts": str(prompts)}}
    owners = config_from(models=[OWN], presets=preset)
    mine = {"model": "simulated/mine"}
    check_plan(owners, plan_question("Why?", protocol="single", settings=mine, prompts=prompts))
    check_plan(CONFIG, plan_question("Why?", protocol="single", settings={"model": "openai/gpt-5"}))


def test_the_debate_behind_a_gate_is_allowed_as_any_is():
    config = config_from(models=[OWN], protocols=["agreement-gate", "society-of-minds"])
    gate = f"agreement-gate:{OWN}"
    chosen = parse_name(config, gate, {"inner": {"protocol": "society-of-minds"}})
    check_allowed(config, chosen)
    for inner in ("free-mad", {"protocol": "free-mad"}):
        with pytest.raises(NotAllowed, match="protocol 'free-mad' is not allowed here"):
            parse_name(config, gate, {"inner": inner})


async def test_a_pattern_is_listed_as_no_model_and_loads_so_many(serving, client, monkeypatch):
    monkeypatch.setattr("moot.contrib.server.live_debates.MODELS", 1)
    limits = {"question": 5}
    server = await serving(models=[OWN, "simulated/*"], protocols=["single"], limits=limits)
    for number in range(3):
        request = served.body(text="too long a question", model=f"single:simulated/m{number}")
        await served.refused(client, server, request)
    assert len(server.lab._loaded) == 1
    async with client.get(f"{server.url}/v1/models") as answer:
        assert [each["id"] for each in (await answer.json())["data"]] == [f"single:{OWN}"]
    for name, status in (("single:simulated/*", 404), ("single:simulated/other", 200)):
        async with client.get(f"{server.url}/v1/models/{name}") as answer:
            assert answer.status == status
            told = await answer.text()
        if status == 404:
            assert "* stands for any name" in told


TABLE = {"name": "docs", "command": "cat /etc/passwd", "allow": ["search"]}
WISE = {"protocol": "single", "model": OWN, "tools": [TABLE]}
WITH_TOOLS = config_from(models=[OWN], presets={"wise": WISE})


def ways():
    """Every way to slip a server of tools into what a client asks for."""
    tools = [TABLE]
    node = [{"name": "a", "protocol": "single", "tools": tools}, {"name": "b"}]
    yield f"single:{OWN}", {"tools": tools}
    yield f"single:{OWN}?tools={quote(json.dumps(tools))}", None
    yield "wise", {"tools": [{**TABLE, "command": "rm -r x"}]}
    yield "wise", {"tools": [{**TABLE, "allow": ["search", "delete"]}]}
    yield f"wise?tools={quote(json.dumps([{**TABLE, 'command': 'rm'}]))}", None
    yield f"hopfield:{OWN}", {"nodes": node}
    yield f"agreement-gate:{OWN}", {"tools": tools}


@pytest.mark.parametrize(("name", "given"), list(ways()))
def test_no_client_names_a_server(name, given):
    with pytest.raises(InputError, match="setting tools: it may name a file or an address"):
        parse_name(WITH_TOOLS, name, given)


def test_no_client_asks_a_server_as_a_model():
    with pytest.raises(InputError, match=r"models.*'tool/\*': a server of tools is no model"):
        config_from(models=["tool/*"])
    name = f"tool/docs?{urlencode({'command': 'touch x'})}"
    for asked, given in (
        (f"single:{name}", None),
        (f"single:tool/docs?command={quote('touch x')}", None),
        (f"single:{OWN}", {"cast": [{"model": name}]}),
    ):
        with pytest.raises(InputError):
            parse_name(WITH_TOOLS, asked, given)
