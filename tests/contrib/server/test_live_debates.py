"""Starting and stopping debates, and what a server takes on."""

import asyncio

import pytest

from moot.contrib.server.allowance import HourReached
from moot.contrib.server.live_debate import InternalFailure
from moot.contrib.server.live_debates import RECENT, Busy
from moot.core.calls import Reply
from moot.core.errors import BudgetReached, InputError
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
    assert (again.run, server.lab.path.traffic.calls) == (held.run, CALLS)
    await settled(server)
    assert status(server, again) == "done"


async def test_places_are_taken_before_anything_is_awaited(serving):
    server = await serving(limits={"debates": 2, "queue": 0})
    starts = [server.debates.start(asked(model=SLOW, seed=seed)) for seed in range(6)]
    ends = await asyncio.gather(*starts, return_exceptions=True)
    busy = [end for end in ends if isinstance(end, Busy)]
    assert "2 debates in progress and 0 in the queue" in str(busy[0])
    assert (len(busy), busy[0].closing) == (4, False)


async def test_a_request_spends_no_more_than_it_says_or_the_owner_allows(serving):
    server = await serving(limits={"request": {"calls": 500, "tokens": 1000}})
    held = await server.debates.start(asked(rounds=2), budget=Budget(calls=9))
    assert len((await held.transcript()).turns) == 6
    held = await server.debates.start(asked(agents=4, rounds=9), budget=Budget(tokens=10**9))
    with pytest.raises(BudgetReached, match="1,000 tokens"):
        await held.transcript()
    end = (await told(held))[-1]
    assert isinstance(end, Failed)
    assert end.kind == "BudgetReached"
    assert 0 < server.lab.store.sum_spent(held.row.id).tokens <= 1000


async def test_a_debate_that_cannot_end_within_its_calls_is_not_begun(serving):
    """Several debates of a request share its budget."""
    server = await serving(limits={"request": {"calls": 12}, "question": 100})
    for prepared, given, why in (
        (asked(agents=1000, rounds=1000), {}, "1000000 calls or more, and this one may make 12"),
        (asked(), {"budget": Budget(calls=5)}, "6 calls or more, and this one may make 5"),
        (asked(), {"share": 3}, "6 calls or more, and this one may make 4"),
        (asked("x" * 101), {}, "takes 100 at most"),
    ):
        with pytest.raises(InputError, match=why):
            await server.debates.start(prepared, **given)
    assert (server.lab.path.traffic.calls, server.lab.store.runs()) == (0, [])
    for replicate in range(2):
        held = await server.debates.start(asked(), share=2, replicate=replicate)
        await held.transcript()


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


class Unpriced(Scripted):
    """A model of which nobody knows what it costs."""

    def cost(self, _reply):
        return None


async def test_a_cap_on_a_client_s_money_needs_a_price_and_a_stated_one_is_paid(serving):
    reply = Reply(text="Final answer: 7", prompt_tokens=10, completion_tokens=10)
    models = [Unpriced(lambda _: reply, name=name) for name in ("own", "priced")]
    server = await serving(
        given={"models": models},
        models=[CROWD, "scripted/own", "scripted/priced"],
        prices={"scripted/priced": {"input": 1000, "output": 1000}},
        limits={"hour": {"cost": 1.0}},
    )
    await (await server.debates.start(asked())).transcript()  # simulated agents cost nothing
    held = await server.debates.start(asked(model="scripted/own"))
    with pytest.raises(InputError, match="needs a price"):
        await held.transcript()
    await (await server.debates.start(asked(model="scripted/priced"))).transcript()
    assert server.lab.path.traffic.cost == pytest.approx(CALLS * 0.02)


async def test_ended_debates_are_forgotten_in_time_and_long_ones_sooner(serving):
    model = Scripted(lambda _: "a" * 4_000_000 + "\nFinal answer: 7", name="own")
    server = await serving(given={"models": [model]}, models=[CROWD, "scripted/own"])
    first = await server.debates.start(asked())
    await first.transcript()
    for seed in range(RECENT):
        assert server.debates.get(first.id) is first
        await (await server.debates.start(asked(seed=seed + 1))).transcript()
    assert server.debates.get(first.id) is None
    held = []
    for seed in range(3):
        prepared = asked(model="scripted/own", seed=seed, agents=1, rounds=3)
        held.append(await server.debates.start(prepared))
        await held[-1].transcript()
    assert [server.debates.get(each.id) for each in held] == [None, held[1], held[2]]


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
