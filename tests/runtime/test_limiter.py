"""An endpoint gets what it can take and no more, the most urgent first."""

import asyncio
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.ports import Limits
from moot.runtime.limiter import MINUTE, Limiter, Window

MOST = 10
AMOUNTS = st.integers(1, MOST)
EIGHTHS = st.integers(0, 400).map(lambda n: n / 8)  # of a second: sums of them are exact


@given(st.lists(st.tuples(EIGHTHS, AMOUNTS, AMOUNTS), max_size=30))
def test_no_minute_holds_more_than_it_may_and_nobody_waits_longer_than_needed(asked):
    window, now, taken = Window(), 0.0, []

    def in_minute(then):
        return sum(amount for at, amount in taken if then - MINUTE < at <= then)

    for pause, estimate, real in asked:
        now += pause
        wait = window.wait(now, estimate, MOST)
        if wait > 0:
            assert in_minute(now + wait - 0.001) + estimate > MOST
        now += wait
        assert window.wait(now, estimate, MOST) == 0
        assert in_minute(now) + estimate <= MOST
        entry = window.add(now, estimate)
        taken.append((now, min(real, estimate)))
        window.correct(entry, min(real, estimate))
        assert window.total == in_minute(now)


def test_an_estimate_is_corrected_at_its_own_time():
    window = Window()
    first = window.add(0, 1000)
    window.correct(first, 100)
    window.add(5, 900)
    assert window.wait(6, 100, 1000) == 54  # the 100 of time 0 must leave first
    assert window.wait(60, 1000, 1000) == 5  # and the estimate of 1000 leaves no credit behind
    window.correct(first, 500)  # too late to matter
    assert window.total == 900


def test_what_fits_in_no_minute_goes_alone_rather_than_never():
    window = Window()
    assert window.wait(0, 99, MOST) == 0
    window.add(0, 1)
    assert window.wait(1, 99, MOST) == MINUTE - 1


async def peak(limiter: Limiter, callers: int) -> int:
    """The most callers that were inside at once."""
    inside = most = 0

    async def call(number):
        nonlocal inside, most
        place = await limiter.enter((-(number % 3), number), 10)
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        limiter.leave(place, 5)

    await asyncio.gather(*map(call, range(callers)))
    assert limiter.in_flight == 0
    return most


@pytest.mark.parametrize("concurrency", [1, 7, 64])
async def test_concurrency_is_reached_and_never_exceeded(concurrency):
    assert await peak(Limiter(lambda: Limits(concurrency=concurrency)), 256) == concurrency


async def test_the_most_urgent_goes_first_and_equals_go_in_order_of_arrival():
    limiter, order = Limiter(lambda: Limits(concurrency=1)), []

    async def call(name, urgency):
        place = await limiter.enter(urgency, 1)
        order.append(name)
        await asyncio.sleep(0)
        limiter.leave(place, 1)

    urgencies = {"now": (-1, 0), "new": (-1, 9), "same": (-1, 9), "old": (-1, 2), "third": (-3, 9)}
    await asyncio.gather(*(call(*item) for item in urgencies.items()))
    assert order == ["now", "third", "old", "new", "same"]


async def test_limits_are_read_again_before_every_call():
    limits = Limits(concurrency=1)
    limiter = Limiter(lambda: limits)
    first = await limiter.enter((0, 0), 1)
    waiting = [asyncio.create_task(limiter.enter((0, n), 1)) for n in range(3)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    limits = Limits(concurrency=3)  # as learnt from the first reply
    limiter.leave(first, 1)
    await asyncio.sleep(0.001)
    assert sum(task.done() for task in waiting) == 3


@pytest.mark.parametrize(
    "limits",
    [Limits(requests_per_minute=4), Limits(tokens_per_minute=40)],
    ids=["requests", "tokens"],
)
async def test_rates_hold_and_waiting_ends_when_they_allow_it(limits):
    minute = 0.2
    limiter, entered = Limiter(lambda: limits, minute=minute), []

    async def call(number):
        place = await limiter.enter((0, number), 10)
        entered.append(perf_counter())
        limiter.leave(place, 10)

    await asyncio.gather(*map(call, range(10)))
    for early, late in zip(entered, entered[4:], strict=False):  # 4 of 10 tokens fill a minute
        assert late - early >= minute - 0.02
    assert entered[-1] - entered[0] >= 2 * minute - 0.02


async def test_tokens_that_were_not_taken_let_the_next_in():
    limiter = Limiter(lambda: Limits(tokens_per_minute=100), minute=30)
    place = await limiter.enter((0, 0), 90)
    waiting = asyncio.create_task(limiter.enter((0, 1), 90))
    await asyncio.sleep(0)
    assert not waiting.done()
    limiter.leave(place, 10)
    async with asyncio.timeout(1):
        await waiting


async def test_a_pause_holds_everybody_and_ends_by_itself():
    limiter = Limiter(lambda: Limits(concurrency=9))
    began = perf_counter()
    limiter.pause(0.1)
    limiter.pause(0.01)  # a shorter one does not shorten it
    await asyncio.gather(*(limiter.enter((0, n), 1) for n in range(9)))
    assert 0.09 <= perf_counter() - began < 5
    assert limiter.in_flight == 9


async def test_a_caller_that_gives_up_while_waiting_takes_no_place():
    limiter = Limiter(lambda: Limits(concurrency=1))
    place = await limiter.enter((0, 0), 1)
    gone, next_one = (asyncio.create_task(limiter.enter((0, n), 1)) for n in (1, 2))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    limiter.leave(place, 1)
    limiter.leave(await next_one, 1)
    assert limiter.in_flight == 0


async def test_a_place_that_came_too_late_goes_to_the_next():
    limiter = Limiter(lambda: Limits(concurrency=1, tokens_per_minute=100))
    place = await limiter.enter((0, 0), 1)
    gone, next_one = (asyncio.create_task(limiter.enter((0, n), 50)) for n in (1, 2))
    await asyncio.sleep(0)
    limiter.leave(place, 1)  # gives the place to the first of them …
    gone.cancel()  # … which has gone before it could take it
    async with asyncio.timeout(1):
        limiter.leave(await next_one, 50)
    assert gone.cancelled()
    assert limiter.in_flight == 0


async def test_nobody_waits_behind_one_that_has_gone():
    limiter = Limiter(lambda: Limits(tokens_per_minute=100))
    await limiter.enter((0, 0), 50)
    large = asyncio.create_task(limiter.enter((0, 1), 90))
    await asyncio.sleep(0)
    small = asyncio.create_task(limiter.enter((0, 2), 10))
    await asyncio.sleep(0)
    assert not small.done()  # the more urgent one is not overtaken
    large.cancel()
    async with asyncio.timeout(1):
        await small
