"""Every call goes down one path: ledger, in-flight sharing, budget, limiter, retry, model."""

import asyncio
from collections import Counter
from types import SimpleNamespace

import msgspec
import pytest

import moot
from moot.core.calls import Reply, Scene
from moot.core.errors import BudgetReached, InputError, RefusedError, StoreError, TransientError
from moot.core.ports import Limits
from moot.core.questions import Question
from moot.ledger.store import RunLedger, Store
from moot.models.model_names import load
from moot.runtime.budget import Budget, BudgetGuard
from moot.runtime.first import BeforeFirstCall
from moot.runtime.path import CallPath
from support.call_path import QUICK, Speaker, a_call, ask, found, until
from support.chaos import Chaos


class SlowStore(Store):
    """A real store whose commits wait until they are let through."""

    async def record(self, identity, call, request, reply):
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.release(identity)
            raise
        return await super().record(identity, call, request, reply)


@pytest.fixture
async def slow(tmp_path):
    async with SlowStore.open(tmp_path / "slow") as opened:
        opened.gate = asyncio.Event()
        yield opened


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


async def test_a_recorded_reply_is_never_asked_for_again(store, tmp_path):
    says = Speaker()
    model, whole, path = moot.Scripted(says), CallPath(store), CallPath(store)
    first = await ask(whole, model, a_call())
    async with Store.open(tmp_path / "store", readonly=True) as other:  # it is durable
        assert (await found(other, a_call())).text == first.text
    again = await ask(path, model, a_call())
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.text, again.cost) == (first.text, first.cost)
    assert (path.traffic.calls, path.traffic.replayed, len(says.asked)) == (0, 1, 1)
    replays = whole.replay_only(InputError("no server"))
    assert (await ask(replays, model, a_call())).replayed
    for _ in range(2):  # another draw is another call
        with pytest.raises(InputError, match="no server"):
            await ask(replays, model, a_call(seat=1))
    assert len(says.asked) == 1
    assert not (await ask(whole, model, a_call(seat=1))).replayed  # its claim is free again
    await store.close()
    with pytest.raises(StoreError):
        await ask(path, model, a_call(seat=2))


@pytest.mark.parametrize(("gone", "asked"), [(None, 1), (0, 2), (1, 1)])
async def test_calls_that_are_the_same_at_once_are_one_call(store, gone, asked):
    """When the first to ask gives up, another takes over; who merely shares gives up alone."""
    says = Speaker()
    says.open.clear()
    path, model = CallPath(store), moot.Scripted(says)
    asking = [asyncio.create_task(ask(path, model, a_call())) for _ in range(50)]
    await until(lambda: says.asked)
    await asyncio.sleep(0)
    if gone is not None:
        asking.pop(gone).cancel()
    await until(lambda: len(says.asked) == asked)
    says.open.set()
    replies = await asyncio.gather(*asking)
    assert len(says.asked) == asked
    assert Counter(reply.replayed for reply in replies) == {False: 1, True: len(asking) - 1}
    assert {reply.text for reply in replies} == {"to hello"}
    assert path.traffic.replayed == len(asking) - 1


async def test_retries_are_counted_and_end_and_give_the_place_back(store):
    busy = TransientError("busy", status=503)
    path = CallPath(store, retry=QUICK)
    fates = [busy, busy, "at last", *[busy] * 4, RefusedError("no", status=400)]
    says = Speaker(*fates)
    model = moot.Scripted(says, limits=Limits(concurrency=1))
    async with asyncio.timeout(5):
        reply = await ask(path, model, a_call())
        assert (reply.text, reply.retries, path.traffic.retries) == ("at last", 2, 2)
        assert (await found(store, a_call())).retries == 2
        with pytest.raises(TransientError, match="busy") as caught:
            await ask(path, model, a_call(seat=1))
        assert (caught.value.retries, len(says.asked)) == (3, 7)
        assert await found(store, a_call(seat=1)) is None
        with pytest.raises(RefusedError):
            await ask(path, model, a_call(seat=1))
        assert len(says.asked) == 8
        assert (await ask(path, model, a_call(seat=1))).text == "to hello"
    assert path.traffic.in_flight == 0


@pytest.mark.parametrize("first", [2, 20])
async def test_models_of_one_address_have_limits_of_their_own(store, first):
    async with Chaos(latency=0.1) as server:
        path = CallPath(store)
        models = {most: load(f"{server.url}/ok?concurrency={most}") for most in (2, 20)}
        await ask(path, models[first], a_call("whose limits held for all"))
        for most, model in models.items():
            calls = [a_call(f"{most} {n}") for n in range(2 * most + 2)]
            asking = [asyncio.create_task(ask(path, model, call)) for call in calls]
            busiest = 0
            while not all(task.done() for task in asking):
                busiest = max(busiest, path.traffic.in_flight)
                await asyncio.sleep(0.005)
            assert busiest == most
            await model.close()


async def test_it_is_checked_once_before_any_call_and_never_for_a_replay(store):
    says, checks = Speaker(), []

    async def check():
        assert not says.asked
        checks.append(1)
        await asyncio.sleep(0.01)

    model = moot.Scripted(says)
    path = CallPath(store, first=BeforeFirstCall(check))
    await asyncio.gather(*(ask(path, model, a_call(seat=seat)) for seat in range(9)))
    assert (len(says.asked), len(checks)) == (9, 1)
    again = CallPath(store, first=BeforeFirstCall(check))
    await asyncio.gather(*(ask(again, model, a_call(seat=seat)) for seat in range(9)))
    assert len(checks) == 1


async def test_what_is_wrong_is_told_to_all_and_nothing_is_asked(store):
    says = Speaker()

    async def check():
        await asyncio.sleep(0)
        raise InputError("no key")

    path = CallPath(store, first=BeforeFirstCall(check))
    asking = (ask(path, moot.Scripted(says), a_call(seat=seat)) for seat in range(9))
    found = await asyncio.gather(*asking, return_exceptions=True)
    assert {str(error) for error in found} == {"no key"}
    assert not says.asked


async def test_a_caller_that_gives_up_leaves_the_check_to_the_others(store):
    release = asyncio.Event()
    path = CallPath(store, first=BeforeFirstCall(release.wait))
    one, other = (
        asyncio.create_task(ask(path, moot.Scripted(["fine", "fine"]), a_call(seat=seat)))
        for seat in range(2)
    )
    await asyncio.sleep(0.01)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    release.set()
    assert (await other).text == "fine"


SEAT = {"agent": "mind-2", "role": "mind", "step": "answer", "round": 3, "turn": 7}
SCENE = Scene(question=Question(id="q", kind="text", text="Why?"), **SEAT)
CALL = msgspec.structs.replace(a_call(), scene=SCENE)


async def test_a_failed_attempt_is_told_as_restarted(store):
    fates = [TransientError("busy"), TransientError("busy"), "Four."]
    path, pieces = CallPath(store, retry=QUICK), []
    path.listen = pieces.append
    reply = await ask(path, moot.Scripted(lambda _: fates.pop(0)), CALL)
    told = [(each.kind, each.text) for each in pieces]
    assert told == [("begun", ""), ("restarted", ""), ("restarted", ""), ("text", "Four.")]
    assert reply.retries == 2


async def test_a_model_that_cannot_stream_is_told_as_asked(store):
    async def reply(_):
        return Reply(text="Four.", cost=0.0)

    about = {"name": "whole/x", "endpoint": "whole/x", "simulated": True, "limits": moot.Limits()}
    whole = SimpleNamespace(**about, reply=reply, cost=lambda reply: reply.cost)
    path, pieces = CallPath(store), []
    path.listen = pieces.append
    assert (await ask(path, whole, CALL)).text == "Four."
    assert [each.kind for each in pieces] == ["begun"]


async def test_a_reply_is_told_word_by_word_within_the_latency_and_recorded_whole(store):
    path, pieces, flying = CallPath(store), [], []

    def listen(piece):
        pieces.append(piece)
        flying.append(path.traffic.in_flight)

    path.listen = listen
    path.branch(store).listen = None  # a branch has a listener of its own
    said = Reply(text="It is four.", thought="Two and two.")
    reply = await ask(path, moot.Scripted(lambda _: said, latency=0.03), CALL)
    told = [(each.kind, each.text) for each in pieces]
    thought = [("thought", each) for each in ("Two ", "and ", "two.")]
    assert told == [("begun", ""), *thought, ("text", "It "), ("text", "is "), ("text", "four.")]
    assert flying == [1] * 7  # all of them before the call is over
    assert reply.text == (await found(store, CALL)).text == "It is four."
    where = {(each.turn, each.agent, each.role, each.round) for each in pieces}
    assert where == {(7, "mind-2", "mind", 3)}
    again = await ask(path, moot.Scripted(lambda _: "It is five."), CALL)
    await ask(path, moot.Scripted(lambda _: "Four."), a_call("more"))  # outside of a debate
    assert (again.text, len(pieces)) == ("It is four.", 7)
