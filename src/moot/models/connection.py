"""One HTTP/1.1 connection: a request out, its response in. Parsing is llhttp's, by httptools."""

import asyncio
import socket
from collections.abc import Iterator, Mapping

import httptools

from moot.models.body import LARGEST, Body
from moot.models.transport import Broken, Response

_HEAD = 64 << 10
"""Bytes a response may have before its body."""
_FRAMING = 8
"""Bytes around the body, such as the lengths of its chunks, for each byte of it."""

Outcome = Response | Broken | None
"""What comes of a request: None where the server closed without a byte of a response."""


class Headers(Mapping[str, str]):
    """A response's headers, read when first one is asked for; of a repeated one the first."""

    __slots__ = ("_raw", "_read")

    def __init__(self, raw: dict[bytes, bytes]) -> None:
        self._raw = raw
        self._read: dict[str, str] | None = None

    def _all(self) -> dict[str, str]:
        if self._read is None:
            self._read = {}
            for name, value in self._raw.items():
                self._read.setdefault(name.decode("latin-1").lower(), value.decode("latin-1"))
        return self._read

    def __getitem__(self, name: str) -> str:
        return self._all()[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


class Connection:
    """One connection: a request and its response, and then the next.

    It reads and writes its socket itself, whenever the event loop says that it can: asyncio's own
    transports cost as much again as the system's calls, most of all while hundreds are set up.

    Args:
        sock: connected, or about to be, and not blocking.
        connections: all that are open; it adds itself, and leaves when it is closed.
        idle: those that can take a request; it adds itself behind the others.
        buffer: what is read goes through it: one for all connections of a loop, which is a tenth
            of what it costs to get new memory for every reading.

    Attributes:
        waiter: gets the response, or why there is none; None while no request is under way.
        since: the loop's time at which it was last used.
        unsent: what is yet to be sent of a request.
    """

    waiter: asyncio.Future[Outcome] | None = None
    since = 0.0

    def __init__(
        self,
        sock: socket.socket,
        connections: "set[Connection]",
        idle: "dict[Connection, None]",
        buffer: memoryview,
    ) -> None:
        self._socket: socket.socket | None = sock
        self._all, self._idle, self._buffer = connections, idle, buffer
        self._loop = asyncio.get_running_loop()
        self._headers: dict[bytes, bytes] = {}
        self.unsent = memoryview(b"")
        self._clear()
        # The parser calls this, and those below whose names begin with on_.
        self.on_header = self._headers.setdefault
        self._parser = httptools.HttpResponseParser(self)
        # By its number: asked for the socket itself, asyncio words an error, only to pass over it.
        self._number = sock.fileno()
        self._loop.add_reader(self._number, self._readable)
        self._all.add(self)

    def _clear(self) -> None:
        self._size = self._status = 0
        self._body: Body | None = None
        self._again = self._complete = False

    def expect(self) -> asyncio.Future[Outcome]:
        """Be ready for the response to a request, which may come before all of that is sent."""
        self.waiter = self._loop.create_future()
        return self.waiter

    def send(self, request: bytes | memoryview) -> None:
        """Send a request or the rest of one, no faster than it is taken."""
        if (sock := self._socket) is None:
            return
        try:
            sent = sock.send(request)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError:
            self.drop()
            return
        if sent < len(request):
            if not self.unsent:
                self._loop.add_writer(self._number, self._writable)
            self.unsent = memoryview(request)[sent:]
        elif self.unsent:
            self._loop.remove_writer(self._number)
            self.unsent = memoryview(b"")

    def _writable(self) -> None:
        self.send(self.unsent)

    def _readable(self) -> None:
        assert self._socket is not None  # else nobody would have watched it
        try:
            size = self._socket.recv_into(self._buffer)
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            self.drop()
        else:
            if size:
                self.read(self._buffer[:size])
            else:
                self.ended()

    def read(self, data: bytes | memoryview) -> None:
        """Read on in the response."""
        size = self._size = self._size + len(data)
        if self.waiter is None:  # nothing was asked
            return self.drop()
        try:
            if size > _HEAD and not self._status:
                rest = len(data) - (size - _HEAD)
                self._parser.feed_data(data[:rest])
                if not self._status:
                    return self.fail(f"the response's head has more than {_HEAD:,} bytes")
                data = data[rest:]
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            if not self._complete:
                return self.fail("the response is not HTTP")
            self._again = False
        if self._complete:
            self._finish()
        elif size > _HEAD:
            self._check(size)
        return None

    def _check(self, size: int) -> None:
        """Look at a long response that has not ended, of which so many bytes have come."""
        body = self._body
        if body is None:
            return
        self._headers.clear()  # of trailers
        if body.full:
            self._finish()
        elif size - body.received > _HEAD + min(_FRAMING * body.received, LARGEST // 4):
            self.fail("the response has more around its body than in it")

    def on_message_begin(self) -> None:
        """A response begins, which should be the first."""
        self._again = False

    def on_headers_complete(self) -> None:
        """The head is read: of the response, or of one that says the response is to come."""
        status = self._parser.get_status_code()
        if status < 200:
            self._headers.clear()
        elif not self._status:
            self._status = status
            self._fields = Headers(self._headers.copy())
            self._body = Body(status, self._fields)

    def on_body(self, piece: bytes) -> None:
        """A piece of the body is there."""
        if self._body is not None and not self._complete:
            self._body.add(piece)

    def on_message_complete(self) -> None:
        """The body is read."""
        if self._body is not None and not self._complete:
            self._again = self._parser.should_keep_alive()
            self._complete = True

    def _finish(self) -> None:
        """Pass on the response, and be there for the next request if that is possible."""
        again = self._again and not self.unsent and self._socket is not None
        waiter, self.waiter = self.waiter, None
        assert waiter is not None
        assert self._body is not None
        response: Response | Broken
        try:
            response = self._status, self._fields, self._body.whole()
        except Broken as broken:
            response = broken
        if again:
            self._headers.clear()
            self._clear()
            self.since = self._loop.time()
            self._idle[self] = None
        else:
            self.drop()
        if not waiter.done():
            waiter.set_result(response)

    def fail(self, why: str) -> None:
        """Give up the request under way."""
        waiter, self.waiter = self.waiter, None
        self.drop()
        if waiter is not None and not waiter.done():
            waiter.set_result(Broken(why))

    def ended(self) -> None:
        """The server sends no more: this may be how a response ends."""
        if self.waiter is None or not self._size:
            self.drop()
        elif not self._status:
            self.fail("the connection was closed")
        elif "content-length" in self._fields or "transfer-encoding" in self._fields:
            self.fail("the response was cut off")
        else:
            self._finish()

    def drop(self) -> None:
        """Close at once; what is unsent is given up, and a response that has not all come."""
        sock, self._socket = self._socket, None
        if sock is None:
            return
        self._loop.remove_reader(self._number)
        if self.unsent:
            self._loop.remove_writer(self._number)
        sock.close()
        self._all.discard(self)
        self._idle.pop(self, None)
        waiter, self.waiter = self.waiter, None
        if waiter is not None and not waiter.done():
            cut = Broken(
                "the response was cut off" if self._status else "the connection was closed"
            )
            waiter.set_result(cut if self._size else None)
        # These refer to one another; without that, nothing here waits for the garbage collector.
        del self._parser, self.on_header
