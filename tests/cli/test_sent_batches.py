"""``moot run --batch`` as a user has it, with a server of the batches API beside it."""

import asyncio
import json
import threading

import pytest

from moot.core.calls import Reply
from moot.models.batch_server import BatchServer
from moot.models.scripted import Scripted
from moot.studies import sent_batches

FOUR = Reply(text="Final answer: 4", prompt_tokens=50, completion_tokens=7)


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
    (tmp_path / "small.toml").write_text(f"""
name = "small"
[settings]
model = "{server.base}/llama"
[[datasets]]
name = "arithmetic"
n = 3
[[arms]]
protocol = "society-of-minds"
agents = 2
rounds = 2
""")


def test_a_run_is_taken_up_again_until_it_is_done(moot, small, server):
    code, out, _ = moot("run", "small.toml", "--yes", "--batch")
    assert code == 6
    assert "6 calls wait for a batch" in out
    assert f"{server.base}/llama: batch_" in out
    codes = [code]
    while code == 6 and len(codes) < 20:
        code, out, _ = moot("run", "small.toml", "--yes", "--batch", "--json")
        codes.append(code)
    told = json.loads(out)
    assert (code, told["done"], told["failed"], told["waiting"]) == (0, 3, 0, {})
    assert len(server.batches) == 2


def test_a_run_that_waits_needs_one_command(moot, small, server, monkeypatch):
    monkeypatch.setattr(sent_batches, "SOON", 0.05)
    code, out, _ = moot("run", "small.toml", "--yes", "--batch-wait", "--limit", "1", "--json")
    assert (code, json.loads(out)["done"]) == (0, 1)
    assert len(server.batches) == 2


def test_an_endpoint_that_cannot_be_asked_is_told_without_a_traceback(moot, tmp_path):
    (tmp_path / "small.toml").write_text("""
name = "small"
[settings]
model = "openai/gpt-4o-mini"
[[datasets]]
name = "arithmetic"
n = 1
[[arms]]
protocol = "single"
""")
    code, out, err = moot("run", "small.toml", "--yes", "--batch")
    assert code == 2
    assert "OPENAI_API_KEY" in err
    assert "Traceback" not in out + err
