"""An endpoint gets what it can take and no more, the most urgent first."""

import asyncio
from itertools import chain

import pytest

from moot.core.ports import Limits, Rates
from moot.runtime.limiter import EndpointLimits, Limiter
from moot.runtime.quota import MINUTE

pytestmark = pytest.mark.usefixtures("jumping_clock")
CLOSE = 1e-4
"""Seconds that the rounding of all jumps of a test's clock comes to, at the most."""


def now() -> float:
    """The time of the event loop."""
    return asyncio.get_running_loop().time()


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
        entered.append(now())
        limiter.leave(place, 10)

    await asyncio.gather(*map(call, range(10)))
    for early, late in zip(entered, entered[4:], strict=False):  # 4 of 10 tokens fill a minute
        assert late - early >= minute - CLOSE
    assert entered[-1] - entered[0] == pytest.approx(2 * minute, abs=CLOSE)


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
    began = now()
    limiter.pause(0.1)
    limiter.pause(0.01)  # a shorter one does not shorten it
    await asyncio.gather(*(limiter.enter((0, n), 1) for n in range(9)))
    assert now() - began == pytest.approx(0.1, abs=CLOSE)
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


def two(first: Limits, second: Limits, minute: float = MINUTE) -> tuple[Limiter, Limiter]:
    """The limiters of two models at one endpoint."""
    endpoint = EndpointLimits(minute)
    return Limiter(lambda: first, endpoint), Limiter(lambda: second, endpoint)


async def test_each_model_of_an_endpoint_has_its_own_concurrency():
    narrow, wide = two(Limits(concurrency=2), Limits(concurrency=50))
    assert await asyncio.gather(peak(narrow, 20), peak(wide, 100)) == [2, 50]
    assert await asyncio.gather(peak(wide, 100), peak(narrow, 20)) == [50, 2]


async def test_a_model_that_waits_for_its_own_rate_holds_up_no_other():
    slow, free = two(Limits(requests_per_minute=1), Limits(), minute=30)
    await slow.enter((0, 0), 1)
    waiting = asyncio.create_task(slow.enter((-9, 0), 1))
    await asyncio.sleep(0)
    async with asyncio.timeout(1):
        await free.enter((0, 9), 1)
    assert not waiting.done()
    waiting.cancel()


async def times(limiter: Limiter, callers: int, urgency: int = 0) -> list[float]:
    """When callers of 10 tokens each are let in."""
    entered = []

    async def call(number):
        place = await limiter.enter((urgency, number), 10)
        entered.append(now())
        limiter.leave(place, 10)

    await asyncio.gather(*map(call, range(callers)))
    return entered


@pytest.mark.parametrize("told", [Rates(requests=4), Rates(tokens=40)], ids=["requests", "tokens"])
@pytest.mark.parametrize("second", [True, False], ids=["told both", "told one"])
async def test_rates_that_an_endpoint_tells_hold_for_all_its_models_together(told, second):
    minute = 0.2
    one, other = two(Limits(told=told), Limits(told=told if second else None), minute)
    found = await asyncio.gather(times(one, 5), times(other, 5))
    entered = sorted(chain.from_iterable(found))
    for early, late in zip(entered, entered[4:], strict=False):
        assert late - early >= minute - CLOSE
    assert entered[-1] - entered[0] < 4 * minute


async def test_models_that_were_told_different_rates_are_counted_apart():
    first, second = two(Limits(told=Rates(requests=2)), Limits(told=Rates(requests=100)), minute=30)
    async with asyncio.timeout(2):
        assert len(await times(second, 50)) == 50
        assert len(await times(first, 2)) == 2
    waiting = asyncio.create_task(first.enter((0, 0), 10))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()


async def test_the_tighter_of_what_is_stated_and_told_holds():
    stated = Limits(requests_per_minute=2, told=Rates(requests=9))
    told = Limits(requests_per_minute=9, told=Rates(requests=3))
    for limits, fit in ((stated, 2), (told, 3)):
        limiter = Limiter(lambda limits=limits: limits, minute=30)
        waiting = [asyncio.create_task(limiter.enter((0, n), 1)) for n in range(9)]
        await asyncio.sleep(0.01)
        assert sum(task.done() for task in waiting) == fit
        for task in waiting:
            task.cancel()


async def test_new_figures_do_not_forget_what_was_booked_under_the_old():
    limits = Limits(told=Rates(requests=3))
    limiter = Limiter(lambda: limits, minute=30)
    await times(limiter, 3)
    limits = Limits(told=Rates(requests=4))
    waiting = [asyncio.create_task(limiter.enter((0, n), 1)) for n in range(2)]
    await asyncio.sleep(0.01)
    assert [task.done() for task in waiting] == [True, False]
    waiting[1].cancel()


async def test_a_pause_holds_for_every_model_of_the_endpoint():
    one, other = two(Limits(), Limits())
    began = now()
    one.pause(0.1)
    await other.enter((0, 0), 1)
    assert now() - began == pytest.approx(0.1, abs=CLOSE)


async def test_the_most_urgent_of_all_models_goes_first_where_they_share_a_rate():
    told, order = Rates(requests=1), []
    one, other = two(Limits(told=told), Limits(told=told), minute=0.05)

    async def call(limiter, name, urgency):
        place = await limiter.enter(urgency, 1)
        order.append(name)
        limiter.leave(place, 1)

    await call(one, "first", (0, 0))
    await asyncio.gather(
        call(one, "late", (0, 3)), call(other, "urgent", (-1, 0)), call(one, "middle", (0, 1))
    )
    assert order == ["first", "urgent", "middle", "late"]


async def test_calls_are_let_in_when_their_own_rate_allows_it_and_not_a_moment_later():
    """Whatever calls of other models, or of another moment, wait for."""
    one, other = two(Limits(requests_per_minute=1), Limits(requests_per_minute=1), minute=0.2)
    began, entered = now(), {}

    async def call(name, limiter, after):
        await asyncio.sleep(after)
        limiter.leave(await limiter.enter((0, 0), 1), 1)
        entered[name] = now() - began

    await asyncio.gather(
        call("first", one, 0.0),
        call("of another model", other, 0.1),
        call("soon", one, 0.17),
        call("later", other, 0.18),
    )
    assert entered == pytest.approx(
        {"first": 0.0, "of another model": 0.1, "soon": 0.2, "later": 0.3}, abs=CLOSE
    )
