"""Debates that a test's server holds."""

import asyncio
from contextlib import aclosing

from moot.studies.ask import plan_question

MODEL = "simulated/crowd"
SLOW = "simulated/slow?latency=0.05"
CALLS = 6


def asked(question="What is 3 + 4?", **settings):
    given = {"model": MODEL, "agents": 3, "rounds": 2, **settings}
    return plan_question(question, protocol="society-of-minds", settings=given, kind="number")


async def told(held):
    async with aclosing(held.events()) as events:
        return [event async for event in events]


async def settled(server):
    """Nothing is in progress and all is written."""
    async with asyncio.timeout(5):
        while server.debates.live:
            await asyncio.sleep(0.005)
    await server.lab.store.flush()


def status(server, held):
    return server.lab.store.run_named(held.run).status
