"""A connection of a client: uvicorn's, with limits to how slowly and how wordily it may go."""

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TOO_LONG = "The request's line and headers are too long."
_TOO_MANY = "More requests came than were answered."
_FRAMING = 8
"""Bytes around the body, such as the lengths of its chunks, for each byte of it."""
_AHEAD = 100
"""Requests that may have come while the one before them is answered."""


class Connection(HttpToolsProtocol):
    """A connection that is closed where nothing whole comes, or nothing is read, for a while.

    uvicorn itself waits without end for the first byte, for the next one of a header, and for
    whoever does not read what it asked for; it keeps headers and trailers of any length, and takes
    trailers for headers; and it keeps any number of requests that come before they can be answered.
    """

    head = 16 << 10
    """Bytes that a request's line, headers and trailers may have together."""

    _asking: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _beside = 0
    """Bytes of this request that are no part of its body; those in the parser's hands included."""
    _body = 0
    _in_body = False
    """Whether what comes belongs to a request whose headers are there."""
    _open = 0
    """Requests that were begun to be served, or wait for that, and have not been answered."""

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
            self.send_400_response(_TOO_LONG)

    def send_400_response(self, msg: str) -> None:
        """Refuse what came, and close; without a word where that would be taken for a reply.

        Nothing is said while another request waits for its reply, or where that has begun.
        """
        waiting = self._in_body and not self.cycle.response_started
        if self._open == waiting and (waiting or not self._in_body):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def on_message_begin(self) -> None:
        """Expect headers."""
        self._in_body = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header, but no trailer: nothing looks at one as it looks at headers."""
        if not self._in_body:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Wait no longer for a request once it is there. A ``ValueError`` refuses it with 400."""
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > self.head:
            raise ValueError(_TOO_LONG)
        if len(self.pipeline) >= _AHEAD:
            raise ValueError(_TOO_MANY)
        super().on_headers_complete()  # where this refuses it, nothing of it has been counted
        self._stop_waiting()
        self._in_body = True
        self._open += 1

    def on_body(self, body: bytes) -> None:
        """Tell the body from what is around it."""
        self._beside -= len(body)
        self._body += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Begin to count anew."""
        self._beside = self._body = 0
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it is there."""
        self._open -= 1
        if not self.pipeline:
            self._wait()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait for the client to read."""
        super().pause_writing()
        self._is_read()
        self._look(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """Go on: it has read."""
        self._is_read()
        super().resume_writing()

    def _wait(self) -> None:
        self._stop_waiting()
        left = self.transport.get_write_buffer_size()
        self._asking = self.loop.call_later(self.timeout_keep_alive, self._give_up, left)

    def _give_up(self, before: int) -> None:
        """Close it, unless the end of a long response is still being read."""
        if self.transport.get_write_buffer_size() < before:
            self._wait()
        else:
            self.transport.abort()

    def _look(self, before: int) -> None:
        """Look again in a while whether anything was read, however little."""
        self._reading = self.loop.call_later(self.timeout_keep_alive, self._unread, before)

    def _unread(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._look(left)
        else:
            self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _is_read(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None
