"""A question made ready: mistakes are found before anything is kept, and many are held at once."""

import asyncio

import pytest

from moot.core.errors import BudgetReached, InputError
from moot.ledger.account import RunLedger
from moot.runtime.budget import Budget, BudgetGuard
from moot.studies.lab import open_lab
from moot.studies.question_plan import plan_question
from moot.studies.study_run import run_and_save

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
        ends = await asyncio.gather(
            *(
                run_and_save(
                    lab, row, each.task(0, number), path(lab, row, calls=6 if number % 2 else 4)
                )
                for number, (each, row) in enumerate(zip(ready, rows, strict=True))
            ),
            return_exceptions=True,
        )
        assert all(isinstance(end, BudgetReached) for end in ends[::2])
        assert {len(end.turns) for end in ends[1::2]} == {6}
        await lab.store.flush()
        assert [lab.store.sum_spent(row.id).calls for row in rows] == [4, 6] * 10
        states = [lab.store.find_run(row.key).status for row in rows]
        assert states == ["stopped", "done"] * 10
        assert lab.path.traffic.calls == 100


async def test_replicates_of_one_question_are_debates_of_their_own(tmp_path):
    async with open_lab(tmp_path) as lab:
        ready = of("1 + 1?")
        row, _ = await ready.begin(lab)
        held = [await run_and_save(lab, row, ready.task(each), path(lab, row)) for each in range(3)]
        assert [each.opened.replicate for each in held] == [0, 1, 2]
        assert len({tuple(turn.text for turn in each.turns) for each in held}) == 3
        await lab.store.flush()
        assert len(list(lab.store.debates(row.id))) == 3
        assert (await ready.begin(lab))[0].id == row.id


@pytest.mark.parametrize(
    ("given", "named"),
    [({"agents": 0}, "agents"), ({"agent": 3}, "agent"), ({"model": "openal/x"}, "openal")],
)
async def test_what_is_wrong_leaves_nothing_behind(tmp_path, given, named):
    async with open_lab(tmp_path) as lab:
        with pytest.raises(InputError, match=named):
            await of("1 + 1?", **given).begin(lab)
        assert not list(lab.store.runs())
