"""Arms: which lists make a grid, which are a setting's value, and how mistakes are named."""

import pytest

from moot.core.errors import InputError
from moot.studies.study import load

WARM, COLD = {"temperature": 1.0}, {"temperature": 0.2}
MIXED = [WARM, {"model": "scripted?reply=4"}]
EDGES = [["A", "B"], ["B", "judge"]]
NODES = [{"name": "A"}, {"name": "B", "protocol": "single"}]


def arms(*tables, **more):
    study = {"name": "x", "datasets": [{"name": "arithmetic"}], "arms": list(tables)}
    return load(study | more, model="scripted").arms


def test_a_list_of_agents_is_a_setting_and_no_grid():
    [society, debate] = arms(
        {"protocol": "society-of-minds", "agents": MIXED},
        {"protocol": "multi-persona", "agents": [{"role": "judge", "temperature": 0.2}]},
    )
    assert (society.name, debate.name) == ("society-of-minds", "multi-persona")
    assert society.settings["agents"] == 2
    assert [dict(one) for one in society.settings["cast"]] == MIXED
    assert list(debate.settings["cast"]) == [{"role": "judge", "temperature": 0.2}]


def test_a_list_of_such_lists_is_a_grid_with_names_of_its_own():
    grid = [[WARM, WARM], [WARM, COLD], 4]
    made = arms({"protocol": "society-of-minds", "agents": grid, "rounds": [1, 2]})
    assert [arm.name.removeprefix("society-of-minds ") for arm in made] == [
        *("agents#1,rounds=1", "agents#1,rounds=2"),
        *("agents#2,rounds=1", "agents#2,rounds=2"),
        *("agents=4,rounds=1", "agents=4,rounds=2"),
    ]
    assert [arm.settings["agents"] for arm in made] == [2, 2, 2, 2, 4, 4]
    assert [len(arm.settings["cast"]) for arm in made] == [2, 2, 2, 2, 0, 0]


def test_a_graph_is_a_setting_and_a_list_of_graphs_a_grid():
    [one] = arms({"protocol": "network", "nodes": NODES, "edges": EDGES})
    assert one.name == "network"
    assert [node["name"] for node in one.settings["nodes"]] == ["A", "B"]
    both = [EDGES, [["A", "judge"], ["B", "judge"]]]
    assert [arm.name for arm in arms({"protocol": "network", "nodes": NODES, "edges": both})] == [
        "network edges#1",
        "network edges#2",
    ]
    presets = arms({"protocol": "network", "graph": ["short-long", "cascade"]})
    assert [arm.name for arm in presets] == ["network graph=short-long", "network graph=cascade"]


SOCIETY, NETWORK = "society-of-minds", "network"


@pytest.mark.parametrize(
    ("protocol", "table", "said"),
    [
        (SOCIETY, {"agents": [COLD, {"temprature": 1}]}, ["agents[2]", "'temperature'"]),
        (SOCIETY, {"agents": [[COLD], [COLD, {"temperature": 9}]]}, [", agents#2", "<= 2"]),
        (SOCIETY, {"rounds": [1, 0]}, [", rounds=0", "rounds = 0", ">= 1"]),
        (SOCIETY, {"agents": []}, [": agents = []"]),
        (SOCIETY, {"agents": [[WARM, COLD], [WARM, COLD]]}, ["is the same as the arm"]),
        ("multi-persona", {"agents": [{"role": "juge"}]}, ["agents[1]", "'judge'"]),
        ("multi-persona", {"agents": 3}, ["'agents'"]),
        ("multi-persona", {"agents": [2, 3]}, ["'agents'"]),
        (NETWORK, {"nodes": [{"name": "A", "rounds": 0}], "edges": EDGES}, ["nodes[1]", "= 0"]),
        (NETWORK, {"nodes": NODES, "edges": [["A", "B"], ["B", "A"]]}, ["['A', 'B']", "cycle"]),
    ],
)
def test_a_mistake_in_a_table_is_named_by_its_place(protocol, table, said):
    with pytest.raises(InputError) as caught:
        arms({"protocol": protocol, **table})
    for part in ("study: arms[1]", *said):
        assert part in str(caught.value)
