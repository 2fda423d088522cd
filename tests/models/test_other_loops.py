"""Programs that embed moot may run on uvloop, whose transports are not asyncio's own."""

import asyncio
import sys

import pytest

from moot import ask
from support.chaos import Chaos

if sys.platform == "win32":
    pytest.skip("there is no uvloop for Windows", allow_module_level=True)
import uvloop


def test_a_debate_on_uvloop(one_key, tmp_path):
    async def debate():
        async with Chaos() as server:
            model = f"{server.url}/ok"
            return await ask("2 + 2?", kind="number", model=model, store=tmp_path)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        answer = runner.run(debate())
    assert (answer.failed, answer.calls) == (None, 6)
