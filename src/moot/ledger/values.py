"""The metric values of recorded debates, for measuring them again."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

from moot.core.errors import DamagedError
from moot.ledger.compression import VALUES, compress
from moot.ledger.storage import StoreConnection
from moot.ledger.store_place import store_error
from moot.ledger.store_replies import StoreReplies
from moot.ledger.stored_records import check_content
from moot.ledger.transaction import transaction


class Span(NamedTuple):
    """The first and the last row of a run's debates, and their number."""

    first: int
    last: int
    debates: int


class StoredDebate(NamedTuple):
    """One recorded debate.

    Attributes:
        number: the number of its row in the store.
        values: its metric values, as JSON.
        transcript: its transcript, as JSON.
        stored: its metric values as they are stored.
    """

    number: int
    values: bytes
    transcript: bytes
    stored: bytes


class Update(NamedTuple):
    """New values for the debate of a row.

    Attributes:
        number: the number of its row in the store.
        before: its values as they were stored; the new ones are written if it still has them.
        after: its new values, as JSON.
    """

    number: int
    before: bytes
    after: bytes


class StoredValues:
    """The metric values of recorded debates; see ``Store.debate_values``."""

    def __init__(self, store: StoreReplies) -> None:
        self._store = store

    def find_span(self, run: int) -> Span:
        """Return the rows of a run's debates; debates of other runs may stand between them."""
        query = "SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), -1), COUNT(*) FROM debates "
        return Span(*self._store.query(query + "WHERE run = ?", run)[0])

    def read_span(self, run: int, first: int, last: int) -> list[StoredDebate]:
        """Return the debates of a run whose row ids are from ``first`` to ``last``, both included.

        Raises:
            DamagedError: one of them is not what was written.
        """
        # The plus keeps SQLite from the index of the run: rows are read in their order in the file.
        query = (
            "SELECT id, metrics, values_digest, transcript, transcript_digest FROM debates "
            "WHERE id BETWEEN ? AND ? AND +run = ? ORDER BY id"
        )
        try:
            return [_check(row) for row in self._store.query(query, first, last, run)]
        except DamagedError as error:
            raise store_error(error, self._store.file) from error

    async def replace(self, updates: Sequence[Update]) -> int:
        """Write new values, all in one transaction; return the number of debates changed.

        A debate whose values have changed since they were read keeps them.
        """
        return await self._store.change(lambda connection: _replace(connection, updates))


def _check(row: tuple[Any, ...]) -> StoredDebate:
    number, values, values_digest, transcript, transcript_digest = row
    return StoredDebate(
        number,
        check_content(values, values_digest, f"the values of debate {number}"),
        check_content(transcript, transcript_digest, f"the transcript of debate {number}"),
        values,
    )


def _replace(connection: StoreConnection, updates: Sequence[Update]) -> int:
    with transaction(connection):
        change = (
            "UPDATE debates SET metrics = ?, values_digest = ? WHERE id = ? AND metrics = ? "
            "RETURNING id"
        )
        changed = [
            connection.execute(change, (*_pack(each.after), each.number, each.before)).fetchone()
            for each in updates
        ]
    return len(changed) - changed.count(None)


def _pack(values: bytes | None) -> tuple[bytes | None, int | None]:
    """Return values as they are stored, and the digest of their JSON."""
    return (None, None) if values is None else (compress(values, VALUES), crc32(values))
