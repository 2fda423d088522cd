"""Settings in words."""

from msgspec.structs import replace

from moot.core.stored import Arm
from moot.debate.protocol import registry
from moot.reports.setup import NOT_SHOWN, describe_settings, share_settings


def told(protocol, **given):
    words = describe_settings(registry.get(protocol).check(given))
    return dict(each.split(" = ", 1) for each in words)


def test_a_preset_is_its_nodes_and_edges():
    said = told("network")
    assert said["graph"] == "short-long"
    assert said["nodes"] == "C1, C2, C3, C4"
    assert said["edges"] == "C1→judge, C2→C3, C3→C4, C4→judge"


def test_a_graph_of_ones_own_is_no_preset():
    nodes = [
        {"name": "A", "protocol": "society-of-minds", "rounds": 3},
        {"name": "B", "rounds": 2, "temperature": 0.1},
    ]
    said = told("network", nodes=nodes, edges=[["A", "B"], ["B", "judge"]], agents=3)
    assert "graph" not in said
    assert (
        said["nodes"]
        == "A (protocol = society-of-minds, style = cot, rounds = 3), B (temperature = 0.1)"
    )
    assert said["edges"] == "A→B, B→judge"


def test_what_is_empty_stands_for_nothing():
    assert describe_settings({"evidence": "", "cast": [], "top_p": None, "seed": 0}) == ["seed = 0"]
    assert "evidence" not in told("essay-plan")


def test_where_files_are_is_for_their_owner_alone():
    node = {"name": "a", "protocol": "essay-plan", "evidence": "/home/ann/notes"}
    settings = registry.get("hopfield").check({"nodes": [node, {"name": "b"}], "sweeps": 1})
    settings |= {"examples": "/home/ann/few.jsonl"}
    assert "/home/ann/notes" in str(describe_settings(settings))
    covered = describe_settings(settings, paths=False)
    assert "ann" not in str(covered)
    assert f"examples = {NOT_SHOWN}" in covered
    assert f"nodes = a (protocol = essay-plan, style = cot, evidence = {NOT_SHOWN}), b" in covered


def test_settings_are_said_where_methods_differ():
    usual = {"model": "own/m", "style": "cot", "temperature": 0.7, "seed": 0}
    arms = [
        Arm(name="one", protocol="single", settings=usual),
        Arm(name="two", protocol="society-of-minds", settings=usual | {"agents": 3, "rounds": 2}),
    ]
    shared, own = share_settings(arms)
    assert shared == ["model = own/m"]  # the others are defaults
    assert own == {"one": [], "two": ["agents = 3", "rounds = 2"]}
    warm = [replace(a, settings=a.settings | {"temperature": 1.0}) for a in arms]
    assert share_settings(warm).shared == ["model = own/m", "temperature = 1.0"]
    cold = [arms[0], replace(arms[0], name="two", settings=usual | {"temperature": 0.0})]
    assert share_settings(cold).own == {"one": ["temperature = 0.7"], "two": ["temperature = 0.0"]}
