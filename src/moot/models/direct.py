"""HTTP/1.1 written straight to connections: for plain ``http`` addresses without a proxy.

These are the servers on one's own machines, where calls are many and cheap, and where a client for
every purpose takes more CPU than all else that is done for a call. Parsing is llhttp's, by
httptools.
"""

import asyncio
import os
import zlib
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

import httptools

from moot.models.transport import CONNECT, Broken, Response

_HEAD = 64 << 10
"""Bytes a response may have before its body."""
_LARGEST = 64 << 20
"""Bytes a response may have in all, and its body when it is unpacked."""
_PIECE = 256 << 10
"""Bytes written at once: of a longer request the next follow when the system has taken these."""
_KEPT = 15.0
"""Seconds after which an unused connection is not used again: it may be gone without a sign."""
_STALE = 0.5
"""Seconds: a server may close a connection that is unused for longer just as it is used again."""
_NEXT = 0.25
"""Seconds a name's first address has before the next is tried as well."""
_PLAIN = frozenset({b"{", b"["})
"""What a body that is not packed begins with, nearly always; packed by gzip or zlib, none does."""
_UNFIT = frozenset("@?#% \\")


def fits(base: str) -> bool:
    """Whether an address can be called as it is written: plain ``http``, nothing to be encoded."""
    plain = base.isascii() and base.isprintable() and _UNFIT.isdisjoint(base)
    return plain and base.startswith("http://")


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


class Direct:
    """The endpoint through connections of our own, as many as there are calls at once.

    A request that meets a connection which the server has just closed for want of use, is sent
    again over a new one: the server has not read it. Any other failure is the caller's to retry.

    Args:
        base: the address before ``/chat/completions``, one that ``fits``.
        headers: sent with every request.
        timeout: seconds from a request to the end of its response.
        stale: seconds without use after which a connection may be closed by the server for that.
    """

    def __init__(
        self, base: str, headers: Mapping[str, str], timeout: float, *, stale: float = _STALE
    ) -> None:
        parts = urlsplit(f"{base}/chat/completions")
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._address = self._host
        self._timeout, self._stale = timeout, stale
        fields = {"Host": parts.netloc, **headers}
        lines = [f"POST {parts.path} HTTP/1.1", *(f"{name}: {fields[name]}" for name in fields)]
        self._head = ("\r\n".join(lines) + "\r\nContent-Length: ").encode("ascii")
        self._loop = asyncio.get_running_loop()
        self.idle: dict[Connection, None] = {}
        """Connections that wait for a request, the last used at the end."""
        self.all: set[Connection] = set()
        self._closed = False

    async def post(self, data: bytes) -> Response:
        """Send a request; see ``Transport``."""
        now = self._loop.time()
        deadline = now + self._timeout
        response: Response | Broken | None = None
        if self.idle:
            connection = self.idle.popitem()[0]
            unused = now - connection.since
            if unused <= _KEPT:
                response = await self._exchange(connection, data, deadline)
                if response is None and unused < self._stale:
                    response = Broken("the connection was closed")
            else:  # and the others have been unused for even longer
                for each in (connection, *self.idle):
                    each.drop()
        if response is None:
            connection = await self._connect(deadline)
            response = await self._exchange(connection, data, deadline)
        if isinstance(response, tuple):
            return response
        raise response or Broken("the connection was closed")

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        for each in list(self.all):
            each.fail("the connection was closed")
        await asyncio.sleep(0)  # sockets are closed in the loop's next turn

    async def _exchange(
        self, connection: "Connection", data: bytes, deadline: float
    ) -> Response | Broken | None:
        """The response, or why there is none: None if the server closed without a byte of it."""
        waiter = connection.send(b"%b%d\r\n\r\n" % (self._head, len(data)), data)
        timer = self._loop.call_at(
            deadline, connection.fail, f"no reply within {self._timeout:g} s"
        )
        try:
            return await waiter
        finally:
            timer.cancel()
            if connection.waiter is waiter:  # cancelled
                connection.drop()

    async def _connect(self, deadline: float) -> "Connection":
        """A new connection."""
        last = self._loop.time() + CONNECT
        try:
            async with asyncio.timeout_at(min(last, deadline)):
                _, connection = await self._loop.create_connection(
                    lambda: Connection(self),
                    self._address,
                    self._port,
                    happy_eyeballs_delay=None if _numeric(self._address) else _NEXT,
                )
        except TimeoutError:
            what = f"connection within {CONNECT:g}" if last < deadline else None
            broken = f"no {what or f'reply within {self._timeout:g}'} s"
        except OSError as error:
            self._address = self._host
            broken = f"cannot connect to {self._host}:{self._port}: {_reason(error)}"
        else:
            # A name of this machine is not asked for again with every connection.
            if connection.peer in {"127.0.0.1", "::1"}:
                self._address = connection.peer
            return connection
        raise Broken(broken)


class Connection(asyncio.Protocol):
    """One connection: a request and its response, and then the next.

    Attributes:
        waiter: gets the response, or why there is none; None while no request is under way.
        since: the loop's time at which it was last used.
        peer: the numeric address of the server.
    """

    transport: asyncio.Transport
    waiter: "asyncio.Future[Response | Broken | None] | None" = None
    since = 0.0
    peer = ""

    def __init__(self, pool: "Direct") -> None:
        self.pool = pool
        self._loop = asyncio.get_running_loop()
        self._headers: dict[bytes, bytes] = {}
        self._parts: list[bytes] = []
        self._unsent = memoryview(b"")
        self._paused = False
        self._clear()
        # The parser calls these, and those below whose names begin with on_.
        self.on_header = self._headers.setdefault
        self.on_body = self._parts.append
        self._parser = httptools.HttpResponseParser(self)

    def _clear(self) -> None:
        self._size = self._status = 0
        self._response: Response | None = None
        self._again = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take part in the pool. The transport has switched off the delay of small writes."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.peer = transport.get_extra_info("peername")[0]
        self.pool.all.add(self)

    def send(self, head: bytes, body: bytes) -> "asyncio.Future[Response | Broken | None]":
        """Send a request."""
        self.waiter = waiter = self._loop.create_future()
        if len(body) <= _PIECE:
            self.transport.write(head + body)
        else:
            self.transport.write(head)
            self._unsent = memoryview(body)
            self._send_on()
        return waiter

    def _send_on(self) -> None:
        while self._unsent and not self._paused and not self.transport.is_closing():
            piece, self._unsent = self._unsent[:_PIECE], self._unsent[_PIECE:]
            self.transport.write(piece)

    def pause_writing(self) -> None:
        """The server does not read as fast as we write."""
        self._paused = True

    def resume_writing(self) -> None:
        """It has caught up."""
        self._paused = False
        self._send_on()

    def data_received(self, data: bytes) -> None:
        """Read on in the response."""
        size = self._size = self._size + len(data)
        if self.waiter is None:  # nothing was asked
            return self.drop()
        if size > _LARGEST:
            return self.fail(f"the response has more than {_LARGEST:,} bytes")
        try:
            if size > _HEAD and not self._status:
                rest = len(data) - (size - _HEAD)
                self._parser.feed_data(data[:rest])
                if not self._status:
                    return self.fail(f"the response's head has more than {_HEAD:,} bytes")
                data = data[rest:]
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            if self._response is None:
                return self.fail("the response is not HTTP")
            self._again = False
        if self._response is not None:
            self._finish(self._response)
        return None

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

    def on_message_complete(self) -> None:
        """The body is read."""
        if self._status and self._response is None:
            self._again = self._parser.should_keep_alive()
            self._response = self._status, self._fields, b"".join(self._parts)

    def _finish(self, response: Response) -> None:
        """Pass on a response, and be there for the next request if that is possible."""
        again = self._again and not self._unsent and not self.transport.is_closing()
        waiter, self.waiter = self.waiter, None
        assert waiter is not None
        if again:
            self._headers.clear()
            self._parts.clear()
            self._clear()
            self.since = self._loop.time()
            self.pool.idle[self] = None
        else:
            self.drop()
        if not waiter.done():
            waiter.set_result(response if response[2][:1] in _PLAIN else _unpacked(response))

    def fail(self, why: str) -> None:
        """Give up the request under way."""
        waiter, self.waiter = self.waiter, None
        self.drop()
        if waiter is not None and not waiter.done():
            waiter.set_result(Broken(why))

    def drop(self) -> None:
        """Close at once; what is unsent is given up."""
        self.pool.idle.pop(self, None)
        self.transport.abort()

    def eof_received(self) -> None:
        """The server sends no more: this may be how a response ends."""
        waiter = self.waiter
        if waiter is None:
            self.drop()
        elif not self._size:
            self.waiter = None
            if not waiter.done():
                waiter.set_result(None)
        elif not self._status:
            self.fail("the connection was closed")
        elif "content-length" in self._fields or "transfer-encoding" in self._fields:
            self.fail("the response was cut off")
        else:
            self._finish((self._status, self._fields, b"".join(self._parts)))

    def connection_lost(self, _: Exception | None) -> None:
        """Closed, by either side, or broken."""
        self.pool.all.discard(self)
        self.pool.idle.pop(self, None)
        waiter, self.waiter = self.waiter, None
        if waiter is not None and not waiter.done():
            cut = Broken(
                "the response was cut off" if self._status else "the connection was closed"
            )
            waiter.set_result(cut if self._size else None)
        # These refer to one another; without that, nothing here waits for the garbage collector.
        del self._parser, self.on_header, self.on_body


def _numeric(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdecimal()


def _reason(error: OSError) -> str:
    """Why there is no connection, in the system's words."""
    if error.errno is not None and error.errno > 0:  # those below are of names, and have texts
        return os.strerror(error.errno)
    return error.strerror or str(error)


def _unpacked(response: Response) -> Response | Broken:
    """The response with its body as it was before it was packed, where it is. None was asked to."""
    status, headers, body = response
    kind = headers.get("content-encoding", "identity").strip().lower()
    if kind == "identity" or not body:
        return response
    broken = Broken(f"the response is packed in a way not asked for: {kind[:20]!r}")
    if kind not in {"gzip", "x-gzip", "deflate"}:
        return broken
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)  # gzip or zlib, whichever it is
    try:
        body = unpack.decompress(body, _LARGEST)
    except zlib.error:
        return broken
    if not unpack.eof:
        return Broken("the response's packing is broken, or holds too much")
    return status, headers, body
