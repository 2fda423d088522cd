"""``moot run --batch`` as a user has it, with a server of the batches API beside it."""

import asyncio
import json
import threading

import pytest

from moot.core.calls import Reply
from moot.models.scripted import Scripted
from moot.studies import sent_batches
from support.batch_server import BatchServer
from support.commands import printed, refused

FOUR = Reply(text="Final answer: 4", prompt_tokens=50, completion_tokens=7)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(sent_batches, "SOON", 0.0)


@pytest.fixture
def server():
    """A server in a thread of its own."""
    loop, begun, running = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    made = BatchServer(Scripted(lambda _: FOUR))

    async def serve():
        async with made:
            begun.set()
            await running.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert begun.wait(10)
    yield made
    loop.call_soon_threadsafe(running.set)
    thread.join()
    loop.close()


@pytest.fixture
def small(tmp_path, server):
    data = '[[datasets]]\nname = "arithmetic"\nn = 3\n'
    arm = '[[arms]]\nprotocol = "society-of-minds"\nagents = 2\nrounds = 2\n'
    head = f'name = "small"\n[settings]\nmodel = "{server.base}/llama"\n'
    (tmp_path / "small.toml").write_text(head + data + arm)


def test_a_run_is_taken_up_again_until_it_is_done(moot, small, server):
    """One of its twelve calls goes by itself: the first of their kind."""
    code, out, _ = moot("run", "small.toml", "--yes", "--batch")
    assert code == 6
    assert "5 calls wait for a batch" in out
    assert f"{server.base}/llama: batch_" in out
    out = printed(moot("show", "small"))
    assert f"{server.base}/llama: batch_00000002, since 20" in out
    assert "(validating when last seen): 5 calls" in out
    err = refused(moot("run", "small.toml", "--yes"))
    assert "--batch goes on with them, --batch-cancel ends them; nothing was called" in err
    code, told = 6, {}
    while code == 6:
        code, out, _ = moot("run", "small.toml", "--yes", "--batch", "--json")
        told = json.loads(out)
    assert (code, told["done"], told["failed"], told["waiting"]) == (0, 3, 0, {})
    assert (len(server.batches), len(server.direct)) == (2, 1)
    [arm] = told["results"]["arms"]
    assert (arm["calls"], arm["batched"]) == (12, 11)
    code, out, _ = moot("show", "small")
    assert "11 of 12 replies came in batches\n" in out
    assert "batch_" not in out


def test_files_are_not_cancelled(moot, small):
    err = refused(moot("run", "small.toml", "--batch-cancel", "--batch", "a.jsonl"))
    assert "not of files" in err
