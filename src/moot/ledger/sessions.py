"""Sessions: the processes that pay with a store. A lock shows whether a session lives."""

import os
import socket
import sqlite3
from pathlib import Path
from time import time

from msgspec.structs import replace

from moot.core.errors import StoreError
from moot.core.stored import RunRow, Session
from moot.ledger.locks import LOCKS, LockFile
from moot.ledger.store_place import store_error
from moot.ledger.transaction import transaction

_LIVES = 1 << 62
"""The position of session 0 in the lock file. Each session locks one byte, by its number."""
_ALL = 1 << 61
_SILENT = _LIVES + _ALL
"""The byte locked by a session that does not show its claims, as the only one; see ``Claims``."""
_FIELDS = Session.__struct_fields__
_SELECT = f"SELECT {', '.join(f'sessions.{name}' for name in _FIELDS)} FROM sessions"  # noqa: S608  own


def has_living_session(file: Path) -> bool:
    """Return whether any process pays with a store now, by the lock file beside it."""
    return _is_locked(file.with_name(LOCKS), _LIVES, _ALL)


def _is_locked(place: Path, start: int, length: int = 1) -> bool:
    if not place.exists():
        return False
    locks = LockFile(place, readonly=True)
    try:
        return locks.find_lock(start, length) is not None
    finally:
        locks.close()


class Sessions:
    """The sessions of a store, past and present.

    A session is a row, and a lock that its process holds as long as it lives; see ``Session``.

    Args:
        file: the store's file.
        reader: the connection that reads.
        readonly: no own session can begin.

    Attributes:
        own: the session of this store object, once it has begun.
        locks: the store's lock file; None where it is opened for reading only.
    """

    def __init__(self, file: Path, reader: sqlite3.Connection, *, readonly: bool) -> None:
        self.own: Session | None = None
        self._file, self._reader = file, reader
        self._place = file.with_name(LOCKS)
        self.locks = None if readonly else LockFile(self._place, like=file)
        self._first = False

    def begin(self, connection: sqlite3.Connection) -> Session:
        """Begin the store's own session, durably, unless it has begun.

        Args:
            connection: the connection that writes; it is in no transaction.
        """
        if self.own is not None:
            return self.own
        locks = self.locks
        if locks is None:
            raise StoreError(f"store {self._file}: it was opened for reading only")
        try:
            with transaction(connection):
                own = self._insert(connection, locks)
        except BaseException:
            locks.free(_LIVES, _ALL + 1)
            raise
        self.own = own
        return own

    def _insert(self, connection: sqlite3.Connection, locks: LockFile) -> Session:
        """Write the row of the own session, lock its byte, and return the session."""
        host, pid, started = socket.gethostname(), os.getpid(), time()
        number = connection.execute(
            "INSERT INTO sessions (host, pid, started) VALUES (?, ?, ?)", (host, pid, started)
        ).lastrowid
        assert number is not None
        # Locked before others can see the row: a session whose byte is not locked has ended.
        while not locks.take(_LIVES + number):
            # Only a store that was restored from an older copy uses a number twice.
            number += 1
            connection.execute("UPDATE sessions SET id = ? WHERE id = ?", (number, number - 1))
        self._first = locks.find_lock(_LIVES, _ALL) is None and locks.take(_SILENT)
        return Session(id=number, host=host, pid=pid, started=started)

    @property
    def is_alone(self) -> bool:
        """Whether no other session lives, and none lived when the own one began."""
        locks = self.locks
        return locks is not None and self._first and locks.find_lock(_LIVES, _ALL) is None

    def is_visible(self) -> bool:
        """Return whether other processes can see the own session: its lock file is in place."""
        return self.own is None or self.locks is None or self.locks.in_place

    def show_claims(self) -> None:
        """Let other sessions make calls: they can now see the claims of this one."""
        if self.locks is not None:
            self.locks.free(_SILENT)

    @property
    def others_silent(self) -> bool:
        """Whether another session makes calls without showing its claims."""
        return self.locks is not None and self.locks.find_lock(_SILENT) is not None

    def is_alive(self, session: int) -> bool:
        """Return whether the process of a session still has the store open."""
        if self.own is not None and session == self.own.id:
            return True
        if self.locks is not None:
            return self.locks.find_lock(_LIVES + session) is not None
        return _is_locked(self._place, _LIVES + session)

    def list_living(self) -> list[Session]:
        """Return the sessions whose processes have the store open, the newest first."""
        return [each for each in self._rows("ORDER BY id DESC") if self.is_alive(each.id)]

    def of(self, run: int, connection: sqlite3.Connection | None = None) -> Session | None:
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

    def close(self) -> None:
        """End the own session."""
        if self.locks is not None:
            self.locks.close()

    def _rows(
        self, where: str, *values: object, connection: sqlite3.Connection | None = None
    ) -> list[Session]:
        try:
            found = (connection or self._reader).execute(f"{_SELECT} {where}", values).fetchall()
        except sqlite3.Error as error:
            if "no such table: sessions" in str(error) or "runs.session" in str(error):
                return []  # of an older moot, and opened for reading only
            raise store_error(error, self._file) from error
        return [Session(**dict(zip(_FIELDS, row, strict=True))) for row in found]
