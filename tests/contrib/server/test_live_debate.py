"""Listening to a debate, and what becomes of it when nobody does."""

import asyncio
from contextlib import aclosing

import pytest

from moot.contrib.server.live_debate import Stopped
from moot.core.events import Closed, Failed, Turn
from support.server import CALLS, SLOW, asked, settled, status, told


async def test_a_debate_is_told_as_it_happens_and_kept(serving):
    server = await serving()
    held = await server.debates.start(asked(model=SLOW))
    first = asyncio.create_task(told(held))
    async with aclosing(held.events()) as events:
        kinds = [(type(event).__name__, held.done) async for event in events]
    transcript = await held.transcript()
    names = [name for name, _ in kinds]
    assert (names[0], names[-1], names.count("Turn")) == ("Opened", "Closed", CALLS)
    assert not any(done for name, done in kinds if name == "Turn")
    assert transcript.verdict is not None
    assert await first == await told(held)  # each hears all from the beginning
    await settled(server)
    (row,) = server.lab.store.debates(held.row.id)
    assert (row.transcript, status(server, held)) == (transcript, "done")
    assert server.debates.counts == {"done": 1}


async def test_a_debate_is_stopped_when_its_last_listener_leaves(serving):
    server = await serving()
    held = await server.debates.start(asked(model=SLOW))
    second = asyncio.create_task(held.transcript())
    async with aclosing(held.snapshots()) as first:
        async for events in first:
            if sum(isinstance(event, Turn) for event in events) == 3:
                break
    assert not held.done
    second.cancel()
    await settled(server)
    assert (held.done, status(server, held)) == (True, "stopped")
    with pytest.raises(Stopped, match="nothing listens"):
        await held.transcript()
    *events, end = await told(held)
    assert isinstance(end, Failed)
    assert end.kind == "Stopped"
    turns = [event for event in events if isinstance(event, Turn)]
    assert 3 <= len(turns) < CALLS
    assert server.lab.store.sum_spent(held.row.id).calls == len(turns)
    assert server.debates.counts == {"stopped": 1}


async def test_a_listener_that_leaves_after_the_verdict_stops_nothing(serving):
    server = await serving()
    held = await server.debates.start(asked())
    async with aclosing(held.events()) as events:
        async for event in events:
            if isinstance(event, Closed):
                break
    held.stop()
    await settled(server)
    assert status(server, held) == "done"
    assert len(list(server.lab.store.debates(held.row.id))) == 1


async def test_a_debate_waits_for_a_listener_to_come_back_and_no_longer(serving):
    server = await serving()
    held = await server.debates.start(asked(model=SLOW, rounds=50), linger=0.1)
    for _ in range(3):  # a page that is loaded again
        listener = asyncio.create_task(told(held))
        await asyncio.sleep(0.05)
        listener.cancel()
        await asyncio.sleep(0.05)
        assert not held.done
    await settled(server)
    assert status(server, held) == "stopped"


async def test_a_late_follower_gets_the_words_so_far_in_one_piece(serving):
    slow = "simulated/slow?latency=0.3"
    server = await serving(models=[slow])
    held = await server.debates.start(asked(model=slow), stream=True)
    await asyncio.sleep(0.2)
    async with aclosing(held.follow()) as news:
        _, pieces = await anext(news)
        assert held.under_way
        held.stop()
        await settled(server)
    assert held.under_way == []
    assert [piece.kind for piece in pieces if piece.turn == 1] == ["begun", "text"]
    assert len(next(piece for piece in pieces if piece.turn == 1 and piece.text).text.split()) > 2
