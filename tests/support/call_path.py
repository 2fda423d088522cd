"""What tests of the call path have in common: calls, callers, and a model that counts."""

import asyncio

import moot
from moot.core.calls import Call, Draw, Message, Reply, identity
from moot.ledger.store import Store
from moot.runtime.budget import CallNeed, EstimateNeed
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry

QUICK = Retry(attempts=4, first=0.001)


def a_call(text: str = "hello", seat: int = 0) -> Call:
    return Call(model="scripted/script", messages=(Message("user", text),), draw=Draw(0, seat))


async def ask(path: CallPath, model: moot.Model, call: Call, **urgency) -> Reply:
    return await path.reply(model, call, call.request(), **urgency)


async def found(store: Store, call: Call) -> Reply | None:
    return await store.find(identity(call.request(), call.draw))


def exactly(tokens: int, cost: float) -> CallNeed:
    return CallNeed(tokens, cost, tokens, cost, tokens, cost)


def taking(tokens: int, cost: float) -> EstimateNeed:
    return lambda: exactly(tokens, cost)


class Speaker:
    """A script that counts what it is asked and answers when it is let."""

    def __init__(self, *fates) -> None:
        self.asked: list[Call] = []
        self.open = asyncio.Event()
        self.open.set()
        self.fates = list(fates)

    async def __call__(self, call: Call):
        self.asked.append(call)
        await self.open.wait()
        return self.fates.pop(0) if self.fates else f"to {call.messages[0].content}"


async def until(condition) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)
