"""Connections that go slowly, and the server's end."""

import asyncio
import os
import re
import signal
import socket
import sys
from time import monotonic

import pytest

from moot.core.errors import InputError, StoreError
from moot.ledger.store import Store
from moot.server.config import of, owner
from moot.server.serving import listen, serve, server
from moot.studies.prepared import prepare

SLOW = "simulated/slow?latency=0.05"


def slow(seed=0, rounds=2):
    settings = {"model": SLOW, "agents": 3, "rounds": rounds, "seed": seed}
    return prepare("What is 3 + 4?", protocol="society-of-minds", settings=settings)


async def closes(up, sent=b"", *, then=b"", every=0.05, within=3.0) -> tuple[float, bytes]:
    """After how long the server closes a connection that sends this, and what it said."""
    reader, writer = await asyncio.open_connection("127.0.0.1", up.port)
    began, said = monotonic(), b""

    async def drip():
        while then:
            await asyncio.sleep(every)
            writer.write(then)
            await writer.drain()

    dripping = asyncio.create_task(drip())
    writer.write(sent)
    try:
        async with asyncio.timeout(within):
            while part := await reader.read(65536):
                said += part
    except ConnectionError:
        pass
    finally:
        dripping.cancel()
        await asyncio.gather(dripping, return_exceptions=True)
        writer.close()
    return monotonic() - began, said


@pytest.mark.parametrize(
    ("sent", "then"),
    [
        (b"", b""),
        (b"GET /heal", b""),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b""),
        (b"GET /healthz HTTP/1.1\r\n", b"X: y\r\n"),
        (b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n", b"x"),
    ],
)
async def test_a_request_that_does_not_come_is_not_waited_for(serving, sent, then):
    up = await serving(limits={"idle": 0.3})
    seconds, _ = await closes(up, sent, then=then)
    assert 0.2 < seconds < 1.5


async def test_an_idle_connection_is_closed(serving):
    up = await serving(limits={"idle": 0.3})
    seconds, said = await closes(up, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 200")
    assert 0.2 < seconds < 1.5


async def test_a_long_reply_is_no_idle_connection(serving, client):
    up = await serving(limits={"idle": 0.2}, models=["simulated/x?latency=0.4"])
    question = {
        "model": "single:simulated/x?latency=0.4",
        "messages": [{"role": "user", "content": "2 + 2?"}],
    }
    async with client.post(f"{up.url}/v1/chat/completions", json=question) as reply:
        assert reply.status == 200


async def test_headers_have_so_many_bytes(serving):
    up = await serving(limits={"head": 4096})
    long = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 8192
    _, said = await closes(up, long)
    assert said.split()[1] == b"400"
    _, said = await closes(up, long + b"\r\n\r\n")
    assert said.split()[1] == b"400"


async def test_what_comes_around_a_body_has_so_many_bytes(serving):
    up = await serving(limits={"head": 4096})
    head = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
    for endless in (b"0\r\n" + b"X: y\r\n" * 2000, b"1;" + b"y" * 9000):
        seconds, _ = await closes(up, head + endless)
        assert seconds < 1


GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def posted(question: str) -> bytes:
    """A request for an answer that takes 0.3 s."""
    body = b'{"model": "single:simulated/x?latency=0.3", "messages": [{"role": "user", "content": '
    body += b'"%s"}]}' % question.encode()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


async def test_requests_that_come_together_are_answered_in_turn(serving):
    up = await serving(limits={"idle": 0.2}, models=["simulated/x?latency=0.3"])
    _, said = await closes(up, posted("2 + 2?") + posted("2 + 3?") + GET)
    assert said.count(b"HTTP/1.1 200 OK") == 3


async def test_requests_do_not_pile_up(serving):
    up = await serving(limits={"idle": 5}, models=["simulated/x?latency=0.3"])
    seconds, said = await closes(up, posted("2 + 2?") + GET * 200)
    assert seconds < 0.3
    assert not said


async def test_a_refusal_is_not_taken_for_the_reply_to_another_request(serving):
    up = await serving(limits={"idle": 5}, models=["simulated/x?latency=0.3"])
    _, said = await closes(up, posted("2 + 2?") + b"\0 no request\r\n\r\n")
    assert not said


async def test_trailers_are_no_headers(serving):
    up = await serving(limits={"idle": 0.2})
    head = (
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    )
    _, said = await closes(up, head + b"\r\n2\r\n{}\r\n0\r\nHost: elsewhere\r\n\r\n")
    assert b"'model'" in said or b'"model"' in said
    assert said.split()[1] == b"400"


async def test_whoever_reads_slowly_gets_it_all(serving):
    from starlette.responses import Response
    from starlette.routing import Route

    up = await serving(limits={"idle": 0.2})
    long = Response(b"x" * (12 << 20))
    up.app.router.routes.append(Route("/long", lambda _: long))
    reader, writer = await asyncio.open_connection("127.0.0.1", up.port, limit=4096)
    writer.write(b"GET /long HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    read, began = 0, monotonic()
    while part := await reader.read(1 << 20):
        read += len(part)
        if monotonic() - began < 0.6:
            await asyncio.sleep(0.02)
    writer.close()
    assert read > 12 << 20
    assert monotonic() - began > 0.4


async def test_whoever_does_not_read_is_let_go(serving):
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    ended = asyncio.Event()

    async def endless():
        try:
            while True:
                yield b"x" * 65536
                await asyncio.sleep(0)  # to whoever has gone, sending does not wait
        finally:
            ended.set()

    up = await serving(limits={"idle": 0.3})
    up.app.router.routes.append(Route("/endless", lambda _: StreamingResponse(endless())))
    with socket.create_connection(("127.0.0.1", up.port)) as lazy:
        lazy.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(5):
            await ended.wait()


async def test_connections_are_so_many(serving, client):
    up = await serving(limits={"connections": 3})
    held = [await asyncio.open_connection("127.0.0.1", up.port) for _ in range(4)]
    async with client.get(f"{up.url}/healthz") as reply:
        assert reply.status == 503
    for _, writer in held:
        writer.close()


async def test_a_server_that_stops_answers_what_was_asked(serving, client):
    up = await serving(limits={"shutdown": 5})
    question = {
        "model": f"society-of-minds:{SLOW}",
        "messages": [{"role": "user", "content": "2 + 2?"}],
    }
    async with client.post(f"{up.url}/v1/chat/completions", json=question) as reply:
        assert reply.status == 200
    up.server.should_exit = True


async def test_debates_in_progress_end_before_the_server_and_are_kept(serving, tmp_path):
    up = await serving()
    held = await up.debates.start(slow(), linger=None)
    up.server.should_exit = True
    transcript = await held.transcript()
    assert transcript.verdict is not None
    while up.server.started and not up.lab.store._closed:
        await asyncio.sleep(0.01)
    async with Store.open(tmp_path / "store") as store:
        assert store.run_named(held.run).status == "done"
        assert len(list(store.debates(held.row.id))) == 1


async def test_debates_that_take_too_long_are_stopped_and_what_was_paid_is_kept(
    serving, client, tmp_path
):
    up = await serving(limits={"shutdown": 0.2})
    held = await up.debates.start(slow(rounds=100), linger=None)
    question = {
        "model": f"society-of-minds:{SLOW}&rounds=100",
        "messages": [{"role": "user", "content": "2 + 2?"}],
    }
    asking = asyncio.create_task(client.post(f"{up.url}/v1/chat/completions", json=question))
    await asyncio.sleep(0.2)
    began = monotonic()
    up.server.should_exit = True
    async with await asking as reply:
        assert reply.status == 503
        assert "the server stopped" in await reply.text()
    while not up.lab.store._closed:
        await asyncio.sleep(0.01)
    assert monotonic() - began < 2
    async with Store.open(tmp_path / "store") as store:
        assert store.run_named(held.run).status == "stopped"
        assert store.spent(held.row.id).calls >= 3


async def test_another_address_needs_a_token(monkeypatch):
    for host in ("0.0.0.0", "::", "192.168.1.2", "moot.example"):
        with pytest.raises(InputError, match="--token-env"):
            server(of(), host=host)
    monkeypatch.setenv("OUR_TOKEN", "x" * 20)
    server(owner(of(), token_env="OUR_TOKEN"), host="0.0.0.0")
    server(of(), host="::1")


async def test_a_port_that_is_taken_is_said():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"--port {port}: Address already in use"):
            listen("127.0.0.1", port)
    with pytest.raises(InputError, match="--port 99999"):
        listen("127.0.0.1", 99999)


async def test_a_store_that_cannot_be_opened_is_said(tmp_path, caplog):
    (tmp_path / "moot.db").write_text("this is no store, and long enough to be read as none" * 99)
    with pytest.raises(StoreError, match="damaged or no store"):
        await serve(of(), port=0, store=tmp_path, told=print)
    assert "Traceback" not in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT,) * 2])
async def test_a_signal_ends_the_process_cleanly(tmp_path, client, signals):
    program = (
        "from moot.cli.serve import serve; import sys;"
        "serve(['--port', '0', '--store', 'store', '--model', 'simulated/x?latency=0.2'])"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program),
        cwd=tmp_path,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr
    line = (await process.stderr.readline()).decode()
    url = re.search(r"http://[^/]+", line)[0]
    rounds = 3 if len(signals) == 1 else 100
    question = {
        "model": f"society-of-minds:simulated/x?latency=0.2&rounds={rounds}",
        "messages": [{"role": "user", "content": "2 + 2?"}],
    }
    asking = asyncio.create_task(client.post(f"{url}/v1/chat/completions", json=question))
    paid = 0.0
    while paid < 3:
        async with client.get(f"{url}/metrics") as reply:
            paid = float(re.search(r"\nmoot_calls_total (\S+)", await reply.text())[1])
    for each in signals:
        process.send_signal(each)
        await asyncio.sleep(0.2)
    async with await asking as reply:
        assert reply.status == (200 if len(signals) == 1 else 503)
    async with asyncio.timeout(5):
        assert await process.wait() == 0
    assert b"Traceback" not in await process.stderr.read()
    async with Store.open(tmp_path / "store") as store:
        (run,) = store.runs()
        assert run.status == ("done" if len(signals) == 1 else "stopped")
        assert store.spent(run.id).calls >= 3
