"""Plans: what a run will take, its id, and that every model is there before anything is called."""

from time import monotonic

import pytest

import moot
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from moot.studies.plan import Plan
from moot.studies.study import load

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
    "arm",
    [society(CHEAP, "opnai/gpt-4o"), {"protocol": "network", **GRAPH, "nodes": ELSEWHERE}],
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


SMALL = {
    "name": "small",
    "datasets": [{"name": "arithmetic", "n": 4}],
    "arms": [{"protocol": "single", "model": "simulated/people"}],
}


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(InputError, match=f"limit = {limit}: must be at least 1"):
        Plan(load(SMALL), limit=limit)


def test_more_questions_than_memory_holds_are_refused_at_once():
    began = monotonic()
    many = {**SMALL, "datasets": [{"name": "arithmetic", "n": 50_000_000}]}
    with pytest.raises(InputError, match=r"n is 50,000,000: .* at most 2,000,000"):
        Plan(load(many))
    assert Plan(load(many), limit=2).size == 2
    assert monotonic() - began < 5
