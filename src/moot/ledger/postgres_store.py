"""The store in PostgreSQL: the same tables and promises as in SQLite, for many machines."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

from moot.core.calls import Reply
from moot.core.errors import StoreError
from moot.ledger.lookup import Lookup
from moot.ledger.postgres_claims import PostgresClaims
from moot.ledger.postgres_link import PostgresConnection, PostgresLink, hide_password
from moot.ledger.postgres_schema import MIGRATIONS, migrate_postgres, read_version
from moot.ledger.postgres_sessions import PostgresSessions
from moot.ledger.postgres_writer import PostgresWriter
from moot.ledger.storage import DatabaseFault
from moot.ledger.store_place import store_error
from moot.ledger.store_runs import StoreRuns

_FIND = "SELECT identity, run, reply, digest FROM replies WHERE identity = ANY($1::bytea[])"


class PostgresStore(StoreRuns):
    """An open store in PostgreSQL (``moot.core.ports.StorePort``)."""

    claims: PostgresClaims
    _link: PostgresLink
    _asking: PostgresConnection

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
        place = hide_password(address)
        with ExitStack() as opened:
            link = PostgresLink()
            opened.callback(link.close)

            def connect(*, reads: bool) -> PostgresConnection:
                made = PostgresConnection(link, address, readonly=reads)
                opened.callback(made.close)
                return made

            reading, asking = connect(reads=True), connect(reads=readonly)
            writing = None if readonly else connect(reads=False)
            writer = None
            try:
                if writing is not None:
                    migrate_postgres(writing, where=place)
                elif read_version(reading, where=place) < len(MIGRATIONS):
                    raise StoreError(
                        f"store {place}: there is none, or one of an older moot; open it for "
                        "writing once"
                    )
                reading.execute("SELECT 1")
            except DatabaseFault as fault:
                raise store_error(fault, place) from fault
            if writing is not None:
                writer = PostgresWriter(writing, place, patience)
                opened.callback(writer.stop)
            reading.patience = asking.patience = patience
            sessions = PostgresSessions(place, reading, writing)
            claims, find = PostgresClaims(sessions, asking), _SharedLookup(reading, asking, place)
            store = cls(place, reading, writer, sessions, claims, find.find)
            store._link, store._asking = link, asking
            opened.pop_all()
        return store

    def _release(self) -> None:
        if self._writer is not None:
            self._writer.stop()
            self.claims.close()
        self._asking.close()
        self._link.close()

    async def claim(self, identity: bytes) -> Reply | None:
        """Claim a call that ``find`` did not find, or return its reply from another session.

        Returns:
            None: this caller makes the call, and then calls ``record`` or ``release``. Otherwise
            the reply, marked as replayed: this session has waited for another one that made it.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read or written.
        """
        if not self._joined:
            await asyncio.shield(asyncio.wrap_future(self.begin_session()))
            self._joined = True
        try:
            maker = await self.claims.obtain(identity)
        except DatabaseFault as fault:
            raise store_error(fault, self.file) from fault
        try:
            reply = await self._find(identity)
        except BaseException:
            self.claims.free(identity)
            raise
        if reply is not None:
            self.claims.free(identity)
            if maker is not None:
                self.claims.shared[maker] += 1
        return reply

    def checkpoint(self) -> None:
        """Do nothing: the server folds its log by itself."""


class _SharedLookup(Lookup):
    """Finds replies by one query for all that are asked for in a turn, without blocking the loop.

    Args:
        reader: the connection for messages about damage.
        asking: the connection for look-ups.
        place: the address without a password.
    """

    def __init__(self, reader: PostgresConnection, asking: PostgresConnection, place: str) -> None:
        super().__init__(reader, place)
        self._asking = asking

    def _start(self, identities: Sequence[bytes], answer: Callable[[Any], None]) -> None:
        work = self._asking.fetch(_FIND, identities)
        asyncio.wrap_future(self._asking.link.start(work)).add_done_callback(answer)
