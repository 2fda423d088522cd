"""Arms: which lists make a grid, which are a setting's value, and how mistakes are named."""

import pytest

from moot.core.errors import InputError, UnknownName
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


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            {"protocol": "society-of-minds", "agents": [COLD, {"temprature": 1}]},
            ["study: arms[1]", "agents[2]", "'temperature'"],
        ),
        (
            {"protocol": "society-of-minds", "agents": [[COLD], [COLD, {"temperature": 9}]]},
            ["study: arms[1], agents#2", "agents[2]", "temperature", "<= 2"],
        ),
        (
            {"protocol": "society-of-minds", "rounds": [1, 0]},
            ["study: arms[1], rounds=0", "rounds = 0", ">= 1"],
        ),
        (
            {"protocol": "multi-persona", "agents": [{"role": "juge"}]},
            ["study: arms[1]", "agents[1]", "'judge'"],
        ),
        (
            {"protocol": "network", "nodes": [{"name": "A", "rounds": 0}], "edges": EDGES},
            ["study: arms[1]", "nodes[1]", "rounds = 0"],
        ),
        (
            {"protocol": "network", "nodes": NODES, "edges": [["A", "B"], ["B", "A"]]},
            ["study: arms[1]", "['A', 'B']", "cycle"],
        ),
        ({"protocol": "society-of-minds", "agents": []}, ["study: arms[1]: agents = []"]),
    ],
)
def test_a_mistake_in_a_table_is_named_by_its_place(table, said):
    with pytest.raises(InputError) as caught:
        arms(table)
    for part in said:
        assert part in str(caught.value)


@pytest.mark.parametrize("value", [3, [2, 3]])
def test_a_number_of_agents_is_for_protocols_that_have_one(value):
    with pytest.raises(UnknownName, match=r"arms\[1\].*'agents'"):
        arms({"protocol": "multi-persona", "agents": value})


def test_the_same_agents_twice_are_one_arm_too_many():
    with pytest.raises(InputError, match="is the same as the arm"):
        arms({"protocol": "society-of-minds", "agents": [[WARM, COLD], [WARM, COLD]]})
