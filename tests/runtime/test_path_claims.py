"""The call path of several processes on one store: each call is paid for once."""

import asyncio

import pytest

from moot.core.errors import BudgetReached
from moot.core.ports import Limits
from moot.ledger.store import Store
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath
from support.call_path import Speaker, a_call, ask


class Slow:
    """Two processes' paths on one store, and a model that answers when it is let."""

    def __init__(self, folder) -> None:
        self.stores = [Store.open(folder), Store.open(folder)]
        self.paths = [CallPath(store) for store in self.stores]
        self.says = Speaker()
        self.says.open.clear()
        self.models = [Scripted(self.says) for _ in self.stores]

    def reply(self, number: int, which: int = 0):
        asking = ask(self.paths[number], self.models[number], a_call(seat=which))
        return asyncio.create_task(asking)


@pytest.fixture
async def slow(tmp_path):
    made = Slow(tmp_path)
    yield made
    for store in made.stores:
        await store.close()


async def settled() -> None:
    await asyncio.sleep(0.05)


async def test_two_processes_that_want_a_call_pay_for_it_once(slow):
    replies = [slow.reply(0), slow.reply(1)]
    await settled()
    assert len(slow.says.asked) == 1
    slow.says.open.set()
    first, second = await asyncio.gather(*replies)
    assert (first.text, second.text) == ("to hello", "to hello")
    assert {first.replayed, second.replayed} == {True, False}
    assert sum(path.traffic.calls for path in slow.paths) == 1
    assert sum(path.traffic.replayed for path in slow.paths) == 1


async def test_a_call_that_waits_for_another_process_holds_no_place_and_no_budget(slow):
    slow.paths[1] = CallPath(slow.stores[1], guard=BudgetGuard(Budget(calls=1)))
    slow.models[1] = Scripted(slow.says, limits=Limits(concurrency=1))
    first = slow.reply(0, 0)
    await settled()
    waiting = slow.reply(1, 0)
    await settled()
    assert slow.paths[1].traffic.in_flight == 0
    other = slow.reply(1, 1)
    await settled()
    assert slow.paths[1].traffic.in_flight == 1
    slow.says.open.set()
    assert [(await each).text for each in (first, waiting, other)] == ["to hello"] * 3
    with pytest.raises(BudgetReached):
        await slow.reply(1, 2)


async def test_two_processes_that_each_wait_for_the_other_both_end(slow):
    one = Limits(concurrency=1)
    slow.models = [Scripted(slow.says, limits=one) for _ in slow.stores]
    many = range(10)
    one = [slow.reply(0, number) for number in many]
    two = [slow.reply(1, number) for number in reversed(many)]
    slow.says.open.set()
    replies = await asyncio.wait_for(asyncio.gather(*one, *two), 20)
    assert len(replies) == 20
    assert len(slow.says.asked) == 10
