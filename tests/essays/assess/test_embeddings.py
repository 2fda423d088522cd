"""The embeddings of a run's essays: paid for once, by a run of their own, within one budget."""

import pytest

from moot.core.errors import InputError, RefusedError, UnknownName
from moot.essays.assess.assessment import assess
from moot.essays.assess.diversity import self_embedding
from moot.essays.assess.embeddings import find_embedder
from moot.essays.assess.model_judge import EssayJudge, Judging
from moot.essays.run_essays import read_essays
from moot.models.prices import Price
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget
from moot.studies.lab import open_lab
from support.essays import endpoint_of, hold_study, judge_reply, vector


@pytest.fixture
async def endpoint():
    async with endpoint_of() as here:
        yield here


@pytest.fixture
def assessed(endpoint, tmp_path):
    """Assesses a run with the endpoint's embeddings; how the runs of the store stand then."""

    async def assessed(*, judged=False, budget=None, prices=None):
        key = await hold_study(tmp_path)
        endpoint.seen.clear()
        async with open_lab(tmp_path / "store") as lab:
            lab.use_models([Scripted(judge_reply, name="judge")])
            row = lab.store.find_run(key)
            judging = None
            if judged:
                judging = Judging(
                    row, read_essays(lab.store, row).essays, EssayJudge("scripted/judge")
                )
            found = await assess(
                lab,
                row,
                embed=find_embedder(f"{endpoint.address}/v1/small"),
                judging=judging,
                budget=budget,
                prices=prices or {},
            )
            status = {each.name: each.status for each in lab.store.runs()}
            essays = [
                each.text for each in read_essays(lab.store, row).essays if each.arm == "rich"
            ]
        return found, status, essays

    return assessed


async def test_they_are_paid_for_once(endpoint, assessed):
    found, status, essays = await assessed()
    used = found.embedding
    assert (used.spent.calls, used.spent.tokens, used.stopped) == (4, 28, None)
    assert len(endpoint.seen) == 4  # the plain arm says the same each time, the rich one thrice
    assert status == {"tried": "done", "tried-embedded": "done"}
    assert found.arms[1].measures["self-embedding"].mean.mean == pytest.approx(
        self_embedding([vector(text) for text in essays[:3]])
    )
    again, _, _ = await assessed()
    assert again == found
    assert not endpoint.seen


async def test_a_judge_and_they_are_told_apart_and_live_on_one_budget(endpoint, assessed):
    found, status, _ = await assessed(judged=True, budget=Budget(calls=9))
    spent = found.judged.spent.calls + found.embedding.spent.calls
    assert (spent, len(endpoint.seen)) == (9, found.embedding.spent.calls)
    assert status["tried-judged"] == "stopped"
    whole, status, _ = await assessed(judged=True)
    assert status == dict.fromkeys(("tried", "tried-judged", "tried-embedded"), "done")
    points = {each for _, _, body in endpoint.seen for each in body["input"]}
    assert "It stands for something." in points
    assert whole.arms[1].measures["perspective"].mean.mean is not None
    again, _, _ = await assessed(judged=True, budget=Budget(calls=0))
    assert again == whole
    assert not endpoint.seen


async def test_a_budget_leaves_out_what_needs_them_and_they_go_on(endpoint, assessed):
    found, status, _ = await assessed(budget=Budget(calls=3))
    assert "3 calls" in found.embedding.stopped
    assert status["tried-embedded"] == "stopped"
    assert found.arms[0].measures.keys() == {"self-bleu", "words", "repetition"}
    found, status, _ = await assessed(budget=Budget(calls=4))
    assert (len(endpoint.seen), found.embedding.spent.calls) == (1, 4)
    assert "self-embedding" in found.arms[0].measures
    assert status["tried-embedded"] == "done"


async def test_a_price_is_stated_and_without_one_there_is_no_cap_on_cost(endpoint, assessed):
    name = f"{endpoint.address}/v1/small"
    with pytest.raises(InputError, match=rf"state it, .* --price {name}=INPUT,OUTPUT"):
        await assessed(budget=Budget(cost=1.0))
    with pytest.raises(UnknownName, match="price: unknown model 'openai/small'"):
        await assessed(prices={"openai/small": Price(1, 1)})
    assert not endpoint.seen
    found, _, _ = await assessed(budget=Budget(cost=1.0), prices={name: Price(1000.0, 0.0)})
    assert found.embedding.spent.cost == pytest.approx(4 * 0.007)


async def test_a_failure_ends_it_and_is_told(endpoint, assessed):
    endpoint.shape = lambda _: {"data": [{"embedding": [1.0]}]}
    await assessed()
    endpoint.shape = lambda _: {"data": [{"embedding": [1.0, 2.0]}]}
    with pytest.raises(RefusedError, match=r"several lengths: \[1, 2\]"):
        await assessed(judged=True)
