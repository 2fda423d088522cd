"""Agents with a model, a style, a sampling of their own: how they are listed, where it arrives."""

import msgspec
import pytest

from moot.core.calls import Sampling
from moot.core.errors import InputError
from moot.debate.agent_config import configure_agents, models_in
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.debates import SUM, says

SOCIETY, PERSONA = registry.get("society-of-minds"), registry.get("multi-persona")
OWN = [{"model": "scripted/a", "temperature": 0.2}, {"style": "simple", "max_tokens": 9}, {}]


@pytest.fixture
def held(store):
    """Hold a debate with every model that is named, and give its calls by agent."""

    async def hold(protocol, **given):
        calls = {}
        models = {}

        def model(name):
            def script(call, name=name):
                assert call.model == name
                calls.setdefault(call.scene.agent, []).append(call)
                return says(call, ends=9)

            short = name.removeprefix("scripted/")
            return models.setdefault(name, Scripted(script, name=short))

        settings = protocol.check({"model": "scripted/base", **given})
        given = {"path": CallPath(store), "pack": protocol.pack()}
        transcript = await run_debate(protocol.read(settings), SUM, model=model, **given)
        assert transcript.failed is None
        assert {turn.model for turn in transcript.turns} <= set(models_in(settings))
        assert set(models) == set(models_in(settings))
        for turn in transcript.turns:
            assert {call.model for call in calls[turn.agent]} == {turn.model}
        return calls

    return hold


@pytest.mark.parametrize(
    "written",
    [OWN, tuple(OWN), msgspec.json.encode(OWN).decode(), "  " + msgspec.json.encode(OWN).decode()],
    ids=["list", "tuple", "text", "text after blanks"],
)
async def test_each_agent_speaks_as_it_is_listed(written, held):
    calls = await held(SOCIETY, agents=written, temperature=0.5)
    assert list(calls) == ["mind-1", "mind-2", "mind-3"]
    first, second, third = (calls[mind] for mind in calls)
    assert {call.model for call in first} == {"scripted/a"}
    assert {call.model for call in (*second, *third)} == {"scripted/base"}
    assert {call.sampling.temperature for call in first} == {0.2}
    assert {call.sampling for call in second} == {Sampling(temperature=0.5, max_tokens=9)}
    assert {call.sampling for call in third} == {Sampling(temperature=0.5)}
    assert "step by step" in first[0].messages[0].content
    assert "step by step" not in second[0].messages[0].content
    assert first[0].messages == third[0].messages


async def test_an_entry_is_for_all_of_its_role_or_for_the_seats_whose_role_is_not_listed(held):
    listed = [{"role": "affirmative", "model": "scripted/a"}, {"model": "scripted/n"}]
    calls = await held(PERSONA, agents=listed)
    models = {agent: calls[agent][0].model for agent in ("affirmative", "negative", "judge")}
    assert [*models.values()] == ["scripted/a", "scripted/n", "scripted/base"]
    turned = await held(PERSONA, agents=listed[::-1], seed=1)
    assert turned["negative"][0].model == "scripted/n"
    entries = [{"role": "mind", "temperature": 0}, {"role": "summariser", "model": "scripted/s"}]
    calls = await held(SOCIETY, agents=entries, summary=True)
    assert list(calls) == ["mind-1", "mind-2", "mind-3", "summariser"]
    assert {call.sampling.temperature for mind in calls for call in calls[mind][:1]} == {0.0, 0.7}
    assert calls["summariser"][0].model == "scripted/s"
    assert calls["mind-3"][0].sampling.temperature == 0


def configure(protocol, **given):
    whole = protocol.read(protocol.check(given))
    return configure_agents(whole.agents, whole.cast, Scripted)


def test_later_entries_of_a_role_go_over_earlier_ones_and_1_is_the_same_as_1_0():
    entries = [{"role": "judge", "temperature": 0.1, "top_p": 0.5}, {"role": "judge", "top_p": 1}]
    voice = configure(PERSONA, agents=entries)
    assert voice(2, "judge").sampling == Sampling(temperature=0.1, top_p=1.0)
    plain = configure(SOCIETY, temperature=1)(0, "mind")
    listed = configure(SOCIETY, agents=[{"temperature": 1}])(0, "mind")
    assert msgspec.json.encode(plain.sampling) == msgspec.json.encode(listed.sampling)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([{}, {"rol": "judge"}, {}], r"agents\[2\]: unknown key 'rol'; did you mean 'role'"),
        ([{"role": "jugde"}], r"agents\[1\]: unknown role 'jugde'; did you mean 'judge'"),
        ([{}, {}, {"style": "ctt"}], r"agents\[3\]: unknown style 'ctt'; did you mean 'cot'"),
        ([{}, {"temperature": 3}], r"agents\[2\]: temperature: expected `float` <= 2"),
        ([{"temperature": "hot"}], r"agents\[1\]: temperature: expected"),
        ([{"model": 3}], r"agents\[1\]: model: expected `str`, got `int`"),
        ([{"max_tokens": 0}], r"agents\[1\]: max_tokens: expected `int` >= 1"),
        ([{}, 3], r"agents\[2\]: expected a table, got 3"),
        ("[1]", r"agents\[1\]: expected a table, got 1"),
        ('[{"model": ]', "setting agents: JSON is malformed.*write a JSON list"),
        ([{}] * 4, "agents: 4 are listed without a role, for 3 seats"),
        ([{"role": "judge"}, {}, {}, {}], "agents: 3 are listed without a role, for 2 seats"),
    ],
)
def test_an_entry_that_cannot_be_is_named(entries, said):
    with pytest.raises(InputError, match=f"^study: {said}"):
        PERSONA.check({"agents": entries}, where="study")


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("society-of-minds", {"agents": [{}], "cast": [{}]}, "agents lists agents, and so does"),
        ("society-of-minds", {"agents": []}, r"agents = \[\]: list at least one"),
        ("self-consistency", {"samples": "[]"}, r"samples = \[\]: list at least one"),
        ("society-of-minds", {"agents": 2, "cast": [{}] * 4}, r"4 are .* 2 .*: mind \(agents"),
        ("society-of-minds", {"agents": [{"role": "mind"}, {}]}, "1 are .* 0 seats .*: none"),
        ("self-consistency", {"agents": [{}] * 6}, r"6 are .* 5 seats .*: sampler \(samples = 5\)"),
        ("community", {"agents": 3, "cast": [{}] * 4}, r"4 are .* 3 seats .*: member"),
        ("ensemble-refinement", {"cast": [{}] * 4}, r"4 are .* 3 seats .*: reasoner"),
        ("agentverse", {"cast": [{}] * 6}, r"6 are .* 5 seats .*: .*, critic \(experts = 2\), ev"),
        ("network", {"agents": 2, "cast": [{}] * 3}, r"3 are .* 2 seats .*: \(agents = 2\)"),
    ],
)
def test_an_entry_that_no_seat_takes_is_refused(name, given, said):
    with pytest.raises(InputError, match=f"^study: (agents: )?{said}"):
        registry.get(name).check(given, where="study")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("society-of-minds", {"agents": 2, "rounds": 2, "summary": True}),
        ("chateval", {"agents": 2, "rounds": 2, "summary": True}),
        ("community", {"agents": 2}),
        ("self-consistency", {"samples": 2, "aggregate": True}),
    ],
)
async def test_entries_without_a_role_are_for_the_agents_that_are_counted(name, given, held):
    """A summariser, a judge, an aggregator is none of them, however many entries there are."""
    calls = await held(registry.get(name), cast=[{"model": "scripted/a"}] * 2, **given)
    assert len(calls) == 3
    assert [calls[agent][0].model for agent in calls].count("scripted/a") == 2
    [other] = [agent for agent in calls if calls[agent][0].model == "scripted/base"]
    assert other in {"summariser", "judge", "aggregator"}


def test_all_who_may_speak_are_listed_once():
    node = {"name": "A", "agents": [{"model": "m/a"}, {"role": "judge", "model": "m/j"}]}
    edges = [["A", "judge"], ["B", "judge"]]
    given = {"model": "m/base", "nodes": [node, {"name": "B", "model": "m/b"}], "edges": edges}
    given["agents"] = [{"role": "judge", "model": "m/judge"}]
    settings = registry.get("network").check(given)
    assert list(models_in(settings)) == ["m/base", "m/judge", "m/a", "m/j", "m/b"]
    whole = registry.get("network").read(settings)
    assert whole.models == tuple(models_in(settings))
    assert whole.styles == {"concise"}


NETS = [
    {"graph": "cascade"},
    {"agents": [{"temperature": 1}, {"role": "judge", "model": "m/j"}]},
    {
        "nodes": [{"name": "C2", "temperature": 1.2}, {"name": "C1", "cast": [{"top_p": 1}]}],
        "agents": [{"style": "simple"}, {"role": "judge", "temperature": 0}],
    },
    {
        "nodes": [
            {"name": "A", "agents": [{"model": "m/a"}, {"role": "judge"}], "rounds": 1},
            {"name": "B", "protocol": "self-consistency", "samples": "[{}, {}]"},
            {"name": "C", "temperature": 0},
        ],
        "edges": [["A", "B"], ["B", "judge"], ["C", "judge"]],
        "agents": [{"temperature": 1}, {"role": "judge", "model": "m/j"}],
    },
]


TWO = ("confidence-debate", "consensus-talk", "council", "evidence-debate", "group-debate")
SEVERAL = dict.fromkeys((*TWO, "reconcile", "sparse-debate"), 2) | {"peer-review": 3}
"""The fewest agents of the protocols that one agent alone cannot have."""


@pytest.mark.parametrize("name", [each.name for each in registry if each.is_installed])
def test_settings_that_were_checked_are_as_they_are(name):
    protocol = registry.get(name)
    own = protocol.own.__struct_fields__
    others = [{}] * (SEVERAL.get(name, 1) - 1)
    points = [{}, {"agents": [{"temperature": 1, "style": "simple"}, *others]}]
    points += [{"agents": [{"role": role, "model": "m/x"}]} for role in protocol.roles]
    if "nodes" in own:
        points += [point for point in NETS if "edges" in own or "graph" not in point]
    for point in points:
        given = {key: value for key, value in point.items() if key != "edges" or "edges" in own}
        once = protocol.check(given)
        twice = protocol.check(once)
        assert once == twice
        assert msgspec.json.encode(once) == msgspec.json.encode(twice)
        stored = msgspec.json.decode(msgspec.json.encode(once))
        assert protocol.check(stored) == once
        assert protocol.count(once) == protocol.count(twice)
