"""The writer of a store in SQLite: its statements, and its care for the file."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from time import monotonic

from moot.core.errors import StoreError
from moot.ledger.batch import (
    COLUMNS,
    Record,
    Save,
    WrittenReplies,
    insert_debates,
    insert_replies,
)
from moot.ledger.connect import make_private
from moot.ledger.locks import LOCKS
from moot.ledger.patience import log
from moot.ledger.store_place import store_error
from moot.ledger.watermark import Watermark, read_newest
from moot.ledger.writer import GROUP, Writer

_CHECK = 1.0  # seconds between two checks that the file is still there


class SqliteWriter(Writer):
    """The thread that writes to a file; see ``Writer``.

    Args:
        connection: the connection to the store; used in the thread alone.
        file: the store's file.
        patience: as of ``Writer``.

    Attributes:
        mark: the note of the newest durable records.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path, patience: float = 30.0) -> None:
        self.mark = Watermark(file, read_newest(connection))
        self._own, self._looked = _number_of(file), monotonic()
        self._gone: Path | None = None
        """The file that gets a copy of the store, once its own was removed."""
        self._database, self._file = connection, file
        most = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // COLUMNS
        super().__init__(connection, file, patience, min(GROUP, 1 << (most.bit_length() - 1)))

    def _insert_replies(self, records: Sequence[Record]) -> WrittenReplies:
        return insert_replies(self._database, records)

    def _insert_debates(self, saves: Sequence[Save]) -> int:
        return insert_debates(self._database, saves)

    def _note(self, *, replies: int = 0, debates: int = 0, rankings: int = 0) -> None:
        if replies or debates or rankings:
            self.mark.note(replies=replies, debates=debates, rankings=rankings)

    def _end(self) -> None:
        self._save_copy()
        super()._end()
        self.mark.close()

    def _check(self, *, last: bool) -> None:
        """Check about once a second that the file was not removed or replaced.

        The system does not report that: the connection still reads and writes the old file.
        """
        now = monotonic()
        if self._gone is not None or (now < self._looked + _CHECK and not last):
            return
        self._looked = now
        if _number_of(self._file) == self._own:
            if not last and not self.is_visible():
                self.patience.stop(
                    StoreError(
                        f"store {self._file}: {LOCKS} beside it was removed or replaced while it "
                        "was in use: another process could pay for the same calls; all recorded "
                        "before is kept: run again to go on"
                    )
                )
            return
        self._gone, number = self._file, 0
        while self._gone.exists():
            number += 1
            self._gone = self._file.with_name(f"{self._file.name}-saved-{number}")
        self.patience.stop(
            StoreError(
                f"store {self._file}: it was removed, moved or replaced while it was in use; all "
                f"that it held is written to {self._gone} when this process ends"
            )
        )

    def _save_copy(self) -> None:
        """Copy a removed store to a new file."""
        if self._gone is None:
            return
        try:
            self._gone.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            make_private(self._gone)
            with closing(sqlite3.connect(self._gone)) as copy:
                self._database.backup(copy)
        except (sqlite3.Error, OSError) as error:
            log.error("%s", store_error(error, self._gone))


def _number_of(file: Path) -> tuple[int, int] | None:
    """Return the system's number of a file; None where it does not exist."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
