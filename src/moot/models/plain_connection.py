"""One HTTP/1.1 connection: it sends a request and parses the response, by httptools (llhttp)."""

import asyncio
import socket
from collections.abc import Iterator, Mapping

import httptools

from moot.models.body import LARGEST, Body, TellBytes, TransportError
from moot.models.transport import Response

_HEAD = 64 << 10
"""The most bytes of a response before its body."""
_FRAMING = 8
"""The most bytes around the body, such as the lengths of chunks, for each byte of the body."""

PostResult = Response | TransportError | None
"""The result of a request; None where the server closed the connection without any byte of it."""


class Headers(Mapping[str, str]):
    """The headers of a response, decoded at the first look-up; of a repeated header the first."""

    def __init__(self, raw: Mapping[bytes, bytes]) -> None:
        self._raw = raw
        self._decoded: dict[str, str] | None = None

    def __getitem__(self, name: str) -> str:
        if self._decoded is None:
            pairs = [(name.decode("latin-1").lower(), value) for name, value in self._raw.items()]
            self._decoded = {name: value.decode("latin-1") for name, value in reversed(pairs)}
        return self._decoded[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return (name.decode("latin-1").lower() for name in self._raw)

    def __len__(self) -> int:
        return len(self._raw)


class Connection:
    """One connection. It carries one request and its response at a time.

    It reads and writes its socket itself when the event loop reports that it can. asyncio's own
    transports cost as much again as the system calls, most of all while hundreds are set up.

    Args:
        sock: connected, or about to be, and not blocking.
        connections: all open connections; it adds itself, and removes itself when it is closed.
        idle: connections that can take a request; it adds itself at the end.
        buffer: all connections of a loop read into it. New memory for every read costs ten times
            as much.

    Attributes:
        waiter: gets the result of the request; None while no request is in flight.
        deadline: the loop's time at which the request in flight has had its time.
        since: the loop's time of the last use.
        unsent: the part of a request that is not sent yet.
    """

    waiter: asyncio.Future[PostResult] | None = None
    deadline = since = 0.0
    _body: Body | None = None
    """The response's, with its head; None until that has come."""
    _tell: TellBytes | None = None
    _size = 0
    """Bytes received of the response."""
    _again = _complete = False

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
        # The parser calls this, and the methods below whose names begin with on_.
        self.on_header = self._headers.setdefault
        self._parser = httptools.HttpResponseParser(self)
        # With the socket itself, asyncio would format an error message that it then drops.
        self._number = sock.fileno()
        self._loop.add_reader(self._number, self._readable)
        self._all.add(self)

    def ask(
        self, request: bytes | memoryview, deadline: float, tell: TellBytes | None
    ) -> asyncio.Future[PostResult]:
        """Send a request, and begin to wait for its response, which may come before all is sent.

        Args:
            request: the request or the rest of one.
            deadline: see the attribute.
            tell: is called with each piece of the response's body. The connection is closed at its
                end then.
        """
        self.deadline, self._tell = deadline, tell
        waiter = self.waiter = self._loop.create_future()
        if request:
            self._send(request)
        return waiter

    def _send(self, request: bytes | memoryview) -> None:
        """Send a request or the rest of one; what the socket does not take yet is sent later."""
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
        self._send(self.unsent)

    def _readable(self) -> None:
        assert self._socket is not None  # a closed socket is not watched
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
                self.end()

    def read(self, data: bytes | memoryview) -> None:
        """Parse the next bytes of the response."""
        size = self._size = self._size + len(data)
        if self.waiter is None:  # there was no request
            return self.drop()
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            if not self._complete:
                return self.fail("the response is not HTTP")
            self._again = False
        if self._complete:
            self._finish()
        elif size > _HEAD:
            self._check_size(size)
        return None

    def _check_size(self, size: int) -> None:
        """Check a response of more than ``_HEAD`` bytes, of which ``size`` have come so far.

        Where the body is too large or cannot be unpacked, the response ends here. Where
        there are far more bytes around the body than in it, the call fails.
        """
        body = self._body
        if body is None or not body.received:
            return self.fail(f"the response's head has more than {_HEAD:,} bytes")
        self._headers.clear()  # of trailers
        if body.full:
            self._finish()
        elif size - body.received > _HEAD + min(_FRAMING * body.received, LARGEST // 4):
            self.fail("the response has more around its body than in it")
        return None

    def on_message_begin(self) -> None:
        """Called by the parser: a response begins. A second one ends the use of the connection."""
        self._again = False

    def on_headers_complete(self) -> None:
        """Called by the parser: a head is complete, that of the response or an interim one."""
        status = self._parser.get_status_code()
        if status < 200:
            self._headers.clear()
        elif self._body is None:
            self._body = Body(status, Headers(self._headers.copy()), self._tell)

    def on_body(self, piece: bytes) -> None:
        """Called by the parser: a piece of the body was received."""
        if self._body is not None and not self._complete:
            self._body.add(piece)

    def on_message_complete(self) -> None:
        """Called by the parser: the body is complete."""
        if self._body is not None and not self._complete:
            # llama.cpp closes a connection after a stream, and does not say so before.
            self._again = self._tell is None and self._parser.should_keep_alive()
            self._complete = True

    def _finish(self) -> None:
        """Hand over the response, and become idle where the connection can be used again."""
        waiter, body = self.waiter, self._body
        assert waiter is not None
        assert body is not None
        self.waiter = None
        response: Response | TransportError
        try:
            response = body.status, body.headers, body.whole()
        except TransportError as error:
            response = error
        if self._again and not self.unsent:
            self._headers.clear()
            self._body, self._size, self._complete = None, 0, False
            self.since = self._loop.time()
            self._idle[self] = None
        else:
            self.drop()
        if not waiter.done():
            waiter.set_result(response)

    def fail(self, why: str) -> None:
        """Close the connection and give the request in flight this error."""
        waiter, self.waiter = self.waiter, None
        self.drop()
        if waiter is not None and not waiter.done():
            waiter.set_result(TransportError(why))

    def end(self) -> None:
        """Handle the end of what the server sends. A response without a length ends so."""
        if self.waiter is None or not self._size:
            self.drop()
        elif self._body is None:
            self.fail("the connection was closed")
        elif "content-length" in self._body.headers or "transfer-encoding" in self._body.headers:
            self.fail("the response was cut off")
        else:
            self._finish()

    def drop(self) -> None:
        """Close the connection at once. A request in flight gets an error or None."""
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
            what = "the response was cut off" if self._body else "the connection was closed"
            waiter.set_result(TransportError(what) if self._size else None)
        # Break the circle of references, so that no garbage collection is needed.
        del self._parser, self.on_header
