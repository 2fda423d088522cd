"""Every call goes down one path: ledger, in-flight sharing, budget, limiter, retry, model."""

import asyncio
from collections import Counter

import pytest

import moot
from moot.core.calls import Call, Draw, Message, Reply, identity
from moot.core.errors import BudgetReached, RefusedError, StoreError, TransientError
from moot.core.ports import Limits
from moot.ledger.store import Store
from moot.runtime.budget import Budget, Purse
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry

QUICK = Retry(attempts=4, first=0.001)


def a_call(text: str = "hello", seat: int = 0) -> Call:
    return Call(model="scripted/script", messages=(Message("user", text),), draw=Draw(0, seat))


async def ask(path: CallPath, model: moot.Model, call: Call, **urgency) -> Reply:
    return await path.reply(model, call, call.request(), **urgency)


def found(store: Store, call: Call) -> Reply | None:
    return store.find(identity(call.request(), call.draw))


class Speaker:
    """A script that counts what it is asked and answers when it is let."""

    def __init__(self, *fates) -> None:
        self.asked: list[Call] = []
        self.open = asyncio.Event()
        self.open.set()
        self.fates = list(fates)

    async def __call__(self, call: Call):
        self.asked.append(call)
        await self.open.wait()
        return self.fates.pop(0) if self.fates else f"to {call.messages[0].content}"


async def until(condition) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)


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


async def test_a_reply_is_durable_before_anybody_sees_it(store, tmp_path):
    await ask(CallPath(store), moot.Scripted(["kept"]), a_call())
    async with Store.open(tmp_path / "store", readonly=True) as other:
        assert found(other, a_call()).text == "kept"


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
    assert found(slow, a_call()).text == "to hello"


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
    assert found(store, a_call()).retries == 2


async def test_retries_end_and_say_how_many_there_were(store):
    says = Speaker(*[TransientError("busy", status=503)] * 9)
    path = CallPath(store, retry=QUICK)
    with pytest.raises(TransientError, match="busy") as caught:
        await ask(path, moot.Scripted(says), a_call())
    assert (caught.value.retries, len(says.asked)) == (3, 4)
    assert found(store, a_call()) is None


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


@pytest.mark.parametrize("cap", [1, 40])
async def test_the_budget_holds_among_256_callers(store, cap):
    says = Speaker()
    path = CallPath(store, purse=Purse(Budget(calls=cap)))
    model = moot.Scripted(says, latency=0.001)
    ended = await asyncio.gather(
        *(ask(path, model, a_call(seat=seat)) for seat in range(256)), return_exceptions=True
    )
    assert Counter(map(type, ended)) == {Reply: cap, BudgetReached: 256 - cap}
    assert len(says.asked) == cap
    assert sum(found(store, a_call(seat=seat)) is not None for seat in range(256)) == cap


async def test_near_the_cap_the_most_urgent_call_goes_first(store):
    says = Speaker()
    says.open.clear()
    path, model = CallPath(store, purse=Purse(Budget(tokens=700))), moot.Scripted(says)
    urgencies = {"now": (-1, 0), "new": (-1, 9), "old": (-1, 2), "later": (-2, 9)}
    asking = asyncio.gather(
        *(ask(path, model, a_call(text), urgency=urgency) for text, urgency in urgencies.items())
    )  # each may take 512 tokens and more, and takes few
    await until(lambda: says.asked)
    says.open.set()
    await asking
    assert [call.messages[0].content for call in says.asked] == ["now", "later", "old", "new"]


async def test_replies_from_the_ledger_are_free(store):
    await ask(CallPath(store), moot.Scripted(["x"]), a_call())
    broke = CallPath(store, purse=Purse(Budget(calls=0)))
    assert (await ask(broke, moot.Scripted([]), a_call())).replayed
    with pytest.raises(BudgetReached):
        await ask(broke, moot.Scripted(["y"]), a_call(seat=1))


async def test_a_stated_price_goes_before_the_models_own(store):
    prices = {"scripted/dear": lambda reply: reply.completion_tokens * 2.0}
    path = CallPath(store, prices=prices)
    reply = await ask(path, moot.Scripted(["two words"], name="dear"), a_call())
    own = await ask(path, moot.Scripted(["two words"], name="own"), a_call(seat=1))
    assert (reply.cost, own.cost) == (4.0, 0.0)
    assert path.traffic.cost == 4.0


async def test_an_unknown_price_is_unknown_and_not_zero(store):
    path = CallPath(store, prices={"scripted/script": lambda _: None})
    assert (await ask(path, moot.Scripted(["x"]), a_call())).cost is None
    assert (path.traffic.unpriced, path.traffic.cost) == (1, 0.0)


async def test_a_cap_on_money_counts_what_is_in_flight(store):
    path = CallPath(
        store,
        purse=Purse(Budget(cost=1.0)),
        prices={"scripted/script": lambda _: 0.25},
    )
    model = moot.Scripted(Speaker(), latency=0.001)
    ended = await asyncio.gather(
        *(ask(path, model, a_call(seat=seat)) for seat in range(64)), return_exceptions=True
    )
    assert Counter(map(type, ended)) == {Reply: 4, BudgetReached: 60}
    assert path.traffic.cost == 1.0


async def test_a_store_that_cannot_keep_a_reply_gives_none(store):
    says = Speaker()
    path, model = CallPath(store), moot.Scripted(says)
    await ask(path, model, a_call())
    await store.close()
    with pytest.raises(StoreError):
        await ask(path, model, a_call(seat=1))
