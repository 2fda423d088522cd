"""What a client may spend within an hour."""

import asyncio

import pytest

from callers import exactly, taking
from moot.core.errors import BudgetReached
from moot.runtime.budget import Budget, Used
from moot.server.allowance import Allowance, HourReached, Purses, lesser, shared


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


async def spend(purse, tokens=10, cost=0.1):
    await purse.hold(taking(tokens, cost))
    purse.settle(exactly(tokens, cost), Used(tokens, cost))


@pytest.mark.parametrize("budget", [Budget(calls=3), Budget(tokens=30), Budget(cost=0.3)])
async def test_it_fills_up_again_as_the_hour_goes_on(budget):
    clock = Clock()
    purse = Allowance(budget, "a", clock)
    for _ in range(3):
        await spend(purse)
        clock.now += 600
    with pytest.raises(HourReached, match="client a") as reached:
        await spend(purse)
    with pytest.raises(HourReached):
        purse.check()
    clock.now += reached.value.retry_after
    purse.check()
    await spend(purse)
    with pytest.raises(HourReached):
        await spend(purse)
    clock.now += 7200
    for _ in range(3):
        await spend(purse)


async def test_what_is_remembered_does_not_grow():
    clock = Clock()
    purse = Allowance(Budget(), "a", clock)
    for _ in range(5000):
        await spend(purse)
        clock.now += 5
    assert len(purse._spent) <= 62
    assert 715 <= purse.calls <= 745


async def test_a_call_that_was_not_made_costs_nothing():
    purse = Allowance(Budget(calls=1), "a")
    await purse.hold(taking(10, 0.1))
    purse.settle(exactly(10, 0.1), None)
    await spend(purse)


async def test_a_debate_s_purse_takes_from_both():
    hour = Allowance(Budget(calls=3), "a")
    one, other = Purses(Budget(calls=2), hour), Purses(Budget(calls=2), hour)
    await spend(one)
    await spend(one)
    with pytest.raises(BudgetReached, match="2 calls"):
        await spend(one)
    await spend(other)
    with pytest.raises(HourReached):
        await spend(other)
    assert (one.calls, other.calls, hour.calls) == (2, 1, 3)


async def test_waiting_for_the_hour_and_giving_up_leaves_nothing_behind():
    hour = Allowance(Budget(calls=1), "a")
    one, other = Purses(Budget(calls=5), hour), Purses(Budget(calls=1), hour)
    await one.hold(taking(1, 0.0))
    waiting = asyncio.create_task(other.hold(taking(1, 0.0)))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    one.settle(exactly(1, 0.0), None)
    await other.hold(taking(1, 0.0))


def test_the_lesser_of_two_and_shares():
    one, other = Budget(cost=1, calls=5), Budget(cost=2, tokens=7)
    assert lesser(one, other) == lesser(other, one) == Budget(cost=1, calls=5, tokens=7)
    assert shared(Budget(cost=1, calls=5), 2) == Budget(cost=0.5, calls=2)
