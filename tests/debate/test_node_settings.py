"""What each node of a network has of its own, and what it has of the network's."""

import pytest

from moot.core.errors import InputError
from moot.debate.nodes import SEATS, SPARE
from moot.debate.protocol import registry
from moot.debate.run_debate import run_debate
from moot.models.scripted import Scripted
from moot.runtime.path import CallPath
from support.debates import SUM, chain, says

NETWORK = registry.get("network")


async def test_model_and_temperature_go_by_node_and_the_judges_apart(store):
    nodes = [
        {"name": "A", "temperature": 0.1, "agents": [{"role": "judge", "temperature": 0.9}]},
        {"name": "B", "model": "scripted/b"},
        {"name": "C", "agents": [{"model": "scripted/c"}, {"temperature": 0.6}]},
    ]
    judge = {"role": "judge", "model": "scripted/j", "temperature": 0}
    given = chain(*nodes) | {"temperature": 0.3, "rounds": 1, "agents": [judge]}
    calls = await _asked(store, given)
    told = [(agent, call.model[9:], call.sampling.temperature) for agent, call in calls.items()]
    assert sorted(told) == sorted([
        *((f"A/member-{number}", "base", 0.1) for number in (1, 2, 3)), ("A/judge", "j", 0.9),
        *((f"B/member-{number}", "b", 0.3) for number in (1, 2, 3)), ("B/judge", "j", 0.0),
        ("C/member-1", "c", 0.3), ("C/member-2", "base", 0.6), ("C/judge", "j", 0.0),
        ("judge", "j", 0.0),
    ])  # fmt: skip


async def _asked(store, given):
    """The last call of each agent."""
    calls, models = {}, {}

    def model(name):
        def script(call):
            calls[call.scene.agent] = call
            return says(call)

        return models.setdefault(name, Scripted(script, name=name.removeprefix("scripted/")))

    chosen = NETWORK.check({"model": "scripted/base", **given})
    told = {"path": CallPath(store), "pack": NETWORK.pack()}
    held = await run_debate(NETWORK.read(chosen), SUM, model=model, **told)
    assert held.failed is None
    models = {turn.agent: turn.model for turn in held.turns}
    assert models == {agent: call.model for agent, call in calls.items()}
    return calls


def test_a_crowded_node_keeps_to_its_own_seats():
    """A thousand seats are a node's; more would be drawn as the next node's are."""
    most = SEATS - SPARE
    for crowd in (
        {"protocol": "self-consistency", "samples": most + 1},
        {"protocol": "self-consistency", "samples": most, "aggregate": True},
        {"protocol": "ensemble-refinement", "reasonings": most - 9, "aggregations": 10},
        {"protocol": "community", "agents": most, "rounds": 3},
    ):
        said = rf"nodes\[2\]: {crowd['protocol']} asks 991 agents .*: in a node at most 990"
        with pytest.raises(InputError, match=said):
            NETWORK.check(chain({"name": "A"}, {"name": "B", **crowd}))
    fits = {"protocol": "ensemble-refinement", "reasonings": most - 9, "aggregations": 9}
    assert NETWORK.check(chain({"name": "A", "rounds": 1000}, {"name": "B", **fits}))


def test_a_node_s_own_cast_goes_over_the_network_s():
    judge = {"role": "judge", "temperature": 0.0}
    own = [{"role": "judge", "temperature": 0.9}, {"top_p": 0.5}]
    nodes = [{"name": "A", "cast": own}, {"name": "B", "agents": [{}]}, {"name": "C"}]
    settings = NETWORK.check(chain(*nodes) | {"agents": [judge, {"style": "simple"}]})
    assert [node["cast"] for node in settings["nodes"]] == [
        [judge, *own],
        [judge, {}],
        [judge, {"style": "simple"}],
    ]
    assert settings["cast"] == [judge]
    assert NETWORK.check(settings) == settings
