"""Plans: what a run will take, its id, and what is wrong with it before anything is called."""

import json
from time import monotonic

import pytest

import moot
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.study_file import load
from support.sums import sums

CHEAP, DEAR = "scripted?reply=4", "scripted?reply=5"
GRAPH = {"nodes": [{"name": "A"}, {"name": "B"}], "edges": [["A", "B"], ["B", "judge"]]}


def study(*arms, **more):
    raw = {"name": "x", "settings": {"model": CHEAP, "max_tokens": 100}, "arms": list(arms)}
    return load(raw | {"datasets": [{"name": "arithmetic", "n": 2}]} | more)


def society(*models):
    return {"protocol": "society-of-minds", "agents": [{"model": model} for model in models]}


async def estimate(planned, tmp_path, *models):
    async with open_lab(tmp_path) as lab:
        lab.use_models(models)
        [bound] = Plan(planned).estimate_arms(lab).values()
        return bound


async def test_the_most_an_arm_costs_is_at_the_price_of_its_dearest_model(tmp_path):
    low, high = ({"input": price, "output": price} for price in (1.0, 3.0))
    one = study(society(CHEAP, CHEAP), prices={CHEAP: low})
    two = study(society(CHEAP, DEAR), prices={CHEAP: low, DEAR: high})
    cheap, mixed = await estimate(one, tmp_path), await estimate(two, tmp_path)
    assert cheap.tokens == mixed.tokens
    assert mixed.cost == pytest.approx(3 * cheap.cost)
    with pytest.raises(InputError, match="prices: unknown model"):
        await estimate(study(society(CHEAP), prices={DEAR: low}), tmp_path)


async def test_one_unknown_price_makes_the_estimate_unknown(tmp_path):
    class Unpriced(moot.Scripted):
        def cost(self, _reply):
            return None

    model = Unpriced(["4"], name="unpriced")
    assert (await estimate(study(society(CHEAP, model.name)), tmp_path, model)).cost is None
    assert (await estimate(study(society(CHEAP, DEAR)), tmp_path)).cost is not None


ELSEWHERE = [{"name": "A"}, {"name": "B", "model": "opnai/x"}]


@pytest.mark.parametrize(
    "arm", [society(CHEAP, "opnai/gpt-4o"), {"protocol": "network", **GRAPH, "nodes": ELSEWHERE}]
)
async def test_every_model_is_there_before_anything_is_called(tmp_path, arm):
    calls = []
    model = moot.Scripted(lambda call: calls.append(call) or "4", name="counted")
    planned = study({"protocol": "single", "model": model.name}, arm)
    with pytest.raises(InputError, match=rf"study: arm '{arm['protocol']}': .*openai"):
        await moot.run(planned, store=tmp_path, models=[model])
    assert not calls


def test_other_agents_or_prompts_of_a_node_are_another_run(tmp_path):
    arms = [society(CHEAP, CHEAP), society(CHEAP, DEAR), society(DEAR, CHEAP)]
    keys = {Plan(study(arm)).key for arm in arms}
    overlay = tmp_path / "mine.toml"
    for words in ("Speak up.", "Speak on."):
        overlay.write_text(f"[community.step.speak]\ntext = '{words} {{{{ question }}}}'")
        planned = study({"protocol": "network", **GRAPH}, prompts=str(overlay))
        keys.add(Plan(planned).key)
    assert len(keys) == 3 + 2


def test_more_questions_than_memory_holds_are_refused_at_once():
    began = monotonic()
    many = sums("many", "simulated/people", 50_000_000)
    with pytest.raises(InputError, match=r"n is 50,000,000: .* at most 2,000,000"):
        Plan(load(many))
    assert Plan(load(many), limit=2).size == 2
    assert monotonic() - began < 5


MODEL = "scripted?reply=4"


def test_all_arms_come_on_a_question_before_the_next_and_replicates_last():
    arms = [{"protocol": "single"}, {"protocol": "self-consistency", "samples": [2, 3]}]
    data = [{"name": "arithmetic", "n": 5}, {"name": "starters"}]
    plan = Plan(load(sums("x", MODEL, arms=arms, datasets=data, replicates=2)), limit=2)
    tasks = list(plan.tasks())
    assert len(tasks) == plan.size == 2 * 4 * 3
    assert [task.number for task in tasks] == list(range(plan.size))
    told = [(task.replicate, task.dataset, task.question.id, task.arm.name) for task in tasks]
    assert told[:4] == [
        (0, "arithmetic", "arithmetic-1-0-0", "single"),
        (0, "arithmetic", "arithmetic-1-0-0", "self-consistency samples=2"),
        (0, "arithmetic", "arithmetic-1-0-0", "self-consistency samples=3"),
        (0, "arithmetic", "arithmetic-1-0-1", "single"),
    ]
    assert [each[1:] for each in told[:12]] == [each[1:] for each in told[12:]]
    assert {each[0] for each in told[12:]} == {1}


@pytest.fixture
def planned(tmp_path):
    """A plan over questions of a file, with arms by opening."""

    def plan(questions, *openings, **more):
        lines = [json.dumps(each) for each in questions]
        (tmp_path / "own.jsonl").write_text("\n".join(lines))
        arms = [{"protocol": "single", "opening": list(openings)}] if openings else []
        data = [{"name": "file", "label": "mine", "path": str(tmp_path / "own.jsonl")}]
        return Plan(load(sums("x", MODEL, arms=arms, datasets=data) | more))

    return plan


KNOWN = {"id": "a", "kind": "number", "question": "2+2?", "answer": "4"}
UNKNOWN = {"id": "b", "kind": "number", "question": "How many?"}
TEXT = {"id": "c", "kind": "text", "question": "Which town?", "answer": "Paris"}


@pytest.mark.parametrize(
    ("question", "opening", "said"),
    [
        (UNKNOWN, "control-right", "question 'b': opening = 'control-right': its right answer"),
        (TEXT, "control-wrong", "question 'c': opening = 'control-wrong': .* free text"),
    ],
)
def test_dataset_arm_and_question_are_named(planned, question, opening, said):
    where = rf"study: arm 'single opening={opening}', dataset 'mine': {said}"
    with pytest.raises(InputError, match=where):
        planned([KNOWN, question], "open", opening)
    nodes = [{"name": "A"}, {"name": "B"}]  # a network is looked at, too
    arm = {"protocol": "hopfield", "nodes": nodes, "opening": "control-right"}
    with pytest.raises(InputError, match="arm 'hopfield', dataset 'mine': question 'b'"):
        planned([UNKNOWN], arms=[arm])
