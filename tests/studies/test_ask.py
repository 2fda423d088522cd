"""Asking one question from Python."""

import asyncio

import pytest

import moot
from moot.studies.lab import open_lab


class Borrowed:
    """A model that must not be closed by who borrows it."""

    name = endpoint = "borrowed/one"
    limits = moot.Limits(concurrency=4)
    simulated = True

    def __init__(self):
        self.closed = False

    async def reply(self, call):
        assert not self.closed
        await asyncio.sleep(0.01 * call.scene.round)
        return moot.Reply(text="Final answer: 4", prompt_tokens=1, completion_tokens=1)

    def cost(self, _reply):
        return 0.0

    async def close(self):
        self.closed = True


async def test_a_model_object_can_be_asked_by_several_at_once_and_stays_open(tmp_path):
    model = Borrowed()
    options = {"kind": "number", "model": model, "store": tmp_path}
    short = moot.ask("2 + 2?", protocol="single", **options)
    long = moot.ask("1 + 3?", rounds=4, **options)
    answers = await asyncio.gather(short, long)
    assert [answer.answer for answer in answers] == ["4", "4"]
    assert not model.closed


async def test_other_prompts_are_another_run(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("[style.cot]\ntext = 'Say: {{ question }}'")
    options = {"model": moot.Scripted(["4"]), "protocol": "single", "store": tmp_path / "store"}
    ours = await moot.ask("2 + 2?", **options)
    theirs = await moot.ask("2 + 2?", prompts=mine, **options)
    assert ours.run != theirs.run


async def test_what_did_not_end_is_not_left_as_running(tmp_path):
    with pytest.raises(moot.BudgetReached):
        await moot.ask(
            "2 + 2?",
            model=moot.Scripted(["4"] * 6),
            store=tmp_path,
            budget=moot.Budget(calls=2),
        )
    async with open_lab(tmp_path, readonly=True) as lab:
        assert [row.status for row in lab.store.runs()] == ["stopped"]


async def test_a_cap_on_cost_needs_a_price(tmp_path):
    class Unpriced(Borrowed):
        def cost(self, _reply):
            return None

    with pytest.raises(moot.InputError, match="price"):
        await moot.ask("?", model=Unpriced(), store=tmp_path, budget=moot.Budget(cost=1.0))


async def test_a_cap_on_tokens_holds_where_the_endpoint_tells_none(tmp_path):
    class Silent(Borrowed):
        async def reply(self, _call):
            return moot.Reply(text="Final answer: 4")

    with pytest.raises(moot.BudgetReached):
        await moot.ask(
            "?", model=Silent(), store=tmp_path, max_tokens=100, budget=moot.Budget(tokens=250)
        )


@pytest.mark.parametrize("cap", [{"calls": -1}, {"cost": float("nan")}, {"tokens": -5}])
def test_impossible_caps_are_refused(cap):
    with pytest.raises(moot.InputError, match="budget"):
        moot.Budget(**cap)
