"""The store in SQLite: the ledger of paid replies, and the runs and debates made of them."""

import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from time import monotonic, sleep

from moot.ledger.claims import Claims
from moot.ledger.connect import check_missing, check_whole, read_connection, write_connection
from moot.ledger.file_sessions import FileSessions
from moot.ledger.lookup import Lookup
from moot.ledger.reader import StoreReader
from moot.ledger.sqlite_writer import SqliteWriter
from moot.ledger.store_place import STORE_FILE, store_error
from moot.ledger.store_runs import StoreRuns

_AGAIN = 0.01  # seconds between two attempts to open what another process is about to close
_READER = 5.0
"""Seconds that a reader waits for another process."""


class Store(StoreRuns):
    """An open store in SQLite.

    Everything is read in the calling thread and written in one other, by ``Writer``. An error of
    the disk or the file is a ``StoreError`` that says what to do; all earlier records stay.
    """

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False, patience: float = 30.0) -> "Store":
        """Open the store in a folder; make folder and file where there are none.

        Args:
            path: the folder; see ``moot.ledger.store_place.store_path``.
            readonly: write nothing; then the folder may be read-only.
            patience: seconds to wait for another process that writes.

        Raises:
            StoreError: the store cannot be opened, is damaged, or was made by a newer moot.
        """
        file = path / STORE_FILE
        end = monotonic() + patience
        while True:
            try:
                return cls._open(file, readonly=readonly, patience=patience)
            except (sqlite3.Error, OSError) as error:
                # The last process to close folds the log into the file. SQLite does not wait for
                # that, even with a timeout.
                busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or monotonic() > end:
                    raise store_error(error, file) from error
            sleep(_AGAIN)

    @classmethod
    def _open(cls, file: Path, *, readonly: bool, patience: float) -> "Store":
        with ExitStack() as opened:
            writing = writer = None
            if readonly:
                # Where not even a log's index may be written, there is no log; see read_connection.
                with suppress(sqlite3.OperationalError):
                    check_whole(file, patience)
            else:
                writing = opened.enter_context(closing(write_connection(file, patience)))
            reading = opened.enter_context(closing(read_connection(file, patience)))
            if writing is None:
                check_missing(file, reading)
            else:
                writer = SqliteWriter(writing, file, patience)
                opened.callback(writer.stop)
            sessions = FileSessions(file, reading, readonly=readonly)
            lookup = Lookup(reading, file)
            store = cls(file, reading, writer, sessions, Claims(sessions, lookup), lookup)
            opened.pop_all()
        return store

    def _release(self) -> None:
        if self._writer is not None:
            self._writer.stop()
        self.claims.close()
        self.sessions.close()

    def open_reader(self) -> StoreReader:
        """Return a reader with a connection of its own, for use in another thread."""
        return open_reader(self.file)

    def checkpoint(self) -> None:
        """Begin to fold the write-ahead log into the file, as closing does; wait for nothing."""
        self._writing().do(
            lambda writing: writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        )


def open_reader(file: Path) -> StoreReader:
    """Return a reader of a store's file. Raises ``StoreError`` where it cannot be read."""
    try:
        connection = read_connection(file, _READER)
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, file) from error
    sessions = FileSessions(file, connection, readonly=True)
    return StoreReader(file, connection, sessions, connection.close)
