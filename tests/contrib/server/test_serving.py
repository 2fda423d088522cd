"""How a server begins, how much it takes, and its end."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path
from time import monotonic

import pytest
from click.testing import CliRunner

from moot.cli.main import moot
from moot.contrib.server.config import config_from, with_options
from moot.contrib.server.serving import make_server, open_socket, serve
from moot.core.errors import InputError, StoreError
from moot.ledger.store import Store
from support.server import SLOW, asked, body


async def test_connections_are_so_many(serving, client):
    up = await serving(limits={"connections": 3})
    held = [await asyncio.open_connection("127.0.0.1", up.port) for _ in range(4)]
    async with client.get(f"{up.url}/healthz") as reply:
        assert reply.status == 503
    for _, writer in held:
        writer.close()


async def test_debates_in_progress_end_before_the_server_and_are_kept(serving, tmp_path):
    up = await serving()
    held = await up.debates.start(asked(model=SLOW), linger=None)
    up.server.should_exit = True
    transcript = await held.transcript()
    assert transcript.verdict is not None
    while up.server.started and not up.lab.store._closed:
        await asyncio.sleep(0.01)
    async with Store.open(tmp_path / "store") as store:
        assert store.find_run(held.run).status == "done"
        assert len(list(store.debates(held.row.id))) == 1


async def test_long_debates_are_stopped_and_what_was_paid_is_kept(serving, client, tmp_path):
    up = await serving(limits={"shutdown": 0.2})
    held = await up.debates.start(asked(model=SLOW, rounds=100), linger=None)
    question = body(model=f"society-of-minds:{SLOW}&rounds=100")
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
        assert store.find_run(held.run).status == "stopped"
        assert store.sum_spent(held.row.id).calls >= 3


async def test_another_address_needs_a_token(monkeypatch):
    for host in ("0.0.0.0", "::", "192.168.1.2", "moot.example"):
        with pytest.raises(InputError, match="--token-env"):
            make_server(config_from(), host=host)
    monkeypatch.setenv("OUR_TOKEN", "x" * 20)
    make_server(with_options(config_from(), token_env="OUR_TOKEN"), host="0.0.0.0")
    make_server(config_from(), host="::1")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--host", "0.0.0.0"], "--token-env"),
        (["--host", "0.0.0.0", "--token-env", "NOT_SET_HERE"], "NOT_SET_HERE holds no token"),
        (["none.toml"], "none.toml: No such file"),
        (["--model", "*"], "--model"),
    ],
)
def test_what_is_wrong_with_the_command_is_said(arguments, told):
    result = CliRunner().invoke(moot, ["serve", *arguments])
    assert (result.exit_code, told in result.stderr) == (2, True)
    assert "Traceback" not in result.stderr


async def test_a_port_that_is_taken_is_said():
    with open_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"--port {port}: Address already in use"):
            open_socket("127.0.0.1", port)
    with pytest.raises(InputError, match="--port 99999"):
        open_socket("127.0.0.1", 99999)


@pytest.mark.soak
@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT,), (signal.SIGINT,) * 2])
async def test_a_signal_ends_the_process_cleanly(tmp_path, client, signals):
    program = (
        "from moot.contrib.server.serve import serve; import sys;"
        "serve(['--port', '0', '--store', 'store', '--model', 'simulated/x?latency=0.2'])"
    )
    own = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program), cwd=tmp_path, stderr=-1, env=own
    )
    line = (await process.stderr.readline()).decode()
    url = re.search(r"http://[^/]+", line)[0]
    rounds = 3 if len(signals) == 1 else 100
    question = body(model=f"society-of-minds:simulated/x?latency=0.2&rounds={rounds}")
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
        assert store.sum_spent(run.id).calls >= 3


async def start_and_cancel(tmp_path, config):
    """Let a server begin and be cancelled; what it told."""
    told = []
    serving = asyncio.create_task(serve(config, port=0, store=tmp_path, told=told.append))
    while not (serving.done() or any("store:" in line for line in told)):
        await asyncio.sleep(0.01)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
    open_files = [str(each.resolve()) for each in Path("/proc/self/fd").iterdir()]
    assert not [name for name in open_files if name.startswith(str(tmp_path.resolve()))]
    return told


async def test_a_server_says_which_models_are_not_ready(monkeypatch, tmp_path):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    gateway = {"base": "http://127.0.0.1:9/api", "model": "m"}  # its file describes it
    models = {"openai/gpt-4o-mini": {}, "openai/*": {}, "gateway": gateway, SLOW: {}}
    told = await start_and_cancel(tmp_path, config_from(models=models))
    problems = [line for line in told if "not ready" in line]
    assert len(problems) == 2
    assert "openai/gpt-4o-mini: no key: set the environment variable OPENAI_API_KEY" in problems[0]
    assert "no connection to 127.0.0.1:9" in problems[1]


async def test_a_store_or_a_key_that_cannot_be_read_is_said(tmp_path, caplog):
    (tmp_path / "moot.db").write_text("this is no store, and long enough to be read as none" * 99)
    with pytest.raises(StoreError, match="damaged or no store"):
        await serve(config_from(), port=0, store=tmp_path, told=print)
    (tmp_path / "store" / "people.key").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"people\.key"):
        await serve(config_from(), port=0, store=tmp_path / "store", told=print)
    assert "Traceback" not in caplog.text
