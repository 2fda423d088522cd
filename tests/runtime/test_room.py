"""How many calls may have a connection: known in advance, learnt from failures, and told once."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from moot.core.errors import ShortageError
from moot.core.ports import Limits
from moot.runtime import room as rooms
from moot.runtime.limiter import Limiter
from moot.runtime.room import Room
from support.raw_server import Peer, Raw

SHORT = ShortageError("no", "no more open files for this process")


async def full(most: int) -> Room:
    room = Room()
    room.most = room.in_flight = most
    return room


def limiter_in(room: Room) -> Limiter:
    limiter = Limiter(Limits)
    limiter.room = room
    return limiter


async def test_a_call_that_gives_up_gives_its_room_back():
    room = await full(1)
    limiter = limiter_in(room)
    waiting = [asyncio.create_task(limiter.enter((0, n), 1)) for n in range(2)]
    await asyncio.sleep(0)
    room.leave()
    waiting[0].cancel()  # its room is there, and it has not seen that yet
    await asyncio.wait(waiting)
    assert waiting[0].cancelled()
    assert room.in_flight == 1


async def test_what_is_known_in_advance(monkeypatch, caplog):
    monkeypatch.setattr(rooms, "count_open_files", lambda: 20)
    monkeypatch.setattr(rooms, "allow", lambda files: min(files, 64))
    room = Room()
    room.expect(256)
    assert room.most == 64 - 20 - rooms.RESERVE
    room.in_flight = room.most
    assert [room.is_full(list) for _ in range(3)] == [True] * 3
    said = "64 open files allowed: 28 calls in flight instead of 256; raise ulimit -n"
    assert [record.getMessage() for record in caplog.records] == [said]


CLIENT = """
import asyncio, json, os, resource, sys
from moot.core.calls import Call, Draw, Message, Sampling
from moot.ledger.store import Store
from moot.models import plain_http
from moot.models.model_names import load
from moot.runtime import room
from moot.runtime.path import CallPath
import encodings.idna

async def ask():
    way, base, known, folder = sys.argv[1:]
    if way == "aiohttp":
        plain_http.fits = lambda base: False
        import aiohttp
    if known == "unknown":
        room.count_open_files = lambda: None
    store, model = Store.open(__import__("pathlib").Path(folder)), load(base + "/m?concurrency=200")
    path = CallPath(store)
    now = len(os.listdir("/dev/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (now + 24, now + 24))

    async def one(number):
        said = (Message("user", str(number)),)
        call = Call(model="m", messages=said, sampling=Sampling(), draw=Draw())
        return (await path.reply(model, call, call.request())).retries

    ends = await asyncio.gather(*map(one, range(300)), return_exceptions=True)
    failed = [str(end) for end in ends if isinstance(end, BaseException)]
    print(json.dumps({"failed": failed, "retries": path.traffic.retries}))
    await model.close()
    await store.close()

asyncio.run(ask())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
@pytest.mark.parametrize(
    ("way", "known"),
    [
        ("direct", "known"),
        ("direct", "unknown"),
        pytest.param("aiohttp", "known", marks=pytest.mark.soak),
        pytest.param("aiohttp", "unknown", marks=pytest.mark.soak),
    ],
)
async def test_few_open_files_fail_no_call(way, known, tmp_path):
    """200 in flight, 24 free files: known in advance, or learnt from the failures alone."""
    body = b'{"choices": [{"message": {"content": "4"}}]}'

    async def handler(peer: Peer) -> None:
        while True:
            await peer.request()
            await asyncio.sleep(0.01)
            await peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

    async with Raw(handler) as server:
        client = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", CLIENT, way, server.base, known, str(tmp_path / "store")),
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        told, said = await asyncio.wait_for(client.communicate(), 60)
    assert json.loads(told or b"null") == {"failed": [], "retries": 0}, said.decode()
    lines = [line for line in said.decode().splitlines() if "calls in flight instead of" in line]
    assert len(lines) == 1
    assert lines[0].endswith("calls in flight instead of 200; raise ulimit -n")


async def test_the_most_urgent_waiting_call_goes_first_and_endpoints_take_turns():
    async def order(limiters, calls):
        went = []

        async def enter(name, urgency):
            await limiters[name].enter(urgency, 1)
            went.append((name, urgency))

        tasks = [asyncio.create_task(enter(*call)) for call in calls]
        await asyncio.sleep(0)
        for _ in calls:
            room.leave()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)
        return went

    room = await full(1)
    limiters = {name: limiter_in(room) for name in "ab"}
    went = await order(limiters, [("a", (0, 2)), ("a", (-1, 9)), ("a", (0, 1))])
    assert [urgency for _, urgency in went] == [(-1, 9), (0, 1), (0, 2)]
    went = await order(limiters, [(name, (0, 0)) for name in "aaabbb"])
    assert "".join(name for name, _ in went) in {"ababab", "bababa"}


async def test_a_shortage_lowers_what_is_in_flight_and_calm_raises_it(monkeypatch):
    room = await full(8)
    assert room.shrink(SHORT, []) is not None
    room.leave()
    assert (room.most, room.is_full(list)) == (7, True)
    monkeypatch.setattr(rooms, "_CALM", -2.0)
    room.leave()
    assert room.most == 8
    alone, met = await full(1), []
    assert alone.shrink(SHORT, met) is not None
    monkeypatch.setattr(rooms, "PATIENCE", -1.0)
    assert alone.shrink(SHORT, met) is None  # it does not wait for ever
    assert alone.most == 1
