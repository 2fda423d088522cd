"""HTTP/1.1 written straight to connections: for plain ``http`` addresses without a proxy.

These are the servers on one's own machines, where calls are many and cheap, and where a client for
every purpose takes more CPU than all else that is done for a call.
"""

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit
from weakref import WeakSet

from moot.models.connection import Connection, Outcome
from moot.models.transport import COMPLETIONS, CONNECT, Broken, Response, lacking

_KEPT = 15.0
"""Seconds after which an unused connection is not used again: it may be gone without a sign."""
_STALE = 0.5
"""Seconds: a server may close a connection that is unused for longer just as it is used again."""
_NEXT = 0.25
"""Seconds a name's first address has before the next is tried as well."""
_READ = 256 << 10
"""Bytes read at once."""
_UNFIT = frozenset("@?#% \\")


def fits(base: str) -> bool:
    """Whether an address can be called as it is written: plain ``http``, nothing to be encoded."""
    plain = base.isascii() and base.isprintable() and _UNFIT.isdisjoint(base)
    return plain and base.startswith("http://")


def watches(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether an event loop says when a socket can be read: on Windows the default one does not."""
    return type(loop).add_reader is not asyncio.AbstractEventLoop.add_reader


class Direct:
    """The endpoint through connections of our own, as many as there are calls at once.

    A request that meets a connection which the server has just closed for want of use, is sent
    again over a new one: the server has not read it. Any other failure is the caller's to retry.

    Args:
        base: the address before the path, one that ``fits``.
        headers: sent with every request.
        timeout: seconds from a request to the end of its response.
        path: what is asked there.
        stale: seconds without use after which a connection may be closed by the server for that.
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
        """Connections that wait for a request, the last used at the end."""
        self.all: set[Connection] = set()
        self._buffer = memoryview(bytearray(_READ))
        self._deadlines: dict[asyncio.Future[Outcome], float] = {}
        self._alarm: asyncio.TimerHandle | None = None
        self._closed = False
        _OPEN.add(self)

    async def post(self, data: bytes) -> Response:
        """Send a request; see ``Transport``."""
        now = self._loop.time()
        deadline = now + self._timeout
        response: Outcome = None
        if self.idle:
            connection = self.idle.popitem()[0]
            unused = now - connection.since
            if unused <= _KEPT:
                waiter = connection.expect()
                connection.send(b"%b%d\r\n\r\n%b" % (self._head, len(data), data))
                response = await self._outcome(connection, waiter, deadline)
                if response is None and unused < self._stale:
                    response = Broken("the connection was closed")
            else:  # and the others have been unused for even longer
                for each in (connection, *self.idle):
                    each.drop()
        if response is None:
            response = await self._post_anew(data, deadline)
        if isinstance(response, tuple):
            return response
        raise response or Broken("the connection was closed")

    async def close(self) -> None:
        """Close all connections."""
        self._closed = True
        if self._alarm is not None:
            self._alarm.cancel()
        for each in list(self.all):
            each.fail("the connection was closed")

    async def _post_anew(self, data: bytes, deadline: float) -> Outcome:
        """What comes of a request over a new connection."""
        request: bytes | memoryview = b"%b%d\r\n\r\n%b" % (self._head, len(data), data)
        at_once = self._send_at_once(request)
        if at_once is None:
            connection = await self._connect(deadline)
            waiter = connection.expect()
        else:
            sock, sent = at_once
            request = memoryview(request)[sent:]
            connection = Connection(sock, self.all, self.idle, self._buffer)
            waiter = connection.expect()
        if self._closed:
            connection.drop()
            return Broken("the connection was closed")
        if request:
            connection.send(request)
        return await self._outcome(connection, waiter, deadline)

    def _send_at_once(self, request: bytes | memoryview) -> tuple[socket.socket, int] | None:
        """Connect to this machine, where that takes no time, and send what can be sent.

        Of many calls that begin together, each is so under way before the next one begins; by the
        loop's own means, all would be connected before the first is sent.

        Returns:
            The socket and the number of bytes sent; None if it would take time, or failed.
        """
        address = self._address
        if address != "::1" and not (address.startswith("127.") and _numeric(address)):
            return None
        sock: socket.socket | None = None
        try:
            sock = _socket(address)
            sock.connect_ex((address, self._port))  # says that it goes on, which it does not here
            return sock, sock.send(request)
        except OSError:  # not connected yet, for one
            if sock is not None:
                sock.close()
            return None

    async def _outcome(
        self, connection: Connection, waiter: asyncio.Future[Outcome], deadline: float
    ) -> Outcome:
        """The response, or why there is none: None if the server closed without a byte of it."""
        self._deadlines[waiter] = deadline
        if self._alarm is None or deadline < self._alarm.when():
            self._set_alarm(deadline)
        try:
            return await waiter
        finally:
            del self._deadlines[waiter]
            if connection.waiter is waiter:  # cancelled, or its time is over
                connection.drop()

    def _set_alarm(self, when: float) -> None:
        """Look at all deadlines at one time: a timer for each call would cost more."""
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self._loop.call_at(when, self._look)

    def _look(self) -> None:
        """Give up the calls whose time is over."""
        self._alarm, now = None, self._loop.time()
        for waiter, deadline in self._deadlines.items():
            if deadline <= now and not waiter.done():
                waiter.set_result(Broken(f"no reply within {self._timeout:g} s"))
        later = [deadline for deadline in self._deadlines.values() if deadline > now]
        if later:
            self._set_alarm(min(later))

    async def _connect(self, deadline: float) -> Connection:
        """A new connection."""
        last = self._loop.time() + CONNECT
        where, short = f"{self._host}:{self._port}", ""
        try:
            async with asyncio.timeout_at(min(last, deadline)):
                sock = await self._connected()
        except TimeoutError:
            what = f"connection within {CONNECT:g}" if last < deadline else None
            broken = f"no {what or f'reply within {self._timeout:g}'} s"
        except OSError as error:
            self._address = self._host
            broken, short = f"cannot connect to {where}: {_reason(error)}", lacking(error)
            if short:
                self._let_go()
        else:
            # A name of this machine is not asked for again with every connection.
            with suppress(OSError):  # it may be closed already
                if (peer := sock.getpeername()[0]) in {"127.0.0.1", "::1"}:
                    self._address = peer
            return Connection(sock, self.all, self.idle, self._buffer)
        raise Broken(broken, lacking=short)

    def _let_go(self) -> None:
        """Close what waits for use: this process is short of connections."""
        for transport in list(_OPEN):
            if transport._loop is self._loop:  # noqa: SLF001 -- one of ours
                for each in list(transport.idle):
                    each.drop()

    async def _connected(self) -> socket.socket:
        """A socket that is connected."""
        if not _numeric(self._address):
            from aiohappyeyeballs import start_connection

            kind = socket.SOCK_STREAM
            found = await self._loop.getaddrinfo(self._address, self._port, type=kind)
            return _prompt(await start_connection(found, happy_eyeballs_delay=_NEXT))
        sock = _socket(self._address)
        try:
            await self._loop.sock_connect(sock, (self._address, self._port))
        except BaseException:
            sock.close()
            raise
        return sock


_OPEN: WeakSet[Direct] = WeakSet()
"""All that may have connections."""


def _socket(address: str) -> socket.socket:
    """One that does not block, for a numeric address."""
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    sock.settimeout(0)
    return _prompt(sock)


def _prompt(sock: socket.socket) -> socket.socket:
    """The same, sending the end of a request without waiting until its beginning has arrived."""
    with suppress(OSError):  # broken already: whoever uses it will see
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def _numeric(host: str) -> bool:
    return ":" in host or host.replace(".", "").isdecimal()


def _reason(error: OSError) -> str:
    """Why there is no connection, in the system's words."""
    if error.errno is not None and error.errno > 0:  # those below are of names, and have texts
        return os.strerror(error.errno)
    return error.strerror or str(error)
