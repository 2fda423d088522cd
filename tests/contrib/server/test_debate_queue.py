"""Places for debates, and the queue in front of them."""

import asyncio

import aiohttp
import pytest

from moot.contrib.server.debate_queue import DebatePlaces, QueueFull
from support.server import CROWD, SLOW, asked, body, complete, settled, status


async def test_who_comes_first_is_served_first():
    places = DebatePlaces(2, None, 2)
    first, _, third, fourth = asked = [places.enter("a") for _ in range(4)]
    assert [each.is_taken for each in asked] == [True, True, False, False]
    assert [each.ahead for each in asked] == [0, 0, 0, 1]
    with pytest.raises(QueueFull):
        places.enter("a")
    places.leave(third)  # its client has gone
    assert fourth.ahead == 0
    places.leave(first)
    assert fourth.is_taken
    assert (places.taken, places.waiting) == (2, 0)


async def test_a_client_at_its_limit_is_passed():
    places = DebatePlaces(2, 1, 5)
    first, second, other, third = (places.enter(client) for client in "aaba")
    assert [each.is_taken for each in (first, second, other, third)] == [True, False, True, False]
    places.leave(other)
    assert (places.taken, places.waiting) == (1, 2)
    places.leave(first)
    assert (second.is_taken, third.is_taken) == (True, False)


async def test_many_clients_at_once_get_as_many_answers(serving):
    clients, places = 40, 4
    server = await serving(models=[CROWD], retry={"attempts": 1}, limits={"debates": places})
    model = f"society-of-minds:{CROWD}"
    seen = []
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def ask(number):
            found = await complete(session, server, body(f"What is {number}+1?", model=model))
            seen.append((server.debates.in_progress, server.debates.waiting))
            return found

        told = await asyncio.gather(*map(ask, range(clients)))
    assert [code for code, _ in told] == [200] * clients
    assert all(answer["choices"][0]["message"]["content"] for _, answer in told)
    assert max(taken for taken, _ in seen) <= places
    assert max(waiting for _, waiting in seen) > places


async def test_what_does_not_fit_the_queue_is_told_when_to_come_again(behind, client):
    server, name, _ = await behind("hang", limits={"debates": 1, "queue": 2, "shutdown": 0.1})
    address = f"{server.url}/v1/chat/completions"

    async def ask(number):
        request = body(f"What is {number}?", model=f"single:{name}")
        async with client.post(address, json=request) as response:
            return response.status, response.headers.get("retry-after"), await response.json()

    asking = [asyncio.create_task(ask(number)) for number in range(7)]
    async with asyncio.timeout(10):
        while sum(task.done() for task in asking) < 4:
            await asyncio.sleep(0.01)
    done, waiting = await asyncio.wait(asking, timeout=0.1)
    assert len(waiting) == 3
    for task in done:
        code, after, told = task.result()
        assert (code, told["error"]["code"]) == (429, "too_many_debates")
        assert int(after) >= 1
        assert "1 debate in progress and 2 in the queue" in told["error"]["message"]
    for task in waiting:
        task.cancel()


async def test_who_waits_when_the_server_stops_is_told(behind, client):
    server, name, upstream = await behind("hang", limits={"debates": 1, "shutdown": 0.3})
    asking = []
    for number in range(2):
        sent = body(f"What is {number}?", model=f"single:{name}")
        asking.append(asyncio.create_task(_post(client, server, sent)))
        while server.debates.in_progress + server.debates.waiting <= number:
            await asyncio.sleep(0.01)
    server.server.should_exit = True
    assert await asyncio.gather(*asking) == [(503, "stopped")] * 2
    assert len(upstream.seen) == 1


async def _post(client, server, sent):
    async with client.post(f"{server.url}/v1/chat/completions", json=sent) as response:
        said = await response.json()
        return response.status, said["error"]["code"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_client_that_goes_away_leaves_the_queue(behind, client, stream):
    server, name, upstream = await behind("hang", limits={"debates": 1})
    first = asyncio.create_task(complete(client, server, body(model=f"single:{name}")))
    while not upstream.open:
        await asyncio.sleep(0.01)
    other = body("Other?", model=f"single:{name}", stream=stream, n=2)
    second = asyncio.create_task(complete(client, server, other))
    while server.debates.waiting < 2:
        await asyncio.sleep(0.01)
    second.cancel()
    async with asyncio.timeout(5):
        while server.debates.waiting:
            await asyncio.sleep(0.01)
    assert server.debates.in_progress == 1
    assert len(upstream.seen) == 1  # nothing was asked for it
    first.cancel()
    await settled(server)
    assert {row.status for row in server.lab.store.runs()} == {"stopped"}


async def test_a_debate_that_leaves_the_queue_does_not_stop_the_others_of_its_run(serving):
    server = await serving(limits={"debates": 1})
    done = await server.debates.start(asked(seed=1), replicate=0)
    await done.transcript()
    first = await server.debates.start(asked(model=SLOW), linger=None)
    waiting = await server.debates.start(asked(seed=1), replicate=1)
    never = await server.debates.start(asked(seed=2))
    assert [each.waits for each in (waiting, never)] == [True, True]
    waiting.stop()
    never.stop()
    await settled(server)
    assert waiting.run == done.run
    assert [status(server, each) for each in (first, waiting, never)] == ["done", "done", "stopped"]
