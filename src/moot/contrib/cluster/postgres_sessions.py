"""Sessions of a store in PostgreSQL: an advisory lock shows whether one lives.

The lock belongs to the connection that writes. The server frees it when that ends in any way. After
a loss of the connection the next one takes it again, before it does anything else.
"""

import os
import socket
from collections.abc import Callable
from time import time

import asyncpg

from moot.contrib.cluster.postgres_link import PostgresConnection
from moot.core.errors import StoreError
from moot.core.stored import Session
from moot.ledger.sessions import Sessions
from moot.ledger.storage import StoreConnection
from moot.ledger.store_place import store_error
from moot.ledger.transaction import transaction

_SPACE = 0x6D6F6F74
"""The first of the two numbers of a session's lock; the second is the session's own."""
_ALIVE = f"""
    SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = {_SPACE}
        AND objsubid = 2 AND granted AND objid = ?::bigint
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""  # noqa: S608  own text only
"""Whether the session of a number lives; the function ``claim`` of the schema asks the same."""
_END_OLD = f"""
    SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
        AND classid = {_SPACE} AND objsubid = 2 AND granted AND objid = $1::bigint
        AND pid <> pg_backend_pid()
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608  own text only
_TAKEN = """
    SELECT 'run ' || key FROM runs WHERE id = ANY($1::bigint[]) AND session <> $2::bigint
    UNION ALL SELECT 'the budget of ' || budget FROM leases
        WHERE id = ANY($3::bigint[]) AND ended IS NOT NULL
"""


class PostgresSessions(Sessions):
    """The sessions of a store in PostgreSQL.

    Args:
        place: the address, for messages.
        reader: the connection that reads.
        writer: the connection that writes and has the lock; None where no session can begin.

    Attributes:
        on_taken: called where another session took over a run or a lease of this one, while its
            connection was lost.
    """

    def __init__(
        self, place: str, reader: PostgresConnection, writer: PostgresConnection | None
    ) -> None:
        super().__init__(place, reader)
        self._writer = writer
        self.on_taken: Callable[[StoreError], None] = lambda _: None

    def begin(self, connection: StoreConnection) -> Session:
        """Begin the store's own session, durably, unless it has begun."""
        if self.own is not None:
            return self.own
        writer = self._writer
        if writer is None:
            raise StoreError(f"store {self._store}: it was opened for reading only")
        host, pid, started = socket.gethostname(), os.getpid(), time()
        insert = "INSERT INTO sessions (host, pid, started) VALUES (?, ?, ?) RETURNING id"
        with transaction(connection):
            (number,) = connection.execute(insert, (host, pid, started)).fetchone()
            # Locked before others can see the row: a session without its lock has ended.
            lock = f"SELECT pg_advisory_lock({_SPACE}, {number})"
            connection.execute(lock)
        self.own = Session(id=number, host=host, pid=pid, started=started)
        writer.on_made = self._restore
        return self.own

    async def _restore(self, connection: asyncpg.Connection) -> None:
        """Lock the own session again over a new connection, and notice what was taken over.

        The server may still have the lost connection: it is ended first, as its lock is in the way.
        """
        own = self.own
        assert own is not None
        await connection.execute(_END_OLD, own.id)
        await connection.execute(f"SELECT pg_advisory_lock({_SPACE}, {own.id})")
        taken = await connection.fetch(_TAKEN, [*self.runs], own.id, [*self.leases])
        if taken:
            names = ", ".join(row[0] for row in taken)
            self.on_taken(
                StoreError(
                    f"store {self._store}: the connection was lost, and another process has taken "
                    f"over {names} meanwhile: this process makes no more calls; all that it has "
                    "paid for is kept: run again to go on"
                )
            )

    def is_alive(self, session: int) -> bool:
        """Return whether the process of a session still has the store open."""
        if self.own is not None and session == self.own.id:
            return True
        try:
            found = self._reader.execute(_ALIVE, (session,))
        except Exception as error:
            raise store_error(error, self._store) from error
        return bool(found.fetchone()[0])

    def is_visible(self) -> bool:
        """Return whether other processes can see that the own session lives."""
        return True

    def close(self) -> None:
        """End the own session; its connection is closed by the writer."""
