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


@pytest.mark.parametrize("cents", range(1, 60, 7))
async def test_rounding_costs_no_call(cents):
    guard = BudgetGuard(Budget(cost=cents / 100))
    assert await spend(guard, cents + 5, 0, 0.01, 0, 0.01) == cents
    assert guard.cost == pytest.approx(cents / 100)


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


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(calls=0), "stopped at the cap of 0 calls"),
        (Budget(calls=1), "stopped at the cap of 1 call"),
        (Budget(tokens=9), "stopped at the cap of 9 tokens"),
        (Budget(tokens=1), "stopped at the cap of 1 token"),
        (Budget(cost=0.05), r"stopped at the cap of \$0\.05"),
    ],
)
async def test_the_error_names_the_cap_and_what_to_do(budget, said):
    guard = BudgetGuard(budget, calls=1)
    with pytest.raises(BudgetReached, match=said + ".*in the store.*raise the cap"):
        await guard.reserve(taking(10, 0.1))


async def asking(guard: BudgetGuard, *needs):
    """Tasks that wait for the guard, each with its tokens and its urgency."""
    tasks = []
    for tokens, urgency in needs:
        tasks.append(asyncio.create_task(guard.reserve(taking(tokens, 0), urgency)))
        await asyncio.sleep(0)
    return tasks


async def test_one_that_waits_gets_through_when_others_took_less_or_failed():
    guard = BudgetGuard(Budget(calls=2, tokens=100, cost=0.1))
    for _ in range(3):  # a failed call gives everything back
        await guard.reserve(taking(90, 0.1))
        guard.settle(exactly(90, 0.1), None)
    assert (guard.calls, guard.tokens, guard.cost) == (0, 0, 0.0)
    await guard.reserve(taking(90, 0))
    [waiting] = await asking(guard, (90, (0, 0)))
    assert not waiting.done()
    guard.settle(exactly(90, 0), CallAmounts(10, 0.0))
    await waiting
    guard.settle(exactly(90, 0), CallAmounts(90, 0.0))
    with pytest.raises(BudgetReached):
        await guard.reserve(taking(1, 0))


@pytest.mark.parametrize("seen", [False, True])
async def test_who_gives_up_holds_nothing_and_nobody_waits_behind_it(seen):
    """It gives up while it waits, or once it was let through and has not seen that yet."""
    guard = BudgetGuard(Budget(calls=1))
    await guard.reserve(taking(0, 0))
    gone, next_one = await asking(guard, (0, (0, 1)), (0, (0, 2)))
    if not seen:
        gone.cancel()
    guard.settle(exactly(0, 0), None)
    gone.cancel()
    async with asyncio.timeout(1):
        await next_one
    assert gone.cancelled()
    assert guard.calls == 0


@pytest.mark.parametrize(
    ("large", "ends"), [(90, "gets through"), (90, "gives up"), (200, "is turned away")]
)
async def test_a_small_call_does_not_overtake_a_more_urgent_one(large, ends):
    guard = BudgetGuard(Budget(tokens=100))
    await guard.reserve(taking(50, 0))
    first, small = await asking(guard, (large, (-2, 0)), (10, (-1, 0)))
    assert not small.done()
    if ends == "gives up":
        first.cancel()
    else:
        guard.settle(exactly(50, 0), None)
    async with asyncio.timeout(1):
        await small
    if ends == "is turned away":
        with pytest.raises(BudgetReached):
            await first
