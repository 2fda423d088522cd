"""HTTP connections of the server, which end where the head of a request does not come."""

import sys
from asyncio import TimerHandle, Transport

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from moot.contrib.server.http_errors import describe_long_head, describe_slowness


class TimedConnection(H11Protocol):
    """A connection of uvicorn that ends where no request comes in time.

    uvicorn has a clock only between two requests, and the first byte of the next one stops it.
    Here a client has ``idle`` seconds of the server's limits for a whole head, from its first byte
    or from the beginning of the connection, and as long for a body that comes after its answer.
    """

    _clock: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override] # uvicorn's
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._stop()

    def data_received(self, data: bytes) -> None:
        """Take bytes; those that begin a head begin its time."""
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._stop()
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; say so where its head is too long."""
        error = sys.exception()
        if isinstance(error, h11.RemoteProtocolError) and error.error_status_hint == 431:
            msg = describe_long_head(self.config.h11_max_incomplete_event_size or 0)
        super().send_400_response(msg)

    def _watch(self) -> None:
        """Have the clock run while no request is in progress, and only then."""
        if self.transport.is_closing() or not (self.cycle is None or self.cycle.response_complete):
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(self.timeout_keep_alive, self._end)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _end(self) -> None:
        """Close the connection; a client whose head is not whole is told why."""
        if self.transport.is_closing():
            return
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            why = describe_slowness(self.timeout_keep_alive)
            headers = [("content-type", "text/plain; charset=utf-8"), ("connection", "close")]
            for event in (
                h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
                h11.Data(data=f"{why}\n".encode()),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
