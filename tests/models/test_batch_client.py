"""The client of the files and batches API, against the server of the same."""

import msgspec
import pytest

from moot.core.errors import AccessError, ModelError, NotFoundError
from moot.models import batch_client
from moot.models.batch_client import BatchClient
from moot.models.scripted import Scripted
from support.batch_server import CHAT_URL, BatchServer

SECRET = "sk-never-to-be-seen-0123456789"


@pytest.fixture
def calls(tmp_path):
    body = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}]}
    made = {"custom_id": "a", "method": "POST", "url": CHAT_URL, "body": body}
    (tmp_path / "calls.jsonl").write_bytes(msgspec.json.encode(made) + b"\n")
    return tmp_path / "calls.jsonl"


def serve(**options):
    return BatchServer(Scripted(lambda _: "4"), **options)


def client_of(server, key=SECRET):
    return BatchClient("m", server.base, {"Authorization": f"Bearer {key}"})


async def test_a_batch_is_found_by_its_key_on_any_page(calls, monkeypatch):
    monkeypatch.setattr(batch_client, "_PAGE", 2)
    async with serve() as server, client_of(server) as client:
        file = await client.upload(calls)
        made = [(await client.create(file, CHAT_URL, f"k-{n}")).id for n in range(5)]
        assert [(await client.find(f"k-{n}")).id for n in range(5)] == made
        assert await client.find("k-5") is None


async def test_refusals_are_errors_without_the_key(calls):
    async with serve(key="sk-right") as server, client_of(server) as client:
        with pytest.raises(AccessError) as caught:
            await client.upload(calls)
        assert SECRET not in str(caught.value)
    async with serve() as server, client_of(server) as client:
        with pytest.raises(NotFoundError):
            await client.retrieve("batch_0")


async def test_a_server_that_is_gone_is_asked_again_and_then_an_error(calls, monkeypatch):
    monkeypatch.setattr(batch_client, "_PAUSES", (0.0, 0.0))
    async with serve() as server:
        client = client_of(server)
    async with client:
        with pytest.raises(ModelError, match="POST /files: ClientConnectorError") as caught:
            await client.upload(calls)
    assert SECRET not in repr(caught.value.__context__) + repr(caught.value.__cause__)
