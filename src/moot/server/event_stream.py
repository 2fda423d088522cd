"""Responses that are streams of server-sent events."""

from collections.abc import AsyncGenerator, Callable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


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
        parts: AsyncGenerator[bytes | str],
        headers: dict[str, str] | None = None,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        # The last one has proxies pass on every event at once.
        own = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(parts, headers=own | (headers or {}))
        self._parts, self._on_end = parts, on_end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._on_end()
            await self._parts.aclose()
