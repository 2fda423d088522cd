"""The misbehaving server as a process of its own."""

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

from moot.core.errors import TransientError
from moot.models.model_names import load
from support import chaos
from support.http_calls import a_call


async def test_it_logs_every_request_before_it_answers(tmp_path):
    port, log = tmp_path / "port", tmp_path / "log"
    options = ["--port-file", port, "--log", log, "--latency", "0.01"]
    server = await asyncio.create_subprocess_exec(sys.executable, Path(chaos.__file__), *options)
    try:
        for _ in range(500):
            if port.exists():
                break
            await asyncio.sleep(0.02)
        model = load(f"http://127.0.0.1:{port.read_text()}/v1/resetx1")
        failures = 0
        for text in ("one", "one", "two", "two"):
            try:
                await model.reply(a_call(text, seed=7))
            except TransientError:
                failures += 1
        await model.close()
        entries = [json.loads(line) for line in log.read_text().splitlines()]
    finally:
        server.kill()
        await server.wait()
    assert failures == 2
    assert [entry["attempt"] for entry in entries] == [0, 1, 0, 1]
    assert [entry["did"] for entry in entries] == ["reset", "", "reset", ""]
    assert len({entry["identity"] for entry in entries}) == 2
    assert {entry["seed"] for entry in entries} == {
        a_call(text, seed=7).seed() for text in ("one", "two")
    }


async def test_a_storm_is_the_same_every_time():
    async def weather() -> list[str]:
        async with chaos.Chaos() as server:
            model = load(f"{server.url}/storm=0.4")
            for number in range(60):
                with suppress(TransientError):
                    await model.reply(a_call(str(number)))
            await model.close()
            return [entry["did"] for entry in server.seen]

    first = await weather()
    assert await weather() == first
    assert 10 < sum("+" in did for did in first) < 40
