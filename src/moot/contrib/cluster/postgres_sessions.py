"""Sessions of a store in PostgreSQL: an advisory lock shows whether one lives.

The lock belongs to the connection that writes. The server frees it when that ends in any way. After
a loss of the connection the next one takes it again, before it does anything else.
"""

from collections.abc import Callable
from functools import partial

from moot import StoreError
from moot.contrib.cluster.postgres_link import PostgresConnection, ServerConnection
from moot.extend.stores import StoreConnection, store_error, transaction
from moot.ledger.sessions import Sessions

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


class PostgresSessions:
    """The signs that sessions live; see ``moot.ledger.sessions.Living``.

    Args:
        place: the address, for messages.
        writer: the connection that writes and has the lock; None where no session can begin.

    Attributes:
        sessions: the sessions of the store; they know what its own has begun.
        on_begun: called once the own session has begun.
        on_taken: called where another session took over a run or a lease of this one, while its
            connection was lost.
    """

    sessions: Sessions

    def __init__(self, place: str, writer: PostgresConnection | None) -> None:
        self._store, self._writer = place, writer
        self.on_begun: Callable[[], object] = lambda: None
        self.on_taken: Callable[[StoreError], None] = lambda _: None

    def begin(self, connection: StoreConnection, host: str, pid: int, started: float) -> int:
        """Begin the store's own session, durably; return its number."""
        writer = self._writer
        if writer is None:
            raise StoreError(f"store {self._store}: it was opened for reading only")
        insert = "INSERT INTO sessions (host, pid, started) VALUES (?, ?, ?) RETURNING id"
        with transaction(connection):
            number: int
            (number,) = connection.execute(insert, (host, pid, started)).fetchone()
            # Locked before others can see the row: a session without its lock has ended.
            connection.execute(f"SELECT pg_advisory_lock({_SPACE}, {number})")
        writer.on_made = partial(self._restore, number)
        self.on_begun()
        return number

    async def _restore(self, own: int, connection: ServerConnection) -> None:
        """Lock the own session again over a new connection, and notice what was taken over.

        The server may still have the lost connection: it is ended first, as its lock is in the way.
        """
        await connection.execute(_END_OLD, own)
        await connection.execute(f"SELECT pg_advisory_lock({_SPACE}, {own})")
        runs, leases = [*self.sessions.runs], [*self.sessions.leases]
        taken = await connection.fetch(_TAKEN, runs, own, leases)
        if taken:
            names = ", ".join(row[0] for row in taken)
            self.on_taken(
                StoreError(
                    f"store {self._store}: the connection was lost, and another process has taken "
                    f"over {names} meanwhile: this process makes no more calls; all that it has "
                    "paid for is kept: run again to go on"
                )
            )

    def explain_taken(self, debates: int) -> StoreError:
        """Return the error for debates of runs that another process has taken over."""
        return StoreError(
            f"store {self._store}: another process has taken over the run of {debates} debates: "
            "those of that process stay, and these are not stored; run again to go on"
        )

    def is_alive(self, session: int, reader: StoreConnection) -> bool:
        """Return whether the process of another session still has the store open."""
        try:
            found = reader.execute(_ALIVE, (session,))
        except Exception as error:
            raise store_error(error, self._store) from error
        return bool(found.fetchone()[0])
