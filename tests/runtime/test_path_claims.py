"""The call path of several processes on one store: each call is paid for once."""

import asyncio
from pathlib import Path

import pytest

from moot.core.calls import Call, Message
from moot.core.errors import BudgetReached
from moot.core.ports import Limits
from moot.ledger.sqlite_store import Store
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath


def call(number: int = 0) -> Call:
    return Call(model="scripted/a", messages=(Message("user", f"{number}?"),))


class Slow:
    """Two processes' paths on one store, and a model that answers when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.stores = [Store.open(folder), Store.open(folder)]
        self.paths = [CallPath(store) for store in self.stores]
        self.go, self.asked = asyncio.Event(), 0
        self.models = [Scripted(self.answer, name="a") for _ in self.stores]

    async def answer(self, _: Call) -> str:
        self.asked += 1
        await self.go.wait()
        return "yes"

    def reply(self, number: int, which: Call):
        path, model = self.paths[number], self.models[number]
        return asyncio.create_task(path.reply(model, which, which.request()))


@pytest.fixture
async def slow(tmp_path: Path):
    made = Slow(tmp_path)
    yield made
    for store in made.stores:
        await store.close()


async def settled() -> None:
    await asyncio.sleep(0.05)


async def test_two_processes_that_want_a_call_pay_for_it_once(slow):
    replies = [slow.reply(0, call()), slow.reply(1, call())]
    await settled()
    assert slow.asked == 1
    slow.go.set()
    first, second = await asyncio.gather(*replies)
    assert (first.text, second.text) == ("yes", "yes")
    assert {first.replayed, second.replayed} == {True, False}
    assert sum(path.traffic.calls for path in slow.paths) == 1
    assert sum(path.traffic.replayed for path in slow.paths) == 1


async def test_a_call_that_waits_for_another_process_holds_no_place_and_no_budget(slow):
    slow.paths[1] = CallPath(slow.stores[1], guard=BudgetGuard(Budget(calls=1)))
    slow.models[1] = Scripted(slow.answer, name="a", limits=Limits(concurrency=1))
    first = slow.reply(0, call(0))
    await settled()
    waiting = slow.reply(1, call(0))
    await settled()
    assert slow.paths[1].traffic.in_flight == 0
    other = slow.reply(1, call(1))
    await settled()
    assert slow.paths[1].traffic.in_flight == 1
    slow.go.set()
    assert [(await each).text for each in (first, waiting, other)] == ["yes"] * 3
    with pytest.raises(BudgetReached):
        await slow.reply(1, call(2))


async def test_two_processes_that_each_wait_for_the_other_both_end(slow):
    one = Limits(concurrency=1)
    slow.models = [Scripted(slow.answer, name="a", limits=one) for _ in slow.stores]
    many = range(10)
    one = [slow.reply(0, call(number)) for number in many]
    two = [slow.reply(1, call(number)) for number in reversed(many)]
    slow.go.set()
    replies = await asyncio.wait_for(asyncio.gather(*one, *two), 20)
    assert len(replies) == 20
    assert slow.asked == 10
