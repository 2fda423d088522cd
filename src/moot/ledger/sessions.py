"""Sessions: the processes that pay with a store, past and present."""

import os
import socket
from collections.abc import Callable
from time import time
from typing import Protocol

from msgspec.structs import replace

from moot.core.stored import RunRow, Session
from moot.ledger.storage import DATABASE_ERRORS, StoreConnection
from moot.ledger.store_place import StorePlace, store_error

_FIELDS = Session.__struct_fields__
_SELECT = f"SELECT {', '.join(f'sessions.{name}' for name in _FIELDS)} FROM sessions"  # noqa: S608  own


class Living(Protocol):
    """The signs by which processes see that a session lives: locks that end with its process."""

    def begin(self, connection: StoreConnection, host: str, pid: int, started: float) -> int:
        """Begin the store's own session, durably; return its number.

        Args:
            connection: the connection that writes; it is in no transaction.
            host: the name of the host.
            pid: the number of the process.
            started: Unix seconds.
        """

    def is_alive(self, session: int, reader: StoreConnection) -> bool:
        """Return whether the process of another session still has the store open."""


class Sessions:
    """The sessions of a store, past and present.

    A session is a row, and a lock that its process holds as long as it lives; see ``Session``.

    Args:
        place: the store's file or address.
        reader: the connection that reads.
        living: the locks.

    Attributes:
        own: the session of this store object, once it has begun.
        runs: the numbers of the runs that it runs now.
        begun: the numbers of the runs that it runs or has run.
        leases: the numbers of the leases that it has now.
    """

    def __init__(self, place: StorePlace, reader: StoreConnection, living: Living) -> None:
        self.own: Session | None = None
        self.runs, self.begun, self.leases = set[int](), set[int](), set[int]()
        self._store, self._reader, self._living = place, reader, living

    def begin(self, connection: StoreConnection, then: Callable[[Session], None]) -> Session:
        """Begin the store's own session, durably, unless it has begun.

        Args:
            connection: the connection that writes; it is in no transaction.
            then: is called with the session once it has begun.
        """
        if self.own is None:
            host, pid, started = socket.gethostname(), os.getpid(), time()
            number = self._living.begin(connection, host, pid, started)
            self.own = Session(id=number, host=host, pid=pid, started=started)
            then(self.own)
        return self.own

    def is_alive(self, session: int) -> bool:
        """Return whether the process of a session still has the store open."""
        if self.own is not None and session == self.own.id:
            return True
        return self._living.is_alive(session, self._reader)

    def list_living(self) -> list[Session]:
        """Return the sessions whose processes have the store open, the newest first."""
        return [each for each in self._rows("ORDER BY id DESC") if self.is_alive(each.id)]

    def of(self, run: int, connection: StoreConnection | None = None) -> Session | None:
        """Return the session that runs a run, or ran it last; None where it is unknown.

        Args:
            run: the number of the run.
            connection: the connection to read by; None for the one that reads.
        """
        where = "JOIN runs ON runs.session = sessions.id WHERE runs.id = ?"
        return next(iter(self._rows(where, run, connection=connection)), None)

    def get(self, number: int) -> Session | None:
        """Return the session of this number, or None."""
        return next(iter(self._rows("WHERE id = ?", number)), None)

    def find_by_remainder(self, rest: int, divisor: int) -> Session | None:
        """Return the newest session with this remainder of its number, or None."""
        where = "WHERE id % ? = ? ORDER BY id DESC LIMIT 1"
        return next(iter(self._rows(where, divisor, rest)), None)

    def with_true_status(self, row: RunRow) -> RunRow:
        """Return a running run with its session, or as stopped where its process is gone."""
        if row.status != "running" or (session := self.of(row.id)) is None:
            return row
        if self.is_alive(session.id):
            return replace(row, session=session)
        return replace(row, status="stopped")

    def _rows(
        self, where: str, *values: object, connection: StoreConnection | None = None
    ) -> list[Session]:
        try:
            found = (connection or self._reader).execute(f"{_SELECT} {where}", values).fetchall()
        except DATABASE_ERRORS as error:
            if "no such table: sessions" in str(error) or "runs.session" in str(error):
                return []  # of an older moot, and opened for reading only
            raise store_error(error, self._store) from error
        return [Session(**dict(zip(_FIELDS, row, strict=True))) for row in found]
