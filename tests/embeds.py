"""An endpoint on loopback that makes embeddings, and keeps to the format or not."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from aiohttp import web

from hubs import serve

USAGE = {"prompt_tokens": 7, "total_tokens": 7}


def vector(text: str) -> list[float]:
    """Two numbers that a text decides."""
    return [float(len(text)), float(text.count("a"))]


class Endpoint:
    """What it answers is set by the tests; ``fails`` are the answers to the next requests."""

    def __init__(self) -> None:
        self.address = ""
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.fails: list[web.Response] = []
        self.delay, self.at_once, self.most = 0.0, 0, 0
        self.shape: Callable[[Any], Any] = lambda data: data

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.seen.append((request.path, dict(request.headers), body))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(self.delay)
        self.at_once -= 1
        if self.fails:
            return self.fails.pop(0)
        data = [{"index": at, "embedding": vector(text)} for at, text in enumerate(body["input"])]
        return web.json_response(self.shape({"data": data, "usage": USAGE}))


@asynccontextmanager
async def endpoint_of() -> AsyncIterator[Endpoint]:
    """One in this event loop."""
    here, app = Endpoint(), web.Application()
    app.router.add_post("/v1/embeddings", here.answer)
    async with serve(app) as here.address:
        yield here


@contextmanager
def endpoint_apart() -> Iterator[Endpoint]:
    """One in a thread of its own, for what runs an event loop itself."""
    found: list[Endpoint] = []
    loop, up, down = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serving() -> None:
        async with endpoint_of() as here:
            found.append(here)
            up.set()
            await down.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serving(),))
    thread.start()
    assert up.wait(10)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(down.set)
        thread.join(10)
        loop.close()
