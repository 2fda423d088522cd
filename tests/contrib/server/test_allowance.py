"""What a client may spend within an hour."""

import asyncio

import pytest

from moot.contrib.server.allowance import (
    HOUR,
    DebateBudgetGuard,
    HourReached,
    make_client_guard,
)
from moot.core.calls import Reply, identity
from moot.core.errors import BudgetReached
from moot.core.stored import BudgetTerms
from moot.ledger.store import Store
from moot.runtime.budget import Budget, CallAmounts
from support.call_path import a_call, exactly, taking


class Clock:
    now = 1_000_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    for module in ("store", "leases"):
        monkeypatch.setattr(f"moot.ledger.{module}.time", found)
    monkeypatch.setattr("moot.runtime.leased.monotonic", found)
    return found


def hour(store, budget, client="a"):
    caps = budget.calls, budget.tokens, budget.cost
    lease = store.open_lease(BudgetTerms(f"hour of {client}", *caps, period=HOUR))
    return make_client_guard(budget, lease, client)


async def spend(store, guard, number, tokens=10, cost=0.1):
    held = await guard.reserve(taking(tokens, cost))
    guard.settle(held, CallAmounts(tokens, cost))
    call = a_call(f"{number} {guard.lease.id}")
    reply = Reply(text="x", prompt_tokens=tokens, completion_tokens=0, cost=cost)
    request = call.request()
    key = identity(request, call.draw)
    await store.record(key, call, request, reply, payer=(None, guard.lease.id))


@pytest.mark.parametrize("budget", [Budget(calls=3), Budget(tokens=30), Budget(cost=0.3)])
async def test_it_fills_up_again_as_the_hour_goes_on(store, clock, budget):
    guard = hour(store, budget)
    guard.settle(await guard.reserve(taking(10, 0.1)), None)  # not made: it costs nothing
    for number in range(3):
        await spend(store, guard, number)
        clock.now += 600
    with pytest.raises(HourReached, match="client a") as reached:
        await spend(store, guard, 3)
    with pytest.raises(HourReached):
        await guard.check()
    clock.now += reached.value.retry_after
    await guard.check()
    await spend(store, guard, 4)
    with pytest.raises(HourReached):
        await spend(store, guard, 5)
    clock.now += 7200
    for number in range(6, 9):
        await spend(store, guard, number)
    guard.close()


@pytest.mark.parametrize("budget", [Budget(calls=12), Budget(tokens=120), Budget(cost=1.2)])
async def test_it_outlives_the_server(tmp_path, clock, budget):
    paid = 0
    for start in range(3):
        async with Store.open(tmp_path) as store:
            guard = hour(store, budget)
            for number in range(5 if start == 0 else 20):
                try:
                    await spend(store, guard, number)
                except HourReached:
                    break
                paid += 1
            guard.close()
        clock.now += 300
    assert paid == 12
    clock.now += HOUR
    async with Store.open(tmp_path) as store:
        guard = hour(store, budget)
        await guard.check()
        await spend(store, guard, 30)
        guard.close()


async def take(guard):
    guard.settle(await guard.reserve(taking(10, 0.1)), CallAmounts(10, 0.1))


async def test_a_debate_s_purse_takes_from_both(store):
    both = hour(store, Budget(calls=3))
    one, other = DebateBudgetGuard(Budget(calls=2), both), DebateBudgetGuard(Budget(calls=2), both)
    await take(one)
    await take(one)
    with pytest.raises(BudgetReached, match="2 calls"):
        await take(one)
    await take(other)
    with pytest.raises(HourReached):
        await take(other)
    assert (one.calls, other.calls, both.calls) == (2, 1, 3)
    both.close()


async def test_waiting_for_the_hour_and_giving_up_leaves_nothing_behind(store):
    both = hour(store, Budget(calls=1))
    one, other = DebateBudgetGuard(Budget(calls=5), both), DebateBudgetGuard(Budget(calls=1), both)
    await one.reserve(taking(1, 0.0))
    waiting = asyncio.create_task(other.reserve(taking(1, 0.0)))
    await asyncio.sleep(0.05)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    one.settle(exactly(1, 0.0), None)
    await other.reserve(taking(1, 0.0))
    both.close()
