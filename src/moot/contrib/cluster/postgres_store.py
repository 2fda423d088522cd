"""The store in PostgreSQL: the same tables and promises as in SQLite, for many machines."""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from moot.contrib.cluster.postgres_claims import PostgresClaims
from moot.contrib.cluster.postgres_faults import POOLED
from moot.contrib.cluster.postgres_link import CallerConnections, PostgresConnection, PostgresLink
from moot.contrib.cluster.postgres_schema import READABLE, migrate_postgres, read_version
from moot.contrib.cluster.postgres_sessions import PostgresSessions
from moot.contrib.cluster.postgres_writer import PostgresWriter
from moot.core.errors import StoreError
from moot.core.stored import RunRow
from moot.ledger.lookup import Lookup
from moot.ledger.reader import StoreReader
from moot.ledger.storage import DatabaseFault
from moot.ledger.store_place import describe_place, store_error
from moot.ledger.store_runs import StoreRuns

_IDLE = 2
"""The most connections of readers that are kept for the next ones."""
FIND = "SELECT identity, run, reply, digest FROM replies WHERE identity = ANY($1::bytea[])"


class PostgresStore(StoreRuns):
    """An open store in PostgreSQL."""

    _link: PostgresLink
    _asking: CallerConnections
    _connect: Callable[[], PostgresConnection]
    _idle: list[PostgresConnection]
    """Connections of readers that are not in use."""

    @classmethod
    def open(
        cls, address: str, *, readonly: bool = False, patience: float = 30.0
    ) -> "PostgresStore":
        """Open the store in a database; make its tables where there are none.

        Args:
            address: the address of the database, ``postgresql://…``.
            readonly: write nothing.
            patience: seconds to wait for a server that went away.

        Raises:
            StoreError: the database cannot be opened, or was made by a newer moot.
        """
        place = describe_place(address)
        with ExitStack() as opened:
            link = PostgresLink()
            opened.callback(link.close)

            def connect(*, reads: bool) -> PostgresConnection:
                made = PostgresConnection(link, address, readonly=reads)
                opened.callback(made.close)
                return made

            reading = connect(reads=True)
            asking = CallerConnections(address, readonly=readonly)
            writing = None if readonly else connect(reads=False)
            writer = None
            try:
                if writing is not None:
                    if link.run(_connect_all(writing, reading)):
                        raise StoreError(f"store {place}: {POOLED}")
                    migrate_postgres(writing, where=place)
                elif read_version(reading, where=place) < READABLE:
                    raise StoreError(
                        f"store {place}: there is none, or one of an older moot; open it for "
                        "writing once"
                    )
            except DatabaseFault as fault:
                raise store_error(fault, place) from fault
            if writing is not None:
                writer = PostgresWriter(writing, place, patience)
                opened.callback(writer.stop)
            reading.patience = asking.patience = patience
            sessions = PostgresSessions(place, reading, writing)
            if writer is not None:
                writer.sessions, sessions.on_taken = sessions, writer.patience.stop
            lookup = _SharedLookup(reading, asking, place)
            claims = PostgresClaims(sessions, asking, writer, lookup, place)
            store = cls(place, reading, writer, sessions, claims, lookup)
            store._link, store._asking = link, asking
            store._idle = []
            store._connect = partial(PostgresConnection, link, address, readonly=True)
            opened.pop_all()
        return store

    def begin_run(self, key: str, name: str, study: bytes) -> RunRow:
        """Return the run of a key, run by this session from now on; see ``StoreRuns``."""
        run = super().begin_run(key, name, study)
        if isinstance(self._writer, PostgresWriter):
            self._writer.warm_up()
        return run

    def _release(self) -> None:
        self.claims.close()
        if self._writer is not None:
            self._writer.stop()
        self._asking.close()
        for connection in self._idle:
            connection.close()
        self._link.close()

    def open_reader(self) -> StoreReader:
        """Return a reader with a connection of its own, for use in another thread."""
        connection = self._idle.pop() if self._idle else self._connect()
        sessions = PostgresSessions(self.file, connection, None)
        return StoreReader(self.file, connection, sessions, lambda: self._keep(connection))

    def _keep(self, connection: PostgresConnection) -> None:
        if len(self._idle) < _IDLE and not self._closed:
            self._idle.append(connection)
        else:
            connection.close()

    def checkpoint(self) -> None:
        """Do nothing: the server folds its log by itself."""


async def _connect_all(writing: PostgresConnection, reading: PostgresConnection) -> bool:
    """Connect both at once; return whether a pooler lets connections share those of the server.

    Where a connection has the process that it was told, there is no pooler. Connections that are
    their own never have the same process, and keep the one that they have, also while the other
    one is in a transaction and after that, when a pooler gives away the process used last.
    """
    query = "SELECT pg_backend_pid()"
    asked = [each.fetch(query) for each in (writing, reading)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    if found == [[(each.server_process,)] for each in (writing, reading)]:
        return False
    if found[0] == found[1]:
        return True
    await reading.disconnect()  # made anew: two that are made at once may seem apart
    first = await writing.fetch(query)
    await reading.fetch("BEGIN")
    other, again = await reading.fetch(query), await writing.fetch(query)
    await reading.fetch("ROLLBACK")
    last = await writing.fetch(query)
    return not (first == again == last != other)


class _SharedLookup(Lookup):
    """Finds replies by one query for all that are asked for in a turn, without blocking the loop.

    Args:
        reader: the connection for messages about damage.
        asking: the connections for look-ups.
        place: the address without a password.
    """

    def __init__(self, reader: PostgresConnection, asking: CallerConnections, place: str) -> None:
        super().__init__(reader, place)
        self._asking = asking

    def _answer_all(self) -> None:
        """Begin to query."""
        self._task = asyncio.get_running_loop().create_task(self._query_all())

    async def _query_all(self) -> None:
        """Query all that is wanted; then all that was wanted meanwhile, and so on."""
        try:
            while wanted := self._wanted:
                self._wanted = []
                identities = [identity for identity, _ in wanted]
                query = asyncio.ensure_future(self._asking.fetch(FIND, identities))
                await asyncio.wait([query])
                self._resolve_all(wanted, partial(_index, query))
        finally:
            self._loop = None


def _index(query: "asyncio.Future[list[Any]]") -> dict[bytes, tuple[Any, ...]]:
    """Return the rows of replies by identity, or raise the error of the query."""
    return {row[0]: tuple(row)[1:] for row in query.result()}
