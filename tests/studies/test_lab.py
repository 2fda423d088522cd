"""A missing key, address or price is told once, before any call; a laboratory closes its store."""

import asyncio
import socket

import pytest

import moot
from moot.core.errors import InputError
from moot.studies.lab import open_lab
from support.chaos import Chaos


@pytest.fixture
def free() -> str:
    """An address at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as own:
        return f"http://127.0.0.1:{own.getsockname()[1]}/v1"


def study(*models, **more):
    arms = [{"protocol": "single", "name": f"arm {n}", "model": m} for n, m in enumerate(models)]
    return {"name": "ready", "datasets": [{"name": "arithmetic", "n": 4}], "arms": arms} | more


async def test_all_that_is_missing_is_told_before_the_first_call(tmp_path, free, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with Chaos() as server:
        models = (f"{server.url}/ok", "openai/gpt-4o-mini", f"{free}/nobody")
        with pytest.raises(InputError) as caught:
            await moot.run(study(*models), store=tmp_path)
        lines = str(caught.value).splitlines()
        assert len(lines) == 3
        assert "set the environment variable OPENAI_API_KEY" in lines[0]
        assert f"{free}/nobody: no connection to 127.0.0.1" in lines[1]
        assert (lines[2], server.seen) == ("nothing was called", [])


async def test_a_replay_needs_no_key_and_no_server(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOT_API_KEY", "sk-some-key")
    async with Chaos() as server:
        model = f"{server.url}/ok?key=MOOT_API_KEY"
        first = await moot.run(study(model), store=tmp_path)
        one = await moot.ask("Is 7 prime?", model=model, protocol="single", store=tmp_path)
    monkeypatch.delenv("MOOT_API_KEY")
    again = await moot.run(study(model), store=tmp_path)
    assert (again.done, again.failed) == (first.done, 0) == (4, 0)
    replayed = await moot.ask("Is 7 prime?", model=model, protocol="single", store=tmp_path)
    assert replayed.text == one.text
    with pytest.raises(InputError, match="set the environment variable MOOT_API_KEY"):
        await moot.ask("Is 8 prime?", model=model, protocol="single", store=tmp_path)


async def test_a_cap_on_cost_finds_a_missing_price_before_anyone_is_asked(tmp_path):
    async with Chaos() as server:
        priced, other = f"{server.url}/ok", f"{server.url}/okay"
        agents = [{"model": priced}, {"model": other}]
        prices = {priced: moot.Price(1.0, 1.0)}
        how = {"agents": agents, "store": tmp_path, "prices": prices}
        how["budget"] = moot.Budget(cost=1.0)
        with pytest.raises(InputError, match=f"that of {other} is unknown: state it with --price"):
            await moot.ask("Is 7 prime?", **how)
        assert server.seen == []
        prices[other] = moot.Price(2.0, 2.0)
        assert (await moot.ask("Is 7 prime?", **how)).cost > 0
        with pytest.raises(InputError, match="expected a moot"):
            await moot.ask("Is 7 prime?", model=priced, store=tmp_path, prices={priced: 2.0})


def test_a_laboratory_writes_what_is_queued_though_its_task_is_cancelled(tmp_path):
    """As a signal does that finds the loop busy: the cancellation waits for the next ``await``."""
    opened = []

    async def work():
        async with open_lab(tmp_path) as lab:
            opened.append(lab)
            run = await lab.begin_run("sums-1", "sums", b"{}")
            lab.store.set_status(run.id, "stopped", wait=False)
            asyncio.current_task().cancel()

    with pytest.raises(asyncio.CancelledError), asyncio.Runner() as runner:
        runner.run(work())
    assert "it is closed" in str(opened[0].store.writer.ended)
