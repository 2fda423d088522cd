"""Responses that are streams of server-sent events."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import msgspec
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

QUIET = 10.0
"""Seconds without an event after which a comment shows that the connection is alive."""
ALIVE = b": the debate goes on\n\n"


class EventStream(StreamingResponse):
    """A stream of server-sent events. It ends when its client disconnects.

    Args:
        parts: the encoded events; the generator is closed when the stream ends.
        headers: further response headers.
        on_end: is called when the stream ends, also if no event was sent.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        parts: AsyncGenerator[bytes],
        headers: dict[str, str] | None = None,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        # The last one has proxies pass on every event at once.
        own = {"cache-control": "no-store", "x-accel-buffering": "no"}
        self._parts, self._on_end = _add_comments(parts), on_end
        super().__init__(self._parts, headers=own | (headers or {}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()
            await self._parts.aclose()


def encode_event(data: object, *, name: str = "", number: int | None = None) -> bytes:
    """Return an event with its data in JSON, its name, and its number as its id."""
    head = "" if number is None else f"id: {number}\n"
    head += f"event: {name}\n" if name else ""
    return b"%bdata: %b\n\n" % (head.encode(), msgspec.json.encode(data))


async def _add_comments(parts: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield the parts, and a comment after each time without one; close them at the end."""
    part = asyncio.ensure_future(anext(parts, None))
    try:
        while True:
            await asyncio.wait([part], timeout=QUIET)
            if not part.done():
                yield ALIVE
            elif (event := part.result()) is None:
                return
            else:
                yield event
                part = asyncio.ensure_future(anext(parts, None))
    finally:
        part.cancel()
        await asyncio.gather(part, return_exceptions=True)
        await parts.aclose()
