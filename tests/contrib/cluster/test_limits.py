"""Limits hold for all workers together: shares of requests at once, and one keeper of rates."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

import moot
from moot.contrib.cluster.limit_shares import LimitShares
from moot.contrib.cluster.worker_limits import RateKeeper, WorkerLimits
from moot.core.ports import Limits
from moot.runtime.limiter import EndpointLimits
from support.commands import run_command


@given(
    total=st.integers(1, 40),
    workers=st.integers(1, 6),
    steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60), st.booleans()), max_size=60),
)
def test_shares_never_exceed_the_limit_whoever_wants_how_much(total, workers, steps):
    """A worker uses up to its share; a smaller one holds for new calls alone."""
    shares = LimitShares({"m": total}, workers)
    granted = {each: shares.begin(each)["m"] for each in range(workers)}
    flying = dict.fromkeys(range(workers), 0)
    for each, wanted, dies in steps:
        worker = each % workers
        if dies:
            flying[worker] = 0
            granted[worker] = shares.begin(worker)["m"]
        else:
            granted[worker] = shares.share(worker)["m"]
            if flying[worker] < granted[worker]:
                flying[worker] = min(wanted, granted[worker])
            else:
                flying[worker] -= flying[worker] > wanted
            waiting = max(0, wanted - flying[worker])
            shares.note(worker, {"m": (granted[worker], flying[worker], waiting)})
        assert sum(max(granted[each], flying[each]) for each in granted) <= total


def test_shares_go_where_calls_wait():
    shares = LimitShares({"m": 10}, 2)
    first, second = shares.begin(0)["m"], shares.begin(1)["m"]
    assert (first, second) == (5, 5)
    shares.note(0, {"m": (5, 5, 30)})
    shares.note(1, {"m": (5, 1, 0)})
    lower = shares.share(1)["m"]
    shares.note(1, {"m": (lower, 1, 0)})
    assert (lower, shares.share(0)["m"]) == (1, 9)


async def test_calls_of_all_workers_are_booked_in_one_rate(jumping_clock):
    keeper, limits = RateKeeper(minute=0.0), Limits(requests_per_minute=3.0)
    await keeper.open()
    at, begun = jumping_clock(), []

    async def call(number):
        booking = await keeper.enter("m", "there", limits, (0, number), 10)
        begun.append((round(jumping_clock() - at, 1), number))
        await keeper.leave(booking, 10)

    await asyncio.gather(*(call(number) for number in range(5)))
    assert [seconds < 0.5 for seconds, _ in begun] == [True, True, True, False, False]
    assert all(0.9 < seconds < 1.9 for seconds, _ in begun[3:])  # a minute of one second


async def test_a_call_admitted_just_before_its_worker_was_closed_is_not_made():
    model, limits = moot.Scripted(lambda _: "4"), WorkerLimits()
    limits.begin({"m": model}, {"m": 1}, None)
    limiter = limits.make_limiter(model, EndpointLimits())
    first = await limiter.enter((0, 0), 10)
    second = asyncio.create_task(limiter.enter((0, 1), 10))
    await asyncio.sleep(0)
    limiter.leave(first, 10)
    assert limiter.in_flight == 1  # that of the second call, which has not gone on yet
    limits.is_closed = True
    done, _ = await asyncio.wait([second], timeout=0.05)
    assert not done
    second.cancel()
    await asyncio.wait([second])
    assert limiter.in_flight == 0


async def test_a_keeper_that_was_started_again_waits_a_minute(jumping_clock):
    keeper, began = RateKeeper(minute=-0.5), jumping_clock()
    await keeper.enter("m", "there", Limits(requests_per_minute=3.0), (0, 0), 1)
    assert jumping_clock() - began > 0.45


def test_what_cannot_be_is_said_before_anything_is_paid(tmp_path, postgres):
    """Each in a process of its own would take long: the command's own function is called."""
    file = tmp_path / "study.toml"
    data = '[[datasets]]\nname = "arithmetic"\nn = 2\n[[arms]]\nprotocol = "single"\n'
    file.write_text(f'name = "x"\n[settings]\nmodel = "simulated/crowd"\n{data}')
    store = ["--store", postgres.make_database()]
    batches = "--ray and batches do not go together"
    for words, said in (
        (["--ray"], "--store postgresql://"),
        (["--workers", "2"], "add --ray"),
        ([*store, "--ray", "--workers", "0"], "must be 1 to"),
        ([*store, "--ray", "--batch"], batches),
        ([*store, "--ray", "--batch-wait"], batches),
        ([*store, "--ray", "--batch", "calls.jsonl"], batches),
    ):
        if said == batches:
            model = "http://127.0.0.1:9/v1/none"
            file.write_text(file.read_text().replace("simulated/crowd", model))
        code, _, err = run_command(tmp_path, "run", "study.toml", "--yes", *words)
        assert (code, said in " ".join(err.split())) == (2, True), err
