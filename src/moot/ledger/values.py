"""Recorded debates that are measured again: what they are measured by, and their new values."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from moot.core.errors import DamagedError, StoreError
from moot.ledger.digests import check_content
from moot.ledger.place import store_error
from moot.ledger.transaction import transaction
from moot.ledger.writer import Writer


class Span(NamedTuple):
    """Where the debates of a run lie in the store, and how many they are."""

    first: int
    last: int
    debates: int


class Measured(NamedTuple):
    """One debate as it was measured.

    Attributes:
        number: of its row in the store.
        values: its metric values, as JSON.
        transcript: what it was measured by, as JSON.
    """

    number: int
    values: bytes
    transcript: bytes


class Update(NamedTuple):
    """New values for a debate, if it still has those that were read."""

    number: int
    before: bytes
    after: bytes


class Values:
    """The metric values of recorded debates, to be read and replaced; see ``Parts.measured``."""

    def __init__(self, file: Path, reader: sqlite3.Connection, writer: Writer | None) -> None:
        self._file, self._reader, self._writer = file, reader, writer

    def span(self, run: int) -> Span:
        """Where a run's debates lie; those of other runs may lie between them."""
        query = "SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), -1), COUNT(*) FROM debates "
        return Span(*self._rows(query + "WHERE run = ?", run)[0])

    def between(self, run: int, first: int, last: int) -> list[Measured]:
        """The debates of a run that lie between two places, both included, as they were kept."""
        # The plus keeps SQLite from the index of the run: rows are read in the order they lie in.
        query = (
            "SELECT id, metrics, values_digest, transcript, transcript_digest FROM debates "
            "WHERE id BETWEEN ? AND ? AND +run = ? ORDER BY id"
        )
        try:
            return [_measured(row) for row in self._rows(query, first, last, run)]
        except DamagedError as error:
            raise store_error(error, self._file) from error

    async def replace(self, updates: Sequence[Update]) -> int:
        """Write new values, durably and all together; returns for how many debates.

        A debate that has been held or measured anew since it was read keeps what it has now.
        """
        if self._writer is None:
            raise StoreError(f"store {self._file}: it was opened for reading only")
        return await asyncio.wrap_future(self._writer.do(lambda found: _replace(found, updates)))

    def _rows(self, query: str, *values: int) -> list[tuple[Any, ...]]:
        try:
            return self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise store_error(error, self._file) from error


def _measured(row: tuple[Any, ...]) -> Measured:
    number, values, values_digest, transcript, transcript_digest = row
    return Measured(
        number,
        check_content(values, values_digest, f"the values of debate {number}"),
        check_content(transcript, transcript_digest, f"the transcript of debate {number}"),
    )


def _replace(connection: sqlite3.Connection, updates: Sequence[Update]) -> int:
    with transaction(connection):
        cursor = connection.executemany(
            "UPDATE debates SET metrics = ?, values_digest = ? WHERE id = ? AND metrics = ?",
            [
                (each.after, each.after and crc32(each.after), each.number, each.before)
                for each in updates
            ],
        )
    return cursor.rowcount
