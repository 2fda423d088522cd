"""Examples of the few-shot styles: where they come from, and that all is known before any call."""

import json

import pytest

import moot
from moot.core.errors import InputError
from moot.datasets.library import add
from moot.debate.features.few_shot import FEATURE
from moot.studies.plan import Plan
from moot.studies.study_file import load
from support.sums import sums

NAME = moot.Scripted([], name="counted").name
SHOWN = [
    {"question": f"What is {n} plus {n}?", "answer": 2 * n, "reason": f"Twice {n} is {2 * n}."}
    for n in range(40, 46)
]


def raw(n=3, dataset="arithmetic", **settings):
    few = {"protocol": "single", "name": "few", "style": "few-shot", "shots": 2}
    return sums("shots", NAME, arms=[few | settings], datasets=[{"name": dataset, "n": n}])


@pytest.fixture
def asked():
    return []


@pytest.fixture
def model(asked):
    return moot.Scripted(lambda call: asked.append(call) or "Final answer: 7", name="counted")


def prompts(asked):
    """All that was sent for each call, examples as messages included."""
    return ["\n".join(message.content for message in call.messages) for call in asked]


async def test_the_training_part_is_shown_by_default(tmp_path, model, asked):
    await moot.run(raw(), store=tmp_path, models=[model])
    assert len(asked) == 3
    for prompt in prompts(asked):
        assert prompt.count("Question:") == 3
        assert prompt.count("Final answer:") >= 2
    assert len({prompt.rpartition("Question:")[0] for prompt in prompts(asked)}) == 3
    asked.clear()
    mixed = {"protocol": "society-of-minds", "rounds": 1, "shots": 2}
    mixed["agents"] = [{"style": "few-shot"}, {"style": "simple"}]
    await moot.run(raw(n=1) | {"arms": [mixed]}, store=tmp_path / "two", models=[model])
    assert [prompt.count("Question:") for prompt in prompts(asked)] == [3, 0]
    asked.clear()
    given = {"protocol": "single", "style": "few-shot", "model": model, "kind": "number"}
    answer = await moot.ask("What is 70 plus 7?", store=tmp_path, **given)  # moot's own examples
    assert (prompts(asked)[0].count("Question:"), answer.settings["shots"]) == (5 + 1, 5)


def wired(*nodes, **settings):
    """A study of one network; its nodes go to the judge."""
    listed = [{"protocol": "single", **node} for node in nodes]
    edges = [[node["name"], "judge"] for node in nodes]
    arm = {"protocol": "network", "name": "net", "nodes": listed, "edges": edges, **settings}
    return raw(n=1) | {"arms": [arm]}


def shown(task, settings):
    """The examples of a debate of a task, or of a node of it."""
    return FEATURE.examples(task.choose()["shots"].chosen, settings)


async def test_each_node_shows_the_examples_of_its_own_settings(tmp_path, asked):
    def script(call):
        asked.append((call.scene.agent.partition("/")[0], prompts([call])[0]))
        return "Final answer: 7"

    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, SHOWN)))
    study = wired(
        {"name": "two"},
        {"name": "four", "shots": 4},
        {"name": "drawn", "seed": 3},
        {"name": "near", "choose": "nearest", "shots": 1},
        {"name": "mine", "examples": str(tmp_path / "mine.jsonl"), "style": "few-shot-cot"},
        {"name": "none", "style": "cot"},
        style="few-shot",
        shots=2,
    )
    model = moot.Scripted(script, name="counted")
    outcome = await moot.run(study, store=tmp_path / "store", models=[model])
    assert outcome.failed == 0
    seen = {name: prompt for name, prompt in asked if name != "judge"}
    counts = {name: prompt.count("Question:") - 1 for name, prompt in seen.items()}
    assert counts == {"two": 2, "four": 4, "drawn": 2, "near": 1, "mine": 2, "none": -1}
    assert len({seen["two"], seen["drawn"]}) == 2
    assert sum(row["reason"] in seen["mine"] for row in SHOWN) == 2
    task = next(Plan(load(study)).tasks())
    nodes = {node.flat["name"]: shown(task, node) for node in task.settings.nodes}
    assert nodes["two"] == shown(task, task.settings)
    assert [len(shown) for shown in nodes.values()] == [2, 4, 2, 1, 2, 0]


FILE = "mine.jsonl"


def test_a_file_is_for_those_that_show_it(tmp_path):
    """Others may have it of the study, of the network or of a grid."""
    pool = tmp_path / "mine.jsonl"
    pool.write_text("\n".join(map(json.dumps, SHOWN)))
    grid = raw(style=["cot", "few-shot"], examples=str(pool))
    shared = raw()
    shared["settings"]["examples"] = str(pool)
    shared["arms"].append({"protocol": "single", "style": "cot"})
    nodes = [{"name": "A", "style": "few-shot"}, {"name": "B"}]
    for study in (grid, shared, wired(*nodes, examples=str(pool))):
        many = set()
        for task in Plan(load(study)).tasks():
            debates = task.settings.nodes or [task.settings]
            many |= {len(shown(task, each)) for each in debates}
        assert len(many) == 2
        assert 0 in many


@pytest.mark.parametrize(
    ("settings", "dataset", "said"),
    [
        ({"examples": "none.jsonl"}, "arithmetic", ["examples = 'none.jsonl'", "cannot be read"]),
        ({"examples": "broken.jsonl"}, "arithmetic", ["examples = 'broken.jsonl'", "line 1"]),
        ({"shots": 9}, "starters", ["shots = 9: question 'starters-", "only 5"]),
        ({"shots": 7, "examples": FILE}, "arithmetic", ["shots = 7", "only 6"]),
        ({"style": "cot", "examples": "none.jsonl"}, "arithmetic", ["there is no such file"]),
        ({"style": "cot", "examples": FILE}, "arithmetic", ["few-shot-cot"]),
        ({}, "ciar", ["examples: ", "examples = FILE"]),
    ],
)
async def test_a_mistake_names_arm_and_key_before_anything_is_called(
    tmp_path, model, asked, settings, dataset, said, monkeypatch, request
):
    if dataset == "ciar":
        add("ciar", request.getfixturevalue("shared_data") / "ciar")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jsonl").write_text('{"question": "?"}')
    (tmp_path / FILE).write_text("\n".join(map(json.dumps, SHOWN)))
    study = raw(dataset=dataset, **settings)
    study["arms"] = [{"protocol": "single", "name": "plain"}, *study["arms"]]
    with pytest.raises(InputError) as caught:
        await moot.run(study, store=tmp_path / "store", models=[model])
    for part in (f"study: arm 'few', dataset '{dataset}': ", *said):
        assert part in str(caught.value)
    node = {"name": "B", "style": "few-shot", "shots": 99, "examples": FILE}
    with pytest.raises(InputError, match="arm 'net', dataset 'arithmetic', node 'B': shots = 99"):
        await moot.run(wired({"name": "A"}, node), store=tmp_path / "store", models=[model])
    assert not asked


def test_other_examples_are_another_run(tmp_path):
    studies = [raw(seed=seed, shots=shots) for seed, shots in ((0, 2), (1, 2), (0, 3))]
    keys = {Plan(load(study)).key for study in studies}
    pool = tmp_path / "pool.jsonl"
    few = {"name": "A", "style": "few-shot", "examples": str(pool)}
    for rows in (SHOWN, [{**SHOWN[0], "answer": "1"}, *SHOWN[1:]]):
        pool.write_text("\n".join(map(json.dumps, rows)))
        for study in (raw(examples=str(pool), shots=6), wired(few, {"name": "B"})):
            keys.add(Plan(load(study)).key)
    assert len(keys) == 3 + 4
