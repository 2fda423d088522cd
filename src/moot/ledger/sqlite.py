"""The database of a store in a folder: a file of SQLite, and the locks beside it."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from itertools import chain
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from moot.core.errors import StoreError
from moot.ledger.claims import Claims
from moot.ledger.connect import (
    check_missing,
    check_whole,
    connect,
    make_private,
    read_connection,
    write_connection,
)
from moot.ledger.database import Do, Record, Save, WriteOutcome
from moot.ledger.locks import LOCKS
from moot.ledger.lookup import Lookup, ReplyRow, TakeRows
from moot.ledger.own_replies import OwnReplies
from moot.ledger.patience import log
from moot.ledger.reader import StoreReader
from moot.ledger.session_locks import SessionLocks
from moot.ledger.sessions import Sessions
from moot.ledger.store_place import STORE_FILE, store_error
from moot.ledger.watermark import Newest, Watermark, read_newest

_AGAIN = 0.01  # seconds between two attempts to open what another process is about to close
_CHECK = 1.0  # seconds between two checks that the file is still there
_READER = 5.0
"""Seconds that a reader waits for another process."""
_SIZES = (1, 4, 16, 64)
"""Identities in one query. There are few sizes, so that SQLite keeps all of them prepared."""
_FIND = "SELECT identity, run, reply, digest FROM replies WHERE identity IN"
_REPLY = """
    INSERT INTO replies (identity, run, created, model, replicate, seat, repeat, prompt_tokens,
        completion_tokens, cost, digest, lease, request, reply)
    VALUES {} ON CONFLICT (identity) DO NOTHING
"""
_COLUMNS = 14
"""The values of one reply."""
_DEBATE = """
    INSERT OR REPLACE INTO debates
        (run, arm, dataset, question, replicate, failed, metrics, transcript,
        values_digest, transcript_digest, made_by, measured_by)
    VALUES {}
"""


class SqliteDatabase:
    """The database of one open store in a folder; see ``Database``.

    Args:
        file: the store's file.
        reader: the connection that reads.
        writer: the connection of the thread that writes; None where the store is only read.

    Attributes:
        mark: the note of the newest durable records; None where the store is only read.
    """

    def __init__(
        self, file: Path, reader: sqlite3.Connection, writer: sqlite3.Connection | None
    ) -> None:
        self.place, self.reader, self.writer = file, reader, writer
        self._living = SessionLocks(file, readonly=writer is None)
        self.most = 1
        self.mark: Watermark | None = None
        if writer is not None:
            self.mark = Watermark(file, read_newest(writer))
            self.most = writer.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // _COLUMNS
        self.sessions = Sessions(file, reader, self._living)
        self.lookup = Lookup(file, reader, self.look_up)
        self._own_replies = OwnReplies(reader, writer)
        self.claims = Claims(self.sessions, self._living, self.lookup, self._own_replies)
        self._own, self._looked = _number_of(file), monotonic()
        self._gone: Path | None = None
        """The file that gets a copy of the store, once its own was removed."""

    def look_up(self, identities: Sequence[bytes], take: TakeRows) -> None:
        """Query the replies to these calls at once."""
        take(lambda: self._find_replies(identities))

    def _find_replies(self, identities: Sequence[bytes]) -> dict[bytes, ReplyRow]:
        """Return the rows of those replies that are recorded, by identity."""
        found: dict[bytes, ReplyRow] = {}
        for start in range(0, len(identities), _SIZES[-1]):
            some = identities[start : start + _SIZES[-1]]
            size = next(size for size in _SIZES if size >= len(some))
            query = f"{_FIND} ({', '.join('?' * size)})"
            rows = self.reader.execute(query, [*some, *[some[0]] * (size - len(some))]).fetchall()
            found.update((row[0], row[1:]) for row in rows)
        return found

    def open_reader(self) -> StoreReader:
        """Return a reader with a connection of its own, for use in another thread."""
        return open_reader(self.place)

    def has_table(self, table: str) -> bool:
        """Return whether the store has a table of this name."""
        query = "SELECT 1 FROM sqlite_master WHERE name = ?"
        return self.reader.execute(query, (table,)).fetchone() is not None

    def translate(self, statement: str) -> str:
        """Return a statement as it is."""
        return statement

    def close(self, stop: Callable[[], None]) -> None:
        """End the session and close all connections but ``reader``."""
        stop()
        self.claims.close()
        if self._living.file is not None:
            self._living.file.close()  # this ends the session

    # In the thread that writes

    def attach(self, do: Do, stop: Callable[[StoreError], None]) -> None:
        """Do nothing: a file asks nothing of the thread."""

    def insert_replies(self, records: Sequence[Record]) -> list[WriteOutcome]:
        """Write replies in one transaction, and return their outcomes."""
        rows = [record.row for record in records]
        self._own_replies.mark(row[0] for row in rows)
        # Filled up with copies of the shortest row, which change nothing, to a prepared size.
        if missing := (1 << (len(rows) - 1).bit_length()) - len(rows):
            rows += [min(rows, key=lambda row: len(row[-1]) + len(row[-2]))] * missing
        cursor = self._insert(_REPLY, rows)
        newest = (cursor.lastrowid or 0) if cursor.rowcount else 0
        new = range(newest - cursor.rowcount + 1, newest + 1)
        self.note("replies", newest)
        self._own_replies.note(new)
        if cursor.rowcount == len(records):
            return [record.reply for record in records]
        return self._list_outcomes(records, new)

    def _list_outcomes(self, records: Sequence[Record], new: range) -> list[WriteOutcome]:
        """Return the outcomes of replies of which only those of these numbers are new."""
        assert self.writer is not None
        marks = ", ".join("?" * len(records))
        found = self.writer.execute(
            f"SELECT identity, id, run, reply, digest FROM replies WHERE identity IN ({marks})",  # noqa: S608  own
            [record.row[0] for record in records],
        )
        stored = {row[0]: (row[1], row[2:]) for row in found}
        kept, paid = list[WriteOutcome](), set[bytes]()
        for record in records:
            identity = record.row[0]
            number, row = stored.get(identity, (0, (None, None, None)))
            if number in new and identity not in paid:
                kept.append(record.reply)
            else:
                kept.append(record.read(row, f"reply {number}"))
            paid.add(identity)
        return kept

    def insert_debates(self, saves: Sequence[Save]) -> None:
        """Write debates in one transaction."""
        self.note("debates", self._insert(_DEBATE, [save.row for save in saves]).lastrowid or 0)

    def _insert(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> sqlite3.Cursor:
        """Insert many rows with one statement, a transaction by itself; return its cursor.

        Every step of a statement releases the interpreter lock. Beside a busy event loop it takes
        up to 5 ms to get it back, so a group of rows is written in one step, begin and commit
        included.
        """
        assert self.writer is not None
        marks = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
        return self.writer.execute(statement.format(marks), list(chain.from_iterable(rows)))

    def note(self, table: str, newest: int) -> None:
        """Note that the rows of a table up to this number are durable, where there is a place."""
        if self.mark is not None and newest and table in Newest._fields:
            self.mark.note(Newest(**{table: newest}))

    def fold(self) -> None:
        """Fold the write-ahead log into the file, as closing does."""
        assert self.writer is not None
        self.writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()

    def check(self, *, last: bool) -> StoreError | None:
        """Check about once a second that the file was not removed or replaced.

        The system does not report that: the connection still reads and writes the old file.
        """
        now = monotonic()
        if self._gone is not None or (now < self._looked + _CHECK and not last):
            return None
        self._looked = now
        if _number_of(self.place) == self._own:
            if last or self._living.is_visible():
                return None
            return StoreError(
                f"store {self.place}: {LOCKS} beside it was removed or replaced while it was in "
                "use: another process could pay for the same calls; all recorded before is kept: "
                "run again to go on"
            )
        self._gone, number = self.place, 0
        while self._gone.exists():
            number += 1
            self._gone = self.place.with_name(f"{self.place.name}-saved-{number}")
        return StoreError(
            f"store {self.place}: it was removed, moved or replaced while it was in use; all "
            f"that it held is written to {self._gone} when this process ends"
        )

    def end_writing(self) -> None:
        """Close the connection that writes; save a copy of a store whose file was removed."""
        assert self.writer is not None
        assert self.mark is not None
        if self._gone is not None:
            self._save_copy(self.writer, self._gone)
        self.writer.close()
        self.mark.close()

    def _save_copy(self, writer: sqlite3.Connection, gone: Path) -> None:
        """Copy a removed store to a new file."""
        try:
            gone.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            make_private(gone)
            with closing(sqlite3.connect(gone)) as copy:
                writer.backup(copy)
        except (sqlite3.Error, OSError) as error:
            log.error("%s", store_error(error, gone))


def open_sqlite(folder: Path, readonly: bool, patience: float) -> SqliteDatabase:  # noqa: FBT001  as any
    """Open the database in a folder; make folder and file where there are none.

    Args:
        folder: the folder; see ``moot.ledger.store_place.store_path``.
        readonly: write nothing; then the folder may be read-only.
        patience: seconds to wait for another process that writes.

    Raises:
        StoreError: the store cannot be opened, is damaged, or was made by a newer moot.
    """
    file = folder / STORE_FILE
    end = monotonic() + patience
    while True:
        try:
            return _open(file, readonly=readonly, patience=patience)
        except (sqlite3.Error, OSError) as error:
            # The last process to close folds the log into the file. SQLite does not wait for
            # that, even with a timeout.
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or monotonic() > end:
                raise store_error(error, file) from error
        sleep(_AGAIN)


def _open(file: Path, *, readonly: bool, patience: float) -> SqliteDatabase:
    with ExitStack() as opened:
        if readonly:
            writing = None
            # Where not even a log's index may be written, there is no log; see read_connection.
            with suppress(sqlite3.OperationalError):
                check_whole(file, patience)
            reading = opened.enter_context(closing(read_connection(file, patience)))
            check_missing(file, reading)
        else:
            writing = opened.enter_context(closing(write_connection(file, patience)))
            reading = opened.enter_context(closing(connect(file, "ro", patience)))
        database = SqliteDatabase(file, reading, writing)
        opened.pop_all()
    return database


def open_reader(file: Path) -> StoreReader:
    """Return a reader of a store's file. Raises ``StoreError`` where it cannot be read."""
    try:
        connection = read_connection(file, _READER)
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, file) from error
    sessions = Sessions(file, connection, SessionLocks(file, readonly=True))
    return StoreReader(file, connection, sessions, connection.close)


def _number_of(file: Path) -> tuple[int, int] | None:
    """Return the system's number of a file; None where it does not exist."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
