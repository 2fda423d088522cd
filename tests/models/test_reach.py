"""Whether an address answers is found out without a request."""

import socket

import pytest

from moot.core.errors import InputError
from moot.models import endpoint_address
from moot.models.endpoint_address import check_connection
from moot.models.model_names import load
from support.raw_server import Raw


@pytest.fixture
def free() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as own:
        port: int = own.getsockname()[1]
    return port


async def test_an_address_at_which_nothing_listens(free):
    with pytest.raises(InputError, match=f"^x: no connection to 127.0.0.1:{free}: .*refused.*run"):
        await check_connection(f"http://127.0.0.1:{free}/v1", name="x")
    with pytest.raises(InputError, match=f"the proxy 127.0.0.1:{free}"):
        await check_connection("http://moot.invalid/v1", name="x", proxy=f"http://127.0.0.1:{free}")


async def test_an_address_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(endpoint_address, "CONNECT_SECONDS", 0.1)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:  # the queue of connections is full
            each.settimeout(0)
            each.connect_ex(("127.0.0.1", port))
        with pytest.raises(InputError, match="does not answer within"):
            await check_connection(f"http://127.0.0.1:{port}/v1", name="x")
        for each in waiting:
            each.close()


async def test_a_model_checks_key_and_address_and_sends_nothing(monkeypatch, free):
    sent = []

    async def never(peer):
        sent.append(await peer.reader.read())

    async with Raw(never) as server:
        await load(f"http://127.0.0.1:{server.port}/v1/x").check()
        with pytest.raises(InputError, match="set the environment variable NOT_SET_KEY"):
            await load(f"http://127.0.0.1:{server.port}/v1/x?key=NOT_SET_KEY").check()
    assert b"".join(sent) == b""
    with pytest.raises(InputError, match="no connection"):
        await load(f"http://127.0.0.1:{free}/v1/x").check()


@pytest.mark.parametrize("host", ["a..b", "a" * 64 + ".example"])
async def test_a_name_that_no_host_can_have(host):
    with pytest.raises(InputError, match="no host can have this name"):
        await check_connection(f"http://{host}/v1", name="x")
