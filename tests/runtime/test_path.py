"""Every call goes down one path: ledger, in-flight sharing, budget, limiter, retry, model."""

import asyncio
from collections import Counter

import pytest

import moot
from moot.core.errors import BudgetReached, InputError, RefusedError, StoreError, TransientError
from moot.core.ports import Limits
from moot.ledger.account import RunLedger
from moot.ledger.sqlite_store import Store
from moot.models.model_names import load
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry
from support.call_path import QUICK, Speaker, a_call, ask, found, until
from support.chaos import Chaos


async def test_a_recorded_reply_is_never_asked_for_again(store):
    says = Speaker()
    model = moot.Scripted(says)
    first = await ask(CallPath(store), model, a_call())
    path = CallPath(store)
    again = await ask(path, model, a_call())
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.text, again.cost) == (first.text, first.cost)
    assert len(says.asked) == 1
    assert (path.traffic.calls, path.traffic.replayed) == (0, 1)
    await ask(path, model, a_call(seat=1))  # another draw is another call
    assert len(says.asked) == 2


async def test_a_path_of_replays_pays_for_nothing(store):
    says = Speaker()
    whole, model = CallPath(store), moot.Scripted(says)
    await ask(whole, model, a_call())
    path = whole.replay_only(InputError("no server"))
    assert (await ask(path, model, a_call())).replayed
    for _ in range(2):
        with pytest.raises(InputError, match="no server"):
            await ask(path, model, a_call(seat=1))
    assert len(says.asked) == 1
    assert not (await ask(whole, model, a_call(seat=1))).replayed  # its claim is free again


async def test_a_reply_is_durable_before_anybody_sees_it(store, tmp_path):
    await ask(CallPath(store), moot.Scripted(["kept"]), a_call())
    async with Store.open(tmp_path / "store", readonly=True) as other:
        assert (await found(other, a_call())).text == "kept"


async def test_calls_that_are_the_same_at_once_are_one_call(store):
    says = Speaker()
    says.open.clear()
    path, model = CallPath(store), moot.Scripted(says)
    asking = asyncio.gather(*(ask(path, model, a_call()) for _ in range(50)))
    await until(lambda: says.asked)
    says.open.set()
    replies = await asking
    assert len(says.asked) == 1
    assert Counter(reply.replayed for reply in replies) == {False: 1, True: 49}
    assert {reply.text for reply in replies} == {"to hello"}
    assert (path.traffic.calls, path.traffic.replayed) == (1, 49)


async def test_when_the_first_to_ask_gives_up_another_takes_over(store):
    says = Speaker()
    says.open.clear()
    path, model = CallPath(store), moot.Scripted(says)
    first, *others = (asyncio.create_task(ask(path, model, a_call())) for _ in range(5))
    await until(lambda: says.asked)
    first.cancel()
    await until(lambda: len(says.asked) == 2)
    says.open.set()
    replies = await asyncio.gather(*others)
    assert Counter(reply.replayed for reply in replies) == {False: 1, True: 3}
    assert len(says.asked) == 2
    assert first.cancelled()


async def test_who_merely_shares_a_call_can_give_up_alone(store):
    says = Speaker()
    says.open.clear()
    path, model = CallPath(store), moot.Scripted(says)
    first, second = (asyncio.create_task(ask(path, model, a_call())) for _ in range(2))
    await until(lambda: says.asked)
    await asyncio.sleep(0)
    second.cancel()
    await asyncio.sleep(0)
    says.open.set()
    assert (await first).text == "to hello"


async def test_a_reply_that_was_paid_for_is_kept_though_its_caller_gave_up(slow):
    says = Speaker()
    path, model = CallPath(slow), moot.Scripted(says)
    first, second = (asyncio.create_task(ask(path, model, a_call())) for _ in range(2))
    await until(lambda: path.traffic.calls == 1)
    first.cancel()
    await asyncio.sleep(0)
    slow.gate.set()
    assert (await second).text == "to hello"
    assert len(says.asked) == 1
    assert (await found(slow, a_call())).text == "to hello"
    assert not path._unkept  # the ledger has it


async def test_a_shared_failure_is_everybodys_and_the_next_one_asks_anew(store):
    says = Speaker(RefusedError("no"))
    says.open.clear()
    path, model = CallPath(store), moot.Scripted(says)
    asking = asyncio.gather(*(ask(path, model, a_call()) for _ in range(9)), return_exceptions=True)
    await until(lambda: says.asked)
    says.open.set()
    assert [str(error) for error in await asking] == ["no"] * 9
    assert len(says.asked) == 1
    assert (await ask(path, model, a_call())).text == "to hello"


async def test_retries_are_counted_in_the_reply_and_on_the_way(store):
    busy = TransientError("busy", status=503)
    path = CallPath(store, retry=QUICK)
    reply = await ask(path, moot.Scripted([busy, busy, "at last"]), a_call())
    assert (reply.text, reply.retries, path.traffic.retries) == ("at last", 2, 2)
    assert (await found(store, a_call())).retries == 2


async def test_retries_end_and_say_how_many_there_were(store):
    says = Speaker(*[TransientError("busy", status=503)] * 9)
    path = CallPath(store, retry=QUICK)
    with pytest.raises(TransientError, match="busy") as caught:
        await ask(path, moot.Scripted(says), a_call())
    assert (caught.value.retries, len(says.asked)) == (3, 4)
    assert await found(store, a_call()) is None


async def test_what_will_not_pass_is_not_retried(store):
    says = Speaker(RefusedError("no", status=400))
    with pytest.raises(RefusedError):
        await ask(CallPath(store, retry=QUICK), moot.Scripted(says), a_call())
    assert len(says.asked) == 1


async def test_an_endpoint_that_asks_for_a_pause_is_left_alone_by_everyone(store):
    clock = asyncio.get_running_loop().time
    says = Speaker(TransientError("slow down", status=429, retry_after=0.2))
    path, model = CallPath(store, retry=QUICK), moot.Scripted(says)
    began = clock()
    first = asyncio.create_task(ask(path, model, a_call()))
    await until(lambda: path.traffic.retries == 1)
    await ask(path, model, a_call("another"))
    assert clock() - began >= 0.19
    assert (await first).retries == 1


async def test_the_place_is_free_while_the_reply_is_being_committed(slow):
    says = Speaker()
    path = CallPath(slow)
    model = moot.Scripted(says, limits=Limits(concurrency=1))
    asking = asyncio.gather(*(ask(path, model, a_call(seat=seat)) for seat in range(5)))
    await until(lambda: len(says.asked) == 5)  # though no commit has ended
    assert path.traffic.in_flight == 0
    slow.gate.set()
    assert len(await asking) == 5


async def test_a_call_that_fails_gives_its_place_back(store):
    path = CallPath(store, retry=Retry(attempts=2, first=0.001))
    fates = [RefusedError("no"), TransientError("busy"), TransientError("busy"), "well"]
    model = moot.Scripted(fates, limits=Limits(concurrency=1))
    async with asyncio.timeout(5):
        for failure in (RefusedError, TransientError):
            with pytest.raises(failure):
                await ask(path, model, a_call())
        assert (await ask(path, model, a_call())).text == "well"
    assert path.traffic.in_flight == 0


async def test_concurrency_is_the_endpoints_whoever_asks(store):
    inside = most = 0

    async def script(call):
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        return "x"

    path = CallPath(store)
    model = moot.Scripted(script, limits=Limits(concurrency=3))
    await asyncio.gather(*(ask(path, model, a_call(seat=seat)) for seat in range(30)))
    assert most == 3


async def test_later_rounds_go_before_new_debates(store):
    await asyncio.wrap_future(store.begin_session())  # else the first calls wait for it
    says = Speaker()
    says.open.clear()
    path = CallPath(store)
    model = moot.Scripted(says, limits=Limits(concurrency=1))
    urgencies = {"now": (-1, 0), "new": (-1, 5), "late": (-3, 4), "later": (-3, 2)}
    asking = asyncio.gather(
        *(ask(path, model, a_call(text), urgency=urgency) for text, urgency in urgencies.items())
    )
    await until(lambda: says.asked)
    says.open.set()
    await asking
    assert [call.messages[0].content for call in says.asked] == ["now", "later", "late", "new"]


async def test_a_store_that_cannot_keep_a_reply_gives_none(store):
    says = Speaker()
    path, model = CallPath(store), moot.Scripted(says)
    await ask(path, model, a_call())
    await store.close()
    with pytest.raises(StoreError):
        await ask(path, model, a_call(seat=1))


async def test_branches_share_limits_and_calls_in_flight_but_no_purse(store):
    says = Speaker()
    says.open.clear()
    model = moot.Scripted(says, limits=Limits(concurrency=1))
    whole = CallPath(store)
    runs = [store.begin_run(name, name, b"").id for name in ("one", "two")]
    one, two = (
        whole.branch(RunLedger(store, run), BudgetGuard(Budget(calls=calls)))
        for run, calls in zip(runs, (2, 1), strict=True)
    )
    asking = [
        asyncio.create_task(ask(path, model, a_call(seat=seat)))
        for path, seat in ((one, 0), (two, 0), (one, 1))
    ]
    await until(lambda: says.asked)
    await asyncio.sleep(0.01)
    assert (len(says.asked), whole.traffic.in_flight) == (1, 1)  # one place for both
    says.open.set()
    replies = await asyncio.gather(*asking)
    assert [reply.replayed for reply in replies] == [False, True, False]
    await ask(two, model, a_call(seat=2))
    with pytest.raises(BudgetReached):
        await ask(two, model, a_call(seat=3))
    counts = [(path.traffic.calls, path.traffic.replayed) for path in (one, two, whole)]
    assert counts == [(2, 0), (1, 1), (3, 1)]
    assert [store.sum_spent(run).calls for run in runs] == [2, 1]
    assert whole.traffic.in_flight == 0


async def busiest(path: CallPath, model: moot.Model, calls: int) -> int:
    """The most of so many calls to a model that are at its endpoint at once."""
    asking = [
        asyncio.create_task(ask(path, model, a_call(f"{model.limits} {n}"))) for n in range(calls)
    ]
    most = 0
    while not all(task.done() for task in asking):
        most = max(most, path.traffic.in_flight)
        await asyncio.sleep(0.005)
    return most


@pytest.mark.parametrize("first", ["narrow", "wide"])
async def test_models_of_one_address_have_limits_of_their_own(store, first):
    async with Chaos(latency=0.1) as server:
        narrow, wide = (load(f"{server.url}/ok?concurrency={most}") for most in (2, 20))
        path = CallPath(store)
        await ask(path, narrow if first == "narrow" else wide, a_call("whose limits held for all"))
        assert (await busiest(path, narrow, 6), await busiest(path, wide, 40)) == (2, 20)
        await narrow.close()
        await wide.close()
