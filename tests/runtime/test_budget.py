"""A cap holds while many calls are under way, and no call that fits is refused."""

import asyncio
import random

import pytest

from moot.core.errors import BudgetReached
from moot.runtime.budget import Budget, BudgetGuard, CallAmounts
from support.call_path import exactly, taking


async def spend(guard: BudgetGuard, callers: int, tokens: int, cost: float, real: int, paid: float):
    """Let callers hold, call and settle at once; returns how many were let through."""
    order = random.Random(callers)

    async def call():
        await guard.reserve(taking(tokens, cost))
        await asyncio.sleep(order.random() / 500)
        guard.settle(exactly(tokens, cost), CallAmounts(real, paid))

    ended = await asyncio.gather(*(call() for _ in range(callers)), return_exceptions=True)
    failures = [end for end in ended if end is not None]
    assert all(isinstance(failure, BudgetReached) for failure in failures)
    return callers - len(failures)


@pytest.mark.parametrize("cap", [0, 1, 17, 255, 256, 1000])
async def test_the_cap_on_calls_holds_exactly(cap):
    guard = BudgetGuard(Budget(calls=cap))
    assert await spend(guard, 256, 10, 0.0, 10, 0.0) == min(cap, 256)
    assert guard.calls == min(cap, 256)


async def test_the_cap_on_tokens_is_filled_by_what_is_really_taken():
    guard = BudgetGuard(Budget(tokens=1000))
    through = await spend(guard, 256, 50, 0.0, 7, 0.0)
    # Estimates of 50 were given back as 7 each: calls stop when another 50 would not fit.
    assert (guard.tokens, through) == (7 * through, (1000 - 50) // 7 + 1)
    assert guard.tokens <= 1000


async def test_the_cap_on_money_is_filled_to_the_cent():
    guard = BudgetGuard(Budget(cost=0.3))
    assert await spend(guard, 256, 0, 0.1, 0, 0.1) == 3
    assert guard.cost == pytest.approx(0.3)


@pytest.mark.parametrize("cents", range(1, 60, 7))
async def test_rounding_costs_no_call(cents):
    guard = BudgetGuard(Budget(cost=cents / 100))
    assert await spend(guard, cents + 5, 0, 0.01, 0, 0.01) == cents


async def test_a_replayed_life_counts():
    guard = BudgetGuard(Budget(calls=5, tokens=100, cost=1.0), calls=5, tokens=50, cost=0.5)
    with pytest.raises(BudgetReached, match="5 calls"):
        await guard.reserve(taking(1, 0.0))


async def test_one_that_waits_gets_through_when_others_took_less():
    guard = BudgetGuard(Budget(tokens=100))
    await guard.reserve(taking(90, 0))
    waiting = asyncio.create_task(guard.reserve(taking(90, 0)))
    await asyncio.sleep(0)
    assert not waiting.done()
    guard.settle(exactly(90, 0), CallAmounts(10, 0.0))
    await waiting
    guard.settle(exactly(90, 0), CallAmounts(90, 0.0))
    with pytest.raises(BudgetReached):
        await guard.reserve(taking(1, 0))


async def test_a_failed_call_gives_everything_back():
    guard = BudgetGuard(Budget(calls=1, tokens=10, cost=0.1))
    for _ in range(3):
        await guard.reserve(taking(10, 0.1))
        guard.settle(exactly(10, 0.1), None)
    assert (guard.calls, guard.tokens, guard.cost) == (0, 0, 0.0)


async def test_who_gives_up_waiting_holds_nothing():
    guard = BudgetGuard(Budget(calls=1))
    await guard.reserve(taking(0, 0))
    gone = asyncio.create_task(guard.reserve(taking(0, 0)))
    await asyncio.sleep(0)
    gone.cancel()
    guard.settle(exactly(0, 0), None)
    async with asyncio.timeout(1):
        await guard.reserve(taking(0, 0))
    assert guard.calls == 0


async def test_the_most_urgent_gets_what_is_left_and_equals_go_in_order_of_arrival():
    guard, order = BudgetGuard(Budget(calls=1)), []
    await guard.reserve(taking(0, 0))

    async def call(name, urgency):
        await guard.reserve(taking(0, 0), urgency)
        order.append(name)
        guard.settle(exactly(0, 0), None)

    urgencies = {"new": (-1, 9), "same": (-1, 9), "old": (-1, 2), "third": (-3, 9)}
    waiting = [asyncio.create_task(call(*item)) for item in urgencies.items()]
    await asyncio.sleep(0)
    guard.settle(exactly(0, 0), None)
    await asyncio.gather(*waiting)
    assert order == ["third", "old", "new", "same"]


async def test_a_small_call_does_not_overtake_a_more_urgent_one():
    guard = BudgetGuard(Budget(tokens=100))
    await guard.reserve(taking(50, 0))
    large = asyncio.create_task(guard.reserve(taking(90, 0), (-2, 0)))
    await asyncio.sleep(0)
    small = asyncio.create_task(guard.reserve(taking(10, 0), (-1, 0)))
    await asyncio.sleep(0)
    assert not small.done()
    guard.settle(exactly(50, 0), None)
    await asyncio.gather(large, small)


async def test_nobody_waits_behind_one_that_has_gone():
    guard = BudgetGuard(Budget(tokens=100))
    await guard.reserve(taking(50, 0))
    large = asyncio.create_task(guard.reserve(taking(90, 0)))
    await asyncio.sleep(0)
    small = asyncio.create_task(guard.reserve(taking(10, 0)))
    await asyncio.sleep(0)
    large.cancel()
    async with asyncio.timeout(1):
        await small


async def test_what_came_too_late_goes_to_the_next():
    guard = BudgetGuard(Budget(calls=1))
    await guard.reserve(taking(0, 0))
    gone, next_one = (asyncio.create_task(guard.reserve(taking(0, 0), (0, n))) for n in (1, 2))
    await asyncio.sleep(0)
    guard.settle(exactly(0, 0), None)  # lets the first of them through …
    gone.cancel()  # … which has gone before it could call
    async with asyncio.timeout(1):
        await next_one
    assert gone.cancelled()


async def test_who_fits_goes_on_when_a_larger_one_is_turned_away():
    guard = BudgetGuard(Budget(tokens=100))
    await guard.reserve(taking(50, 0))
    large = asyncio.create_task(guard.reserve(taking(200, 0), (-2, 0)))
    small = asyncio.create_task(guard.reserve(taking(100, 0), (-1, 0)))
    await asyncio.sleep(0)
    guard.settle(exactly(50, 0), None)
    await small
    with pytest.raises(BudgetReached):
        await large


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(calls=0), "budget of 0 calls is reached"),
        (Budget(calls=1), "budget of 1 call is reached"),
        (Budget(tokens=9), "budget of 9 tokens is reached"),
        (Budget(tokens=1), "budget of 1 token is reached"),
        (Budget(cost=0.05), r"budget of \$0\.05 is reached"),
    ],
)
async def test_the_error_names_the_cap_and_what_to_do(budget, said):
    guard = BudgetGuard(budget, calls=1)
    with pytest.raises(BudgetReached, match=said + ".*in the store.*raise the budget"):
        await guard.reserve(taking(10, 0.1))


async def test_without_a_cap_nobody_waits():
    guard = BudgetGuard(Budget())
    assert await spend(guard, 256, 10**9, 1e9, 1, 1e9) == 256
    assert guard.calls == 256
