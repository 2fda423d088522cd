"""Study files: what is right in them, how each mistake is named, and which lists make a grid."""

from pathlib import Path

import pytest

import moot
from moot.core.errors import InputError, UnknownName
from moot.core.stored import decode_study
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.study_file import load

GOOD = """
name = "good"
[settings]
model = "simulated/people?accuracy=0.6"
[[datasets]]
name = "arithmetic"
n = 3
[[arms]]
protocol = "single"
[[arms]]
protocol = "society-of-minds"
agents = [2, 3]
rounds = 2
"""


def test_lists_make_an_arm_for_each_value(tmp_path):
    study = load(write(tmp_path, GOOD.replace("[settings]", "[settings]\nrounds = 5")))
    names = ["single", "society-of-minds agents=2", "society-of-minds agents=3"]
    assert [arm.name for arm in study.arms] == names
    assert [arm.settings.get("agents") for arm in study.arms] == [None, 2, 3]
    assert [arm.settings.get("rounds") for arm in study.arms] == [None, 2, 2]
    assert study.baseline == "single"
    assert study.arms[0].settings["model"] == "simulated/people?accuracy=0.6"
    twice = GOOD + '[[datasets]]\nname = "arithmetic"\ndifficulty = 2\n'
    labels = load(write(tmp_path, twice + 'label = "harder"\n')).datasets
    assert [part.label for part in labels] == ["arithmetic", "harder"]
    for source, said in ((twice, "label"), (None, "cannot be read"), ("demos", "mean 'demo'")):
        with pytest.raises(InputError, match=said):
            load(write(tmp_path, source) if source == twice else source or tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "good"', 'nam = "good"', ["study.toml", "unknown key 'nam'", "'name'"]),
        ('name = "good"\n', "", ["study.toml: there is no `name`"]),
        ('name = "good"', 'name = "good"\nreplicates = 0', ["replicates = 0", "at least 1"]),
        ('name = "good"', 'name = "good"\nbaseline = "singel"', ["baseline", "'single'"]),
        ('name = "good"', 'name = "good"\nprompts = "none.toml"', ["prompts", "no such file"]),
        ('name = "arithmetic"', 'name = "arithmetics"', ["datasets[1]", "'arithmetic'"]),
        ("n = 3", "n = 0", ["datasets[1]: n = 0", "at least 1"]),
        ("n = 3", "dificulty = 1", ["datasets[1]", "dificulty", "'difficulty'"]),
        ('protocol = "single"', 'protocol = "singel"', ["arms[1]", "'single'"]),
        ("rounds = 2", "round = 2", ["arms[2]", "'round'", "'rounds'"]),
        ("rounds = 2", "rounds = 0", ["arms[2]", "rounds = 0", ">= 1"]),
        ("agents = [2, 3]", "agents = [2, 2]", ["arms[2]", "two arms", "agents=2"]),
        ("[settings]", "[settings]\ntemprature = 1", ["settings", "'temperature'"]),
        ("[settings]", "[budget]\ncost = -1\n[settings]", ["budget: cost = -1"]),
        ("[settings]", '[prices."a/b"]\ninput = 1\n[settings]', ["prices.a/b", "output"]),
        ("[settings]", "[settings", ["study.toml", "not TOML"]),
        ("[settings]", "[retry]\nattempts = 0\n[settings]", ["retry: attempts = 0"]),
        ('name = "good"', 'name = "good"\nconfirm_above = nan', ["confirm_above"]),
        ('name = "good"', 'name = "ask"', ["name", "another"]),
    ],
)
def test_a_mistake_is_named_with_file_place_and_what_is_right(tmp_path, old, new, said):
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        load(write(tmp_path, GOOD.replace(old, new, 1)))
    for part in said:
        assert part in str(caught.value)


def test_a_byte_order_mark_is_skipped_and_another_encoding_is_named(tmp_path):
    plain = load(write(tmp_path, GOOD))
    (tmp_path / "study.toml").write_text(GOOD, encoding="utf-8-sig")
    assert load(tmp_path / "study.toml") == plain
    (tmp_path / "study.toml").write_text(GOOD, encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16, not UTF-8: save the file as UTF-8"):
        load(tmp_path / "study.toml")


def write(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text)
    return path


async def test_a_run_keeps_the_analyses_that_its_study_names(tmp_path):
    own = {"name": "s", "datasets": [{"name": "arithmetic", "n": 2}], "analyses": ["prejudice"]}
    own |= {"arms": [{"protocol": "single"}], "settings": {"model": "simulated/people"}}
    outcome = await moot.run(load(own), store=tmp_path)
    async with open_lab(tmp_path, readonly=True) as lab:
        assert decode_study(lab.store.find_run(outcome.run)).analyses == ("prejudice",)
    own.pop("analyses")
    assert Plan(load(own)).key == outcome.run  # what is looked at does not change what is run
    above = load({"name": "t", "extends": "table3-sums"}, model="simulated/people")
    assert above.analyses[0] == "best-by-protocol"


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
    names = [f"{each},rounds={n}" for each in ("agents#1", "agents#2", "agents=4") for n in (1, 2)]
    assert [arm.name.removeprefix("society-of-minds ") for arm in made] == names
    assert [arm.settings["agents"] for arm in made] == [2, 2, 2, 2, 4, 4]
    assert [len(arm.settings["cast"]) for arm in made] == [2, 2, 2, 2, 0, 0]


def test_a_graph_is_a_setting_and_a_list_of_graphs_a_grid():
    [one] = arms({"protocol": "network", "nodes": NODES, "edges": EDGES})
    assert one.name == "network"
    assert [node["name"] for node in one.settings["nodes"]] == ["A", "B"]
    both = [EDGES, [["A", "judge"], ["B", "judge"]]]
    made = arms({"protocol": "network", "nodes": NODES, "edges": both})
    assert [arm.name for arm in made] == ["network edges#1", "network edges#2"]


SOCIETY, NETWORK = "society-of-minds", "network"


@pytest.mark.parametrize(
    ("protocol", "table", "said"),
    [
        (SOCIETY, {"agents": [COLD, {"temprature": 1}]}, ["agents[2]", "'temperature'"]),
        (SOCIETY, {"agents": [[COLD], [COLD, {"temperature": 9}]]}, [", agents#2", "<= 2"]),
        (SOCIETY, {"agents": [[WARM, COLD], [WARM, COLD]]}, ["is the same as the arm"]),
        ("multi-persona", {"agents": [{"role": "juge"}]}, ["agents[1]", "'judge'"]),
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


def test_a_source_of_the_settings_that_there_is_not_is_named_whatever_the_protocols():
    with pytest.raises(UnknownName, match="unknown source 'codes'; did you mean 'code'"):
        arms({"protocol": "council"}, settings={"faithful": "codes"})
