"""The embeddings of a run's essays: paid for once, by a run of their own, within one budget."""

import pytest

from moot.analyses.recorded_runs import RecordedRuns
from moot.contrib.essays.assess.assessment import assess
from moot.contrib.essays.assess.diversity import self_embedding
from moot.contrib.essays.assess.model_judge import Judging
from moot.contrib.essays.run_essays import read_essays
from moot.core.errors import RefusedError
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget
from moot.runtime.embedder import Embedder
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
            runs = RecordedRuns(lab, [key])
            essays = read_essays(runs).essays
            judging = None
            if judged:
                judging = Judging(runs.rows[0], essays, "scripted/judge")
            found = await assess(
                runs,
                embed=Embedder.find(f"{endpoint.address}/v1/small"),
                judging=judging,
                budget=budget,
                prices=prices or {},
            )
            status = {each.name: each.status for each in lab.store.runs()}
            spent = {each.name: lab.store.sum_spent(each.id) for each in lab.store.runs()}
        return found, status, spent, [each.text for each in essays if each.arm == "rich"]

    return assessed


def alike(found):
    """The last row of table 1, by its headings."""
    table = found.report.tables[0]
    names = (column.name for column in table.columns)
    return dict(zip(names, table.rows[-1].cells, strict=True))


async def test_they_are_paid_for_once(endpoint, assessed):
    found, status, spent, essays = await assessed()
    assert (spent["tried-embedded"].calls, spent["tried-embedded"].tokens) == (4, 28)
    assert "small, 4 calls paid for, cost unknown." in found.report.notes[0]
    assert len(endpoint.seen) == 4  # the plain arm says the same each time, the rich one thrice
    assert status == {"tried": "done", "tried-embedded": "done"}
    assert alike(found)["S-Emb"].mean == pytest.approx(
        100 * self_embedding([vector(text) for text in essays[:3]])
    )
    again, *_ = await assessed()
    assert again == found
    assert not endpoint.seen


async def test_a_judge_and_they_are_told_apart_and_live_on_one_budget(endpoint, assessed):
    _, status, spent, _ = await assessed(judged=True, budget=Budget(calls=9))
    calls = {name: each.calls for name, each in spent.items()}
    assert calls["tried-judged"] + calls["tried-embedded"] == 9
    assert len(endpoint.seen) == calls["tried-embedded"]
    assert status["tried-judged"] == "stopped"
    whole, status, *_ = await assessed(judged=True)
    assert status == dict.fromkeys(("tried", "tried-judged", "tried-embedded"), "done")
    points = {each for _, _, body in endpoint.seen for each in body["input"]}
    assert "It stands for something." in points
    assert alike(whole)["Pers."].mean is not None
    again, *_ = await assessed(judged=True, budget=Budget(calls=0))
    assert again == whole
    assert not endpoint.seen


async def test_a_failure_ends_it_and_is_told(endpoint, assessed):
    endpoint.shape = lambda _: {"data": [{"embedding": [1.0]}]}
    await assessed()
    endpoint.shape = lambda _: {"data": [{"embedding": [1.0, 2.0]}]}
    with pytest.raises(RefusedError, match=r"several lengths: \[1, 2\]"):
        await assessed(judged=True)
