"""A connection of a client: uvicorn's, with limits to how slowly and how wordily it may go."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TOO_LONG = "The request's line and headers are too long."
_FRAMING = 8
"""Bytes around the body, such as the lengths of its chunks, for each byte of it."""


class Connection(HttpToolsProtocol):
    """A connection that is closed where nothing whole comes, or nothing is read, for a while.

    uvicorn itself waits without end for the first byte, for the next one of a header, and for
    whoever does not read what it asked for; and it keeps headers and trailers of any length.
    """

    head = 16 << 10
    """Bytes that a request's line, headers and trailers may have together."""

    _asking: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _beside = 0
    """Bytes of this request that are no part of its body; those in the parser's hands included."""
    _body = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop_waiting()
        self._is_read()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in what comes, unless it is too much that is no body."""
        self._beside += len(data)
        super().data_received(data)
        if self._beside > self.head + _FRAMING * self._body and not self.transport.is_closing():
            if self.cycle is None or self.cycle.response_complete:
                self.send_400_response(_TOO_LONG)
            else:
                self.transport.close()

    def on_headers_complete(self) -> None:
        """Wait no longer for a request once it is there. A ``ValueError`` refuses it with 400."""
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > self.head:
            raise ValueError(_TOO_LONG)
        self._stop_waiting()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Tell the body from what is around it."""
        self._beside -= len(body)
        self._body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Begin to count anew."""
        self._beside = self._body = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._reading = self.loop.call_later(self.timeout_keep_alive, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: it has read."""
        self._is_read()
        super().resume_writing()

    def _wait(self) -> None:
        self._stop_waiting()
        self._asking = self.loop.call_later(self.timeout_keep_alive, self._give_up)

    def _give_up(self) -> None:
        self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _is_read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
