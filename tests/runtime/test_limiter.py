"""An endpoint gets what it can take and no more, the most urgent first."""

import asyncio
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.ports import Limits, Rates
from moot.runtime.limiter import EndpointLimits, Limiter
from moot.runtime.quota import MINUTE, Window

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


def two(first: Limits, second: Limits, minute: float = MINUTE) -> tuple[Limiter, Limiter]:
    """The limiters of two models at one endpoint."""
    endpoint = EndpointLimits(minute)
    return Limiter(lambda: first, endpoint), Limiter(lambda: second, endpoint)


async def times(limiter: Limiter, callers: int, urgency: int = 0) -> list[float]:
    """When callers of 10 tokens each are let in."""
    entered = []

    async def call(number):
        place = await limiter.enter((urgency, number), 10)
        entered.append(now())
        limiter.leave(place, 10)

    await asyncio.gather(*map(call, range(callers)))
    return entered


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
    expected = {"first": 0.0, "of another model": 0.1, "soon": 0.2, "later": 0.3}
    assert entered == pytest.approx(expected, abs=CLOSE)


async def asking(*calls):
    """Tasks that wait for a limiter, each with its tokens."""
    tasks = [asyncio.create_task(each.enter((0, n), size)) for n, (each, size) in enumerate(calls)]
    await asyncio.sleep(0.001)
    return tasks


def inside(tasks) -> list[bool]:
    return [task.done() for task in tasks]


async def test_a_pause_holds_for_every_model_of_the_endpoint_and_ends_by_itself():
    one, other = two(Limits(concurrency=9), Limits())
    began = now()
    one.pause(0.1)
    one.pause(0.01)  # a shorter one does not shorten it
    await asyncio.gather(other.enter((0, 0), 1), *(one.enter((0, n), 1) for n in range(9)))
    assert now() - began == pytest.approx(0.1, abs=CLOSE)
    assert one.in_flight == 9


@pytest.mark.parametrize("seen", [False, True])
async def test_who_gives_up_takes_no_place_and_nobody_waits_behind_it(seen):
    """It gives up while it waits, or once it has a place and has not seen that yet."""
    limiter = Limiter(lambda: Limits(concurrency=1, tokens_per_minute=100))
    place = await limiter.enter((0, 0), 1)
    gone, next_one = await asking((limiter, 50), (limiter, 50))
    if not seen:
        gone.cancel()
    limiter.leave(place, 1)
    gone.cancel()
    async with asyncio.timeout(1):
        limiter.leave(await next_one, 50)
    assert gone.cancelled()
    assert limiter.in_flight == 0


async def test_a_large_call_is_not_overtaken_until_it_gives_up():
    limiter = Limiter(lambda: Limits(tokens_per_minute=100))
    place = await limiter.enter((0, 0), 50)
    large, small = await asking((limiter, 90), (limiter, 10))
    assert not small.done()
    large.cancel()
    async with asyncio.timeout(1):
        await small
        limiter.leave(place, 10)  # tokens that were not taken let the next in
        await limiter.enter((0, 9), 80)


async def test_limits_are_read_again_before_every_call_and_none_is_forgotten():
    limits = Limits(concurrency=1)
    limiter = Limiter(lambda: limits)
    first = await limiter.enter((0, 0), 1)
    waiting = await asking(*[(limiter, 1)] * 3)
    assert inside(waiting) == [False] * 3
    limits = Limits(concurrency=3)  # as learnt from the first reply
    limiter.leave(first, 1)
    await asyncio.sleep(0.001)
    assert inside(waiting) == [True] * 3
    limits = Limits(told=Rates(requests=3))
    limiter = Limiter(lambda: limits, minute=30)
    await times(limiter, 3)
    limits = Limits(told=Rates(requests=4))
    waiting = await asking((limiter, 1), (limiter, 1))
    assert inside(waiting) == [True, False]
    waiting[1].cancel()


@pytest.mark.parametrize(
    ("limits", "fit"),
    [
        (Limits(requests_per_minute=2, told=Rates(requests=9)), 2),
        (Limits(requests_per_minute=9, told=Rates(requests=3)), 3),
    ],
)
async def test_the_tighter_of_what_is_stated_and_told_holds(limits, fit):
    waiting = await asking(*[(Limiter(lambda: limits, minute=30), 1)] * 9)
    assert sum(inside(waiting)) == fit
    for task in waiting:
        task.cancel()


@pytest.mark.parametrize(
    ("limits", "others"),
    [
        (Limits(requests_per_minute=2), Limits()),
        (Limits(told=Rates(requests=2)), Limits(told=Rates(requests=100))),
    ],
)
async def test_a_model_that_waits_for_its_own_rate_holds_up_no_other(limits, others):
    slow, free = two(limits, others, minute=30)
    waiting = await asking(*[(slow, 10)] * 3)
    assert inside(waiting) == [True, True, False]
    async with asyncio.timeout(2):
        assert len(await times(free, 50)) == 50
    assert not waiting[2].done()
    waiting[2].cancel()


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


TOLD = [{"requests_per_minute": 4}, {"tokens_per_minute": 40}]
TOLD += [{"told": Rates(requests=4)}, {"told": Rates(tokens=40)}]


@pytest.mark.parametrize("limits", TOLD, ids=["requests", "tokens", "told requests", "told tokens"])
@pytest.mark.parametrize("second", [True, False], ids=["told both", "told one"])
async def test_rates_hold_for_all_models_together_and_end_when_they_allow_it(limits, second):
    minute = 0.2
    one, other = two(Limits(**limits), Limits(**limits if second else {}), minute)
    if "told" in limits:
        entered = sorted(chain(*await asyncio.gather(times(one, 5), times(other, 5))))
        assert entered[-1] - entered[0] < 4 * minute
    else:
        entered = await times(one, 10)
        assert entered[-1] - entered[0] == pytest.approx(2 * minute, abs=CLOSE)
    for early, late in zip(entered, entered[4:], strict=False):  # 4 of 10 tokens fill a minute
        assert late - early >= minute - CLOSE
