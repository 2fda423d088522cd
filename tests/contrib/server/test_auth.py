"""Who may ask, by which name, from where, and how much."""

import asyncio
import base64
import gzip
from contextlib import suppress
from io import BytesIO

import pytest

from moot.contrib.server.auth import HEADERS
from support.server import page_of

TOKEN = "a-token-of-some-length"
OTHER = "another-token-of-length"
QUESTION = {"model": "single:simulated/crowd", "messages": [{"role": "user", "content": "2 + 2?"}]}


@pytest.fixture
def tokens(monkeypatch, tmp_path):
    """Two clients, the table for a server's file."""
    monkeypatch.setenv("ALICES_TOKEN", TOKEN)
    (tmp_path / "bobs").write_text(f"{OTHER}\n")
    return {"alice": {"token_env": "ALICES_TOKEN"}, "bob": {"token_file": str(tmp_path / "bobs")}}


def basic(password: str) -> str:
    return "Basic " + base64.b64encode(f"anyone:{password}".encode()).decode()


RIGHT = (f"Bearer {TOKEN}", f"bearer  {OTHER} ", basic(OTHER))
WRONG = (
    *(None, "", "Bearer", "Bearer ", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", TOKEN),
    *(f"Bearer {TOKEN.upper()}", f"Token {TOKEN}", "Basic %%%", "Basic é", "Bearer é"),
    *(basic(""), basic("x"), "Basic " + base64.b64encode(TOKEN.encode()).decode()),
)


@pytest.mark.parametrize("given", WRONG)
async def test_a_token_opens_and_nothing_else_does(serving, client, tokens, given):
    server = await serving(clients=tokens)
    for right in RIGHT:
        await page_of(client, f"{server.url}/metrics", headers={"Authorization": right})
    headers = {} if given is None else {"Authorization": given}
    for path in ("/", "/metrics", "/nowhere", "/v1/models", "/healthz/"):
        async with client.get(server.url + path, headers=headers) as reply:
            assert (reply.status, TOKEN in await reply.text()) == (401, False)
            scheme = reply.headers["WWW-Authenticate"].partition(" ")[0]
            assert scheme == ("Bearer" if path.startswith("/v1") else "Basic")
    url = f"{server.url}/v1/chat/completions"
    async with client.post(url, json=QUESTION, headers=headers) as reply:
        assert (reply.status, (await reply.json())["error"]["code"]) == (401, "invalid_api_key")
    await page_of(client, f"{server.url}/healthz", headers=headers)


HOSTS = {
    200: ("127.0.0.1:{port}", "127.0.0.1", "localhost:{port}", "LocalHost", "127.0.0.2",
          "[::1]:{port}", "moot.example"),
    421: ("evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example",
          "192.168.0.1", "0.0.0.0", ""),
}  # fmt: skip


async def test_on_loopback_only_names_of_this_machine_are_served(serving, client):
    server = await serving(hosts=["moot.example"])
    for status, host in ((status, host) for status, hosts in HOSTS.items() for host in hosts):
        headers = {"Host": host.format(port=server.port)}
        await page_of(client, f"{server.url}/healthz", status, headers=headers)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "{url}"}, 200),
        ({"Origin": "{url}", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "{url}", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
async def test_pages_of_others_do_not_ask(serving, client, headers, status):
    server = await serving()
    headers = {name: value.format(url=server.url) for name, value in headers.items()}
    url = f"{server.url}/v1/chat/completions"
    async with client.post(url, json=QUESTION, headers=headers) as reply:
        assert reply.status == status
    assert server.lab.path.traffic.calls == (status == 200)


async def test_every_response_says_what_it_is_allowed(serving, client):
    server = await serving()
    for path in ("/", "/healthz", "/metrics", "/nowhere", "/v1/models", "/v1/nowhere"):
        async with client.get(server.url + path) as reply:
            for name, value in HEADERS.items():
                assert reply.headers.getall(name) == [value]
            assert "Cache-Control" in reply.headers
            assert "Server" not in reply.headers
            text = await reply.text()
            if path.endswith("nowhere"):  # it is said in the form of who asks
                assert reply.status == 404
                assert ('"not_found"' if "v1" in path else "no such page") in text


async def parts(size, each=1024):
    for _ in range(size // each):
        yield b"x" * each


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_has_so_many_bytes(serving, client, chunked):
    server = await serving(limits={"body": 64 << 10})
    url = f"{server.url}/v1/chat/completions"
    for size, status in ((64 << 10, 400), (128 << 10, 413), (8 << 20, 413)):
        body = parts(size) if chunked else BytesIO(b"x" * size)
        try:
            async with client.post(url, data=body) as reply:
                assert reply.status == status
                assert "error" in await reply.json()
        except OSError:
            assert size == 8 << 20  # closed while it was still being sent


async def raw(server, sent: bytes, *, end: bool = False) -> bytes:
    """What the server says to these bytes until it closes, or for two seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(sent)
    if end:
        writer.write_eof()
    said = b""
    with suppress(TimeoutError):
        async with asyncio.timeout(2):
            while part := await reader.read(65536):
                said += part
    writer.close()
    return said


HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


async def test_what_is_packed_cut_off_or_for_two_names_costs_nothing(serving, client):
    server = await serving()
    text = await raw(server, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\n\r\n")
    assert text.split()[1] in {b"400", b"421"}
    assert await raw(server, HEAD + b"Content-Length: 100\r\n\r\nhello", end=True) == b""
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    url, body = f"{server.url}/v1/chat/completions", gzip.compress(bytes(50 << 20))
    async with client.post(url, data=body, headers=headers) as reply:
        assert reply.status == 415
        assert "without Content-Encoding" in (await reply.json())["error"]["message"]
    assert server.lab.path.traffic.calls == 0


@pytest.mark.parametrize("length", [b"-1", b"+5", b"1e3", b"9" * 30, b"0x10", "٣".encode(), b""])
async def test_a_length_that_is_none_is_refused(serving, length):
    server = await serving(limits={"idle": 0.5})
    said = await raw(server, HEAD + b"Content-Length: " + length + b"\r\n\r\nhello")
    assert said.split()[1] in {b"400", b"413"}


async def test_a_mistake_is_told_and_logged_without_quoting(serving, client, caplog):
    server = await serving()
    del server.app.state.measures
    async with client.get(f"{server.url}/metrics") as reply:
        assert reply.status == 500
        assert "Traceback" not in await reply.text()
    assert "AttributeError at" in caplog.text
    assert all(record.exc_info is None for record in caplog.records)
    server.app.state.measures = None
