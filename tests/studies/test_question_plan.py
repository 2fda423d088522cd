"""A question made ready: mistakes are found before anything is kept, and many are held at once."""

import asyncio

import pytest

from moot.core.errors import BudgetReached, InputError
from moot.ledger.store import RunLedger
from moot.runtime.budget import Budget, BudgetGuard
from moot.studies.lab import encode_study, open_lab
from moot.studies.question_plan import plan_question, restore_plan

MODEL = "simulated/people?accuracy=0.8"


def of(question, **settings):
    settings = {"model": MODEL, **settings}
    return plan_question(question, protocol="society-of-minds", kind="number", settings=settings)


def path(lab, row, **budget):
    return lab.path.branch(RunLedger(lab.store, row.id), BudgetGuard(Budget(**budget)))


async def test_debates_of_several_runs_go_on_at_once_each_within_its_budget(tmp_path):
    async with open_lab(tmp_path) as lab:
        ready = [of(f"{number} + 1?") for number in range(20)]
        rows = [(await each.begin(lab))[0] for each in ready]
        begun = [
            each.debate(lab, row, 0, number, path=path(lab, row, calls=(4, 6)[number % 2]))
            for number, (each, row) in enumerate(zip(ready, rows, strict=True))
        ]
        ends = await asyncio.gather(*begun, return_exceptions=True)
        assert all(isinstance(end, BudgetReached) for end in ends[::2])
        assert {len(end.turns) for end in ends[1::2]} == {6}
        await lab.store.flush()
        assert [lab.store.sum_spent(row.id).calls for row in rows] == [4, 6] * 10
        states = [lab.store.find_run(row.key).status for row in rows]
        assert states == ["stopped", "done"] * 10
        assert lab.path.traffic.calls == 100


@pytest.mark.parametrize(
    ("given", "named"),
    [({"agents": 0}, "agents"), ({"agent": 3}, "agent"), ({"model": "openal/x"}, "openal")],
)
async def test_what_is_wrong_leaves_nothing_behind(tmp_path, given, named):
    async with open_lab(tmp_path) as lab:
        with pytest.raises(InputError, match=named):
            await of("1 + 1?", **given).begin(lab)
        assert not list(lab.store.runs())


async def test_an_interrupted_debate_can_be_planned_again_from_its_run(tmp_path):
    prompts = tmp_path / "prompts.toml"
    prompts.write_text('[society-of-minds.form.number]\ntext = "Write a number."\n')
    given = {"settings": {"model": MODEL}, "kind": "number", "context": "Sums.", "answer": "2"}
    asked = plan_question("1 + 1?", protocol="society-of-minds", prompts=prompts, **given)
    async with open_lab(tmp_path / "store") as lab:
        row, replicate = await asked.begin(lab, None)
        restored = restore_plan(row)
        assert restored is not None
        assert (restored.key, restored.question) == (row.key, asked.question)
        assert restored.settings == asked.settings
        assert lab.store.count_begun(row.id) == replicate + 1
        prompts.write_text('[society-of-minds.form.number]\ntext = "Write a whole number."\n')
        with pytest.raises(InputError, match="prompts or examples have changed"):
            restore_plan(row)


async def test_a_run_of_a_study_is_no_question_to_go_on_with(tmp_path):
    async with open_lab(tmp_path) as lab:
        study = encode_study(lab, "study", of("1 + 1?").study.arms)
        assert b"question" not in study  # stored runs of studies are as they were
        assert restore_plan(lab.store.begin_run("study-1", "study", study)) is None
