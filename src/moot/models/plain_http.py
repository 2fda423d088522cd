"""Plain ``http`` without a proxy, over connections of our own.

Servers on one's own machines are called so. Their calls are many and cheap, and a general client
such as aiohttp takes 1.7 times the CPU for a whole call (``bench/overhead.py``).
"""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

from moot.models.body import TellBytes, TransportError
from moot.models.endpoint_address import COMPLETIONS, system_reason
from moot.models.plain_connection import Connection
from moot.models.transport import CONNECT, AiohttpTransport, Response, lacking

_KEEP_ALIVE = 15.0
"""Seconds after which an idle connection is not used again: it may be gone without a sign."""
_STALE = 0.5
"""Idle seconds after which a server may close a connection at the moment of its next use."""
_NEXT = 0.25
"""Seconds until the second address of a name is tried beside the first."""
_READ = 256 << 10
"""Bytes read at once."""
_UNFIT = frozenset("@?#% \\")


class PlainTransport:
    """Sends requests over connections of its own, one for each call in flight.

    Where the server has just closed an idle connection, the request is sent again over a new one:
    the server has not read it. No other failure is retried here.

    Args:
        base: the address without the path: plain ``http``, and in need of no encoding.
        headers: sent with every request.
        timeout: seconds from a request to the end of its response.
        path: the path below the address.
        stale: idle seconds after which the server may close a connection.
    """

    def __init__(
        self,
        base: str,
        headers: Mapping[str, str],
        timeout: float,
        *,
        path: str = COMPLETIONS,
        stale: float = _STALE,
    ) -> None:
        parts = urlsplit(base + path)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self._address = self._host
        self._timeout, self._stale = timeout, stale
        fields = {"Host": parts.netloc, **headers}
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        lines = [f"POST {target} HTTP/1.1", *(f"{name}: {fields[name]}" for name in fields)]
        self._head = ("\r\n".join(lines) + "\r\nContent-Length: ").encode("ascii")
        self._loop = asyncio.get_running_loop()
        self.idle: dict[Connection, None] = {}
        """Idle connections, the last used at the end."""
        self.all: set[Connection] = set()
        self._buffer = memoryview(bytearray(_READ))
        self._alarm: asyncio.Handle | None = None
        self._alarm_at = 0.0
        self._closed = False
        _transports.add(self)

    async def post(self, data: bytes, tell: TellBytes | None = None) -> Response:
        """Send a request's body and return the response; see ``moot.models.transport``."""
        now = self._loop.time()
        deadline = now + self._timeout
        connection = self._find_idle(now)
        stale = connection is not None and now - connection.since >= self._stale
        while True:
            request = memoryview(b"%b%d\r\n\r\n%b" % (self._head, len(data), data))
            if connection is None:
                connection, sent = self._connect_at_once(request) or await self._connect(deadline)
                request = request[sent:]
            waiter = connection.ask(request, deadline, tell)
            del request  # hundreds of them would be in memory while their calls wait
            if self._alarm is None or deadline < self._alarm_at:
                self._set_alarm(deadline)
            try:
                response = await waiter
            except BaseException:
                if connection.waiter is waiter:
                    connection.drop()
                raise
            if response is not None or not stale:
                break
            connection, stale = None, False
        if isinstance(response, tuple):
            return response
        raise response or TransportError("the connection was closed")

    def _find_idle(self, now: float) -> Connection | None:
        """Return the idle connection that was used last; None where there is no fresh one."""
        if not self.idle:
            return None
        connection = self.idle.popitem()[0]
        if now - connection.since <= _KEEP_ALIVE:
            return connection
        for each in (connection, *self.idle):  # the others have been idle for even longer
            each.drop()
        return None

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        if self._alarm is not None:
            self._alarm.cancel()
        for each in list(self.all):
            each.fail("the connection was closed")

    def _connect_at_once(self, request: memoryview) -> tuple[Connection, int] | None:
        """Connect to this machine without waiting, and send what the socket takes.

        When many calls begin together, each is sent before the next one connects. By the event
        loop, all would connect before the first is sent.

        Returns:
            The connection and the number of bytes sent; None where connecting takes time or fails.
        """
        address = self._address
        here = address.startswith("127.") and address.replace(".", "").isdecimal()
        if self._closed or not (here or address == "::1"):
            return None
        sock: socket.socket | None = None
        try:
            sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
            sock.settimeout(0)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Its result says only that it is in progress.
            sock.connect_ex((address, self._port))
            sent = sock.send(request)
        except OSError:  # not connected yet, for one
            if sock is not None:
                sock.close()
            return None
        return Connection(sock, self.all, self.idle, self._buffer), sent

    def _set_alarm(self, when: float) -> None:
        """Look at this time which requests have had theirs: a timer for each costs more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = when
        self._alarm = self._loop.call_at(when, self._expire, when)

    def _expire(self, when: float) -> None:
        """Give an error to the requests whose time is over at ``when``; wait for the next ones."""
        self._alarm = None
        flying = [each for each in self.all if each.waiter is not None]
        for each in flying:
            if each.deadline <= when:
                each.fail(f"no reply within {self._timeout:g} s")
        later = [each.deadline for each in flying if each.deadline > when]
        if later:
            self._set_alarm(min(later))

    async def _connect(self, deadline: float) -> tuple[Connection, int]:
        """Open a connection; return it, and the number of bytes sent, which is 0."""
        last = self._loop.time() + CONNECT
        where, short = f"{self._host}:{self._port}", ""
        try:
            async with asyncio.timeout_at(min(last, deadline)):
                sock = await self._connect_socket()
        except TimeoutError:
            what = f"connection within {CONNECT:g}" if last < deadline else None
            failure = f"no {what or f'reply within {self._timeout:g}'} s"
        except OSError as error:
            self._address = self._host
            failure, short = f"cannot connect to {where}: {system_reason(error)}", lacking(error)
            if short:
                self._close_idle()
        else:
            # A name of this machine is not looked up again for every connection.
            with suppress(OSError):  # it may be closed already
                if (peer := sock.getpeername()[0]) in {"127.0.0.1", "::1"}:
                    self._address = peer
            connection = Connection(sock, self.all, self.idle, self._buffer)
            if not self._closed:
                return connection, 0
            connection.drop()
            failure = "the connection was closed"
        raise TransportError(failure, lacking=short)

    def _close_idle(self) -> None:
        """Close all idle connections of this loop, to make room for a new one."""
        for transport in list(_transports):
            if transport._loop is self._loop:  # noqa: SLF001 -- one of ours
                for each in list(transport.idle):
                    each.drop()

    async def _connect_socket(self) -> socket.socket:
        """Return a connected socket."""
        from aiohappyeyeballs import start_connection

        address, kind = self._address, socket.SOCK_STREAM
        if ":" in address or address.replace(".", "").isdecimal():
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            found: Any = [(family, kind, socket.IPPROTO_TCP, "", (address, self._port))]
        else:
            found = await self._loop.getaddrinfo(address, self._port, type=kind)
        return _without_delay(await start_connection(found, happy_eyeballs_delay=_NEXT))


def open_transport(
    base: str,
    headers: Mapping[str, str],
    timeout: float,
    proxy: str | None = None,
    *,
    path: str = COMPLETIONS,
) -> PlainTransport | AiohttpTransport:
    """Return the transport for an address, for use in the running event loop."""
    # The default event loop of Windows cannot watch sockets.
    watches = (
        type(asyncio.get_running_loop()).add_reader is not asyncio.AbstractEventLoop.add_reader
    )
    bare = base.isascii() and base.isprintable() and _UNFIT.isdisjoint(base)
    if proxy is None and watches and bare and base.startswith("http://"):
        return PlainTransport(base, headers, timeout, path=path)
    return AiohttpTransport(base, headers, timeout, proxy, path=path)


_transports: WeakSet[PlainTransport] = WeakSet()
"""All transports of this process that may have connections."""


def _without_delay(sock: socket.socket) -> socket.socket:
    """Make a socket send the end of a request at once (``TCP_NODELAY``), and return it."""
    with suppress(OSError):  # it is broken already, and its first use reports that
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock
