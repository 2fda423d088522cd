"""Connections to PostgreSQL: asyncpg, in an event loop of its own thread, or in the caller's.

A connection of asyncpg belongs to one event loop. In a thread of its own it serves plain calls from
any thread. In the loop of the tasks that wait for it, no change of threads is waited for.
"""

import asyncio
import socket
from asyncio import AbstractEventLoop
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from itertools import count
from threading import Thread
from time import monotonic
from typing import Any, Literal, TypeVar

from moot import InputError
from moot.extend.stores import DatabaseFault

try:
    import asyncpg
except ModuleNotFoundError as error:
    if error.name != "asyncpg":
        raise
    raise InputError(
        "a store in PostgreSQL needs asyncpg: pip install 'moot[postgresql]'"
    ) from None

T = TypeVar("T")
ServerConnection = asyncpg.Connection
"""A connection of the driver."""

SCHEMA = "moot"
"""The schema of the database that has the tables."""
STORE_LOCK = 0x6D6F6F74
"""The advisory lock of what may run in one process at a time."""

_CONNECT = 10.0  # seconds
_SILENCE, _INTERVAL, _PROBES = 30, 10, 3
"""Of a connection that a network has lost: seconds without a word until the other side is asked
whether it is there, seconds between two such questions, and how many of them get no answer."""
_SETTINGS = (
    f"SET search_path = {SCHEMA}; SET tcp_keepalives_idle = {_SILENCE}; "
    f"SET tcp_keepalives_interval = {_INTERVAL}; SET tcp_keepalives_count = {_PROBES};"
)
_READONLY = "SET default_transaction_read_only = on;"
_ERRORS = (
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    OSError,
    ValueError,
)
_LOST = ("08", "57P01", "57P02", "57P03", "40001", "40P01", "53300")
"""A connection that failed, a server that stops or starts, two transactions that wait for each
other, and no free connection: the same may succeed later."""
_UNDONE = "40"
"""Of these, a transaction that the server has undone. The connection is whole, and so is the lock
of its session: without it others would take over calls that are under way, and pay them again."""
_FULL = ("53100", "58030")
_RECORD = ("22", "23", "54")
"""Values that the server does not take: only their record is concerned."""
POOLED = (
    "a pooler gives this process another connection of the server for each transaction, and moot "
    "needs its own: name the server itself, or have the pooler pool sessions (PgBouncer: "
    "pool_mode = session)"
)
_ADVICE = {
    "26000": POOLED,
    "42P05": POOLED,
    "28": "check user and password in the address",
    "3D000": "make it first, e.g. with: createdb NAME",
    "42501": "the user has no right to this: GRANT CREATE ON DATABASE, and rights on schema moot",
    "53100": "make room on the server's disk and run again: all recorded before is kept",
    "58030": "check the server's disk and run again: all recorded before is kept",
    "53300": "raise max_connections of the server, or use fewer processes",
    "25006": "the server only takes reading; name the primary server",
}
_BEGIN = "BEGIN IMMEDIATE"
_begin = f"BEGIN; SELECT pg_advisory_xact_lock({STORE_LOCK})"


class PostgresLink:
    """The thread with the event loop in which a store's connections live."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        # A daemon, so that a program that fails without closing its store still ends.
        self._thread = Thread(target=self._loop.run_forever, name="moot-postgres", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin work in the loop; return the promise of its result.

        Raises:
            DatabaseFault: the link is closed.
        """
        if self._loop.is_closed():
            work.close()
            raise DatabaseFault("it is closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do work in the loop, and wait for its result."""
        return self.start(work).result()

    def close(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class PostgresRows:
    """The rows of a statement."""

    def __init__(self, rows: Sequence[Any]) -> None:
        self._rows = iter(rows)

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row, or None."""
        return next(self, None)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows that are left."""
        return list(self)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        return tuple(next(self._rows))


class PostgresConnection:
    """A connection that is made when it is first needed, and again when it was lost.

    Errors are ``DatabaseFault``.

    Args:
        link: what runs its statements for plain calls; None where all of them are awaited.
        address: the address of the database.
        readonly: whether the server refuses to write over it.
        patience: seconds for which a single statement is repeated while the server is away.
    """

    def __init__(
        self,
        link: PostgresLink | None,
        address: str,
        *,
        readonly: bool = False,
        patience: float = 0.0,
    ) -> None:
        self.link, self._address, self._readonly = link, address, readonly
        self.patience = patience
        self._connection: asyncpg.Connection | None = None
        self._one = asyncio.Lock()
        self.on_made: Callable[[asyncpg.Connection], Coroutine[Any, Any, None]] | None = None
        """Does what comes first whenever it was connected."""
        self.on_lost: Callable[[], object] | None = None
        """Called in the link's thread when the server, or the network, ended the connection."""

    @property
    def in_transaction(self) -> bool:
        """Whether statements wait for a commit."""
        return self._connection is not None and self._connection.is_in_transaction()

    @property
    def server_process(self) -> int | None:
        """The server's process, as it was told when it was connected; None without a connection."""
        return None if self._connection is None else self._connection.get_server_pid()

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> PostgresRows:
        """Run one statement with ``?`` for values, and return its rows."""
        assert self.link is not None
        return PostgresRows(self.link.run(self.fetch(number_values(statement), *values)))

    def executemany(self, statement: str, rows: Sequence[Sequence[Any]], /) -> None:
        """Run one statement for each row of values."""
        for row in rows:
            self.execute(statement, row)

    async def fetch(self, statement: str, *values: Any) -> list[Any]:  # noqa: ANN401  of any type
        """Run one statement with ``$1`` for values, in the running loop; return its rows.

        Outside a transaction it is repeated while the server is away.
        """
        begun = monotonic()
        for attempt in count():
            alone = not self.in_transaction
            try:
                return await self._fetch(statement, values)
            except _ERRORS as error:
                fault = explain(error)
                lost = fault.kind == "lost"
                if lost and not fault.state.startswith(_UNDONE):
                    self._drop()
                late = monotonic() > begun + self.patience
                if not (lost and alone) or late:
                    raise fault from error
            await asyncio.sleep(min(0.05 * 2**attempt, 2.0))
        raise AssertionError

    async def _fetch(self, statement: str, values: Sequence[Any]) -> list[Any]:
        async with self._one:
            connection = self._connection
            if connection is None or connection.is_closed():
                connection = self._connection = await self._connect()
            if statement == _BEGIN:
                await connection.execute(_begin)
                return []
            fit = [each.replace("\0", "\ufffd") if type(each) is str else each for each in values]
            found: list[Any] = await connection.fetch(statement, *fit)
            return found

    async def _connect(self) -> asyncpg.Connection:
        connection = await asyncpg.connect(
            self._address, timeout=_CONNECT, server_settings={"application_name": "moot"}
        )
        try:
            await self._set_up(connection)
        except BaseException:
            connection.terminate()
            raise
        connection.add_termination_listener(self._notice)
        return connection

    async def _set_up(self, connection: asyncpg.Connection) -> None:
        _keep_alive(connection)
        # Not at the start of the connection: poolers refuse settings there.
        await connection.execute(_SETTINGS + _READONLY * self._readonly)
        if self.on_made is not None:
            await self.on_made(connection)

    def _notice(self, connection: asyncpg.Connection) -> None:
        if connection is self._connection and self.on_lost is not None:
            self.on_lost()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()

    def close(self) -> None:
        """Close the connection."""
        assert self.link is not None
        with suppress(DatabaseFault):
            self.link.run(self.disconnect())

    async def disconnect(self) -> None:
        """Close the connection, in its loop."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                await connection.close(timeout=2.0)


class CallerConnections:
    """Connections in the event loops of those who ask, one for each loop.

    Args:
        address: the address of the database.
        readonly: whether the server refuses to write over them.

    Attributes:
        patience: as of ``PostgresConnection``.
        on_made_again: does what comes first after a connection was lost.
    """

    def __init__(self, address: str, *, readonly: bool) -> None:
        self._address, self._readonly = address, readonly
        self.patience = 0.0
        self.on_made_again: Callable[[asyncpg.Connection], Coroutine[Any, Any, None]] | None = None
        self._closed = False
        self._made: dict[AbstractEventLoop, PostgresConnection] = {}
        self._kept: dict[AbstractEventLoop, AsyncGenerator[None, None]] = {}

    async def fetch(self, statement: str, *values: Any) -> list[Any]:  # noqa: ANN401  of any type
        """Run one statement over the connection of the running loop; see ``PostgresConnection``."""
        if self._closed:
            raise DatabaseFault("it is closed")
        loop = asyncio.get_running_loop()
        connection = self._made.get(loop)
        if connection is None:
            connection = self._made[loop] = PostgresConnection(
                None, self._address, readonly=self._readonly, patience=self.patience
            )
            connection.on_made = self._expect_again(connection)
            self._kept[loop] = self._keep(loop, connection)
            await anext(self._kept[loop])
        return await connection.fetch(statement, *values)

    def _expect_again(
        self, connection: PostgresConnection
    ) -> Callable[[asyncpg.Connection], Coroutine[Any, Any, None]]:
        """Return the work of a first connection: to give each later one the work of a lost one.

        Before the first statement has a result, as the server may have done it all the same.
        """

        async def expect(_: asyncpg.Connection) -> None:
            connection.on_made = self.on_made_again

        return expect

    async def _keep(
        self, loop: AbstractEventLoop, connection: PostgresConnection
    ) -> AsyncGenerator[None, None]:
        """Close the connection with the generator: a loop that ends closes its generators."""
        try:
            yield
        finally:
            self._made.pop(loop, None)
            self._kept.pop(loop, None)
            await connection.disconnect()

    def close(self) -> None:
        """Close all connections; called in a thread without a running loop."""
        self._closed = True
        for loop, kept in list(self._kept.items()):
            if loop.is_running():
                asyncio.run_coroutine_threadsafe(kept.aclose(), loop).result()


def _keep_alive(connection: asyncpg.Connection) -> None:
    """Notice a server whose machine, or the network to it, is gone; the server does the same."""
    transport = connection._transport  # noqa: SLF001 -- asyncpg has no option
    own: socket.socket | None = transport and transport.get_extra_info("socket")
    if own is None:
        raise ConnectionResetError("the server has ended the connection that was just made")
    if own.family == getattr(socket, "AF_UNIX", None):
        return
    own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    waits = {"TCP_KEEPIDLE": _SILENCE, "TCP_KEEPINTVL": _INTERVAL, "TCP_KEEPCNT": _PROBES}
    # What was sent and is not confirmed is not covered by these.
    waits["TCP_USER_TIMEOUT"] = 1000 * (_SILENCE + _INTERVAL * _PROBES)
    for name, value in waits.items():
        if (option := getattr(socket, name, None)) is not None:  # not every system has all
            own.setsockopt(socket.IPPROTO_TCP, option, value)


@lru_cache(1024)
def number_values(statement: str) -> str:
    """Return a statement with ``$1``, ``$2``, … in place of ``?``."""
    first, *rest = statement.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, 1))


def explain(error: Exception) -> DatabaseFault:
    """Return the fault for an error of asyncpg or the system."""
    state = str(getattr(error, "sqlstate", None) or "")
    advice = next((text for code, text in _ADVICE.items() if state.startswith(code)), "")
    # The lines after the first have details, such as the row: that may hold a secret question.
    why = next(iter(str(error).splitlines()), "") or type(error).__name__
    if not state and isinstance(error, OSError):
        advice = "check that a server listens there, and host and port in the address"
    return DatabaseFault(f"{why}; {advice}" if advice else why, _kind(error, state), state)


def _kind(error: Exception, state: str) -> Literal["lost", "full", "record", "other"]:
    if state:
        if state.startswith(_LOST):
            return "lost"
        if state.startswith(_FULL):
            return "full"
        return "record" if state.startswith(_RECORD) else "other"
    lost = OSError | asyncpg.InterfaceError | asyncpg.InternalClientError
    if isinstance(error, lost) and not isinstance(error, ValueError):
        return "lost"
    return "record"
