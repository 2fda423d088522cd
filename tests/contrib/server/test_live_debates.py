"""Starting and stopping debates, and what a server takes on."""

import asyncio
from time import monotonic

import pytest

from moot.contrib.server.allowance import HourReached
from moot.contrib.server.allowed_names import NotAllowed
from moot.contrib.server.live_debate import InternalFailure, Stopped
from moot.contrib.server.live_debates import RECENT, Busy
from moot.core.calls import Reply
from moot.core.errors import BudgetReached, InputError, RefusedError
from moot.core.events import Failed
from moot.models.scripted import Scripted
from moot.runtime.budget import Budget
from support.server import CALLS, CROWD, SLOW, asked, settled, status, told


async def test_a_debate_that_is_stopped_and_asked_again_pays_for_the_rest_alone(serving):
    server = await serving()
    held = await server.debates.start(asked(model=SLOW))
    await asyncio.sleep(0.07)
    held.stop()
    await settled(server)
    paid = server.lab.path.traffic.calls
    assert 0 < paid < CALLS
    again = await server.debates.start(asked(model=SLOW), replicate=held.replicate)
    await again.transcript()
    assert again.run == held.run
    assert server.lab.path.traffic.calls == CALLS
    await settled(server)
    assert status(server, again) == "done"


async def test_too_many_at_once_are_refused(serving):
    server = await serving(limits={"debates": 2, "queue": 0})
    held = [await server.debates.start(asked(model=SLOW, seed=seed)) for seed in range(2)]
    with pytest.raises(Busy, match="2 debates in progress and 0 in the queue") as busy:
        await server.debates.start(asked())
    assert busy.value.retry_after >= 1
    assert not busy.value.closing
    await asyncio.gather(*(each.transcript() for each in held))
    await (await server.debates.start(asked())).transcript()
    assert server.debates.counts == {"done": 3, "refused": 1}


async def test_places_are_taken_before_anything_is_awaited(serving):
    server = await serving(limits={"debates": 2, "queue": 0})
    starts = [server.debates.start(asked(model=SLOW, seed=seed)) for seed in range(6)]
    ends = await asyncio.gather(*starts, return_exceptions=True)
    assert sum(isinstance(end, Busy) for end in ends) == 4


async def test_one_client_leaves_places_for_others(serving):
    server = await serving(limits={"debates": 2, "client_debates": 1})
    first = await server.debates.start(asked(model=SLOW), client="a", linger=None)
    second = await server.debates.start(asked(), client="a", linger=None)
    await (await server.debates.start(asked(), client="b")).transcript()
    assert second.waits  # b came later and passed it
    assert not first.done
    await second.transcript()
    assert first.done


async def test_a_request_spends_no_more_than_it_says(serving):
    server = await serving()
    held = await server.debates.start(asked(rounds=9), budget=Budget(calls=29))
    transcript = await held.transcript()
    assert len(transcript.turns) == 27
    held = await server.debates.start(asked(agents=4, rounds=9), budget=Budget(tokens=1000))
    with pytest.raises(BudgetReached, match="1000 tokens"):
        await held.transcript()
    end = (await told(held))[-1]
    assert isinstance(end, Failed)
    assert end.kind == "BudgetReached"
    assert 0 < server.lab.store.sum_spent(held.row.id).tokens <= 1000


async def test_the_owner_s_limit_holds_whatever_a_request_says(serving):
    server = await serving(limits={"request": {"tokens": 500}})
    held = await server.debates.start(asked(), budget=Budget(tokens=10**9))
    with pytest.raises(BudgetReached, match="500 tokens"):
        await held.transcript()


async def test_a_request_of_several_debates_shares_its_budget(serving):
    server = await serving(limits={"request": {"calls": 12}})
    for replicate in range(2):
        held = await server.debates.start(asked(), share=2, replicate=replicate)
        await held.transcript()
    with pytest.raises(InputError, match="6 calls or more, and this one may make 4"):
        await server.debates.start(asked(), share=3)


async def test_a_debate_that_cannot_end_within_its_calls_is_not_begun(serving):
    server = await serving()
    with pytest.raises(InputError, match="1000000 calls or more, and this one may make 500"):
        await server.debates.start(asked(agents=1000, rounds=1000))
    with pytest.raises(InputError, match="6 calls or more, and this one may make 5"):
        await server.debates.start(asked(), budget=Budget(calls=5))
    assert server.lab.path.traffic.calls == 0
    assert server.lab.store.runs() == []


async def test_a_question_that_is_too_long_is_not_asked(serving):
    server = await serving(limits={"question": 100})
    with pytest.raises(InputError, match="takes 100 at most"):
        await server.debates.start(asked("x" * 101))


async def test_a_client_s_hour_counts_what_was_spent_and_not_what_was_replayed(serving):
    server = await serving(limits={"hour": {"calls": 13}})
    for _ in range(5):
        await (await server.debates.start(asked(), client="a", replicate=0)).transcript()
    await (await server.debates.start(asked(seed=1), client="a")).transcript()
    held = await server.debates.start(asked(seed=2), client="a")
    with pytest.raises(HourReached, match=r"client a: .* 13 calls, does not suffice") as reached:
        await held.transcript()
    assert 3500 < reached.value.retry_after < 3720
    with pytest.raises(HourReached):
        await server.debates.start(asked(seed=3), client="a")
    await (await server.debates.start(asked(seed=3), client="b")).transcript()


async def test_debates_at_once_do_not_spend_an_hour_twice(serving):
    server = await serving(limits={"hour": {"calls": 20}})
    held = [await server.debates.start(asked(seed=seed, model=SLOW)) for seed in range(8)]
    ends = await asyncio.gather(*(each.transcript() for each in held), return_exceptions=True)
    assert server.lab.path.traffic.calls == 20
    assert any(isinstance(end, HourReached) for end in ends)


async def test_a_client_has_an_hour_of_its_own(serving, monkeypatch):
    monkeypatch.setenv("A_TOKEN", "x" * 20)
    clients = {"rich": {"token_env": "A_TOKEN", "hour": {"calls": 100}}}
    server = await serving(limits={"hour": {"calls": 1}}, clients=clients)
    await (await server.debates.start(asked(), client="rich")).transcript()
    held = await server.debates.start(asked(seed=1), client="poor")
    with pytest.raises(HourReached):
        await held.transcript()


class Unpriced(Scripted):
    """A model of which nobody knows what it costs."""

    def cost(self, _reply):
        return None


async def test_a_cap_on_a_client_s_money_needs_a_price(serving):
    model = Unpriced(lambda _: Reply(text="Final answer: 7"), name="own")
    tables = {"models": [CROWD, "scripted/own"], "limits": {"hour": {"cost": 1.0}}}
    server = await serving(given={"models": [model]}, **tables)
    await (await server.debates.start(asked())).transcript()  # simulated agents cost nothing
    held = await server.debates.start(asked(model="scripted/own"))
    with pytest.raises(InputError, match="needs a price"):
        await held.transcript()


async def test_a_stated_price_is_what_is_paid(serving):
    reply = Reply(text="Final answer: 7", prompt_tokens=10, completion_tokens=10)
    server = await serving(
        given={"models": [Unpriced(lambda _: reply, name="own")]},
        models=["scripted/own"],
        prices={"scripted/own": {"input": 1000, "output": 1000}},
        limits={"hour": {"cost": 1.0}},
    )
    await (await server.debates.start(asked(model="scripted/own"))).transcript()
    assert server.lab.path.traffic.cost == pytest.approx(CALLS * 0.02)


async def test_what_no_owner_allows_is_not_begun(serving):
    server = await serving()
    with pytest.raises(NotAllowed):
        await server.debates.start(asked(model="simulated/other"))
    assert server.debates.counts == {"refused": 1}


async def test_what_moot_itself_breaks_is_told_without_quoting(serving, caplog):
    server = await serving()
    broken = asked()

    def fail(*_):
        raise ZeroDivisionError(broken.question.text)

    broken.task = fail
    held = await server.debates.start(broken)
    with pytest.raises(InternalFailure, match="ZeroDivisionError"):
        await held.transcript()
    assert "test_live_debates.py:" in caplog.text
    assert "3 + 4" not in caplog.text
    assert server.debates.counts == {"failed": 1}


async def test_a_debate_that_fails_is_kept_as_failed(serving):
    model = Scripted(lambda _: RefusedError("I will not"), name="own")
    server = await serving(given={"models": [model]}, models=["scripted/own"])
    held = await server.debates.start(asked(model="scripted/own"))
    assert (await held.transcript()).failed.reason == "I will not"
    await settled(server)
    assert server.debates.counts == {"failed": 1}


async def test_ended_debates_are_forgotten_in_time(serving):
    server = await serving()
    first = await server.debates.start(asked())
    await first.transcript()
    for seed in range(RECENT):
        assert server.debates.get(first.id) is first
        await (await server.debates.start(asked(seed=seed + 1))).transcript()
    assert server.debates.get(first.id) is None


async def test_long_debates_are_forgotten_sooner(serving):
    model = Scripted(lambda _: "a" * 4_000_000 + "\nFinal answer: 7", name="own")
    server = await serving(given={"models": [model]}, models=["scripted/own"])
    held = []
    for seed in range(3):
        prepared = asked(model="scripted/own", seed=seed, agents=1, rounds=3)
        held.append(await server.debates.start(prepared))
        await held[-1].transcript()
    found = [server.debates.get(each.id) for each in held]
    assert found == [None, held[1], held[2]]


async def test_different_models_are_so_many_and_no_more(serving, monkeypatch):
    monkeypatch.setattr("moot.contrib.server.live_debates.MODELS", 3)
    server = await serving(models=["simulated/*"])
    for number in range(3):
        await (await server.debates.start(asked(model=f"simulated/m{number}"))).transcript()
    with pytest.raises(NotAllowed, match="3 other models"):
        await server.debates.start(asked(model="simulated/m3"))
    await (await server.debates.start(asked(model="simulated/m0"))).transcript()


async def test_a_server_that_stops_lets_debates_end(serving):
    server = await serving()
    held = await server.debates.start(asked(model=SLOW), linger=None)
    await server.debates.end()
    assert (await held.transcript()).verdict is not None
    with pytest.raises(Busy) as busy:
        await server.debates.start(asked())
    assert busy.value.closing


async def test_a_server_that_stops_waits_no_longer_than_it_says(serving):
    server = await serving(limits={"shutdown": 0.1})
    held = await server.debates.start(asked(model=SLOW, rounds=50), linger=None)
    coming = asyncio.create_task(server.debates.start(asked(model=SLOW, rounds=50, seed=1)))
    await asyncio.sleep(0)
    began = monotonic()
    await asyncio.gather(server.debates.end(), server.debates.end())
    assert monotonic() - began < 1
    with pytest.raises(Stopped, match="the server stopped"):
        await held.transcript()
    assert (await coming).done
    assert status(server, held) == "stopped"
    assert server.lab.store.sum_spent(held.row.id).calls > 0


async def test_stopping_twice_does_not_wait(serving):
    server = await serving()
    await server.debates.start(asked(model=SLOW, rounds=50), linger=None)
    ending = asyncio.create_task(server.debates.end())
    await asyncio.sleep(0.05)
    server.debates.stop()
    async with asyncio.timeout(1):
        await ending
