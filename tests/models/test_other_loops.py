"""Programs that embed moot may run on uvloop, whose transports are not asyncio's own."""

import asyncio
import inspect
import sys

import pytest

from models import test_plain_http
from moot import ask
from support.chaos import Chaos

if sys.platform == "win32":
    pytest.skip("there is no uvloop for Windows", allow_module_level=True)
import uvloop

TOO_EARLY = "test_a_call_cancelled_as_its_response_comes"
"""Gives a response before uvloop has written the request, which then gets a second one."""
ALONE = {
    name: test
    for name, test in vars(test_plain_http).items()
    if name.startswith("test_")
    and name != TOO_EARLY
    and inspect.iscoroutinefunction(test)
    and not inspect.signature(test).parameters
}


@pytest.mark.parametrize("name", ALONE)
def test_what_holds_on_asyncio_holds_on_uvloop(name):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(ALONE[name]())


def test_a_debate_on_uvloop(one_key, tmp_path):
    async def debate():
        async with Chaos() as server:
            model = f"{server.url}/ok"
            return await ask("2 + 2?", kind="number", model=model, store=tmp_path)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        answer = runner.run(debate())
    assert (answer.failed, answer.calls) == (None, 6)
