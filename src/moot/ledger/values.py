"""The metric values of recorded debates, for measuring more of them, and again."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple
from zlib import crc32

from moot.core.errors import DamagedError
from moot.ledger.database import Do
from moot.ledger.derived import expand
from moot.ledger.storage import Query, StoreConnection, transaction
from moot.ledger.store_place import StorePlace, store_error
from moot.ledger.stored_records import DEBATE_KEY, check_content, make_seal, read_seal

_DEBATE = (
    "id, metrics, values_digest, transcript, transcript_digest, measured_by, "
    f"run, {', '.join(DEBATE_KEY)}"
)
_DIGESTS = "substr(measured_by, 1, length(measured_by) - 4)"
"""What a seal says, without the checksum."""


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
        measured_by: the digests of the metrics that have measured it; None where it is not known.
        key: its arm, dataset, question and replicate.
    """

    number: int
    values: bytes
    transcript: bytes
    stored: bytes
    measured_by: bytes | None
    key: tuple[str, str, str, int]


class Update(NamedTuple):
    """New values for the debate of a row.

    Attributes:
        number: the number of its row in the store.
        before: its values as they were stored; the new ones are written if it still has them.
        after: its new values, as JSON.
        measured_by: the digests of the metrics that have measured it; None where it is not known.
    """

    number: int
    before: bytes
    after: bytes
    measured_by: bytes | None = None


class StoredValues:
    """The metric values of recorded debates; see ``Store.debate_values``."""

    def __init__(self, place: StorePlace, query: Query, do: Do) -> None:
        self._place, self._query, self._do = place, query, do

    def find_span(self, run: int) -> Span:
        """Return the rows of a run's debates; debates of other runs may stand between them."""
        query = "SELECT COALESCE(MIN(id), 0), COALESCE(MAX(id), -1), COUNT(*) FROM debates "
        return Span(*self._query(query + "WHERE run = ?", run)[0])

    def list_measurers(self, run: int) -> list[bytes | None]:
        """Return what the seals of a run's debates say of who has measured them, each once."""
        query = f"SELECT DISTINCT {_DIGESTS} FROM debates WHERE run = ?"  # noqa: S608  own
        return [_read_digests(found) for (found,) in self._query(query, run)]

    def find_rows(
        self, run: int, measurers: Collection[bytes | None], question: str | None = None
    ) -> list[int]:
        """Return the rows of a run's debates, or a question's, that one of these has measured."""
        query = f"SELECT id, {_DIGESTS}, question FROM debates WHERE run = ? ORDER BY id"  # noqa: S608  own
        return [
            number
            for number, found, of in self._query(query, run)
            if _read_digests(found) in measurers and question in {None, of}
        ]

    def read_span(self, run: int, first: int, last: int) -> list[StoredDebate]:
        """Return the debates of a run whose row ids are from ``first`` to ``last``, both included.

        Raises:
            DamagedError: one of them is not what was written.
        """
        return self._check_all(self._query_span(_DEBATE, run, first, last))

    def read_rows(self, numbers: Sequence[int]) -> list[StoredDebate]:
        """Return the debates in these rows. Raises ``DamagedError`` as ``read_span``."""
        marks = ", ".join("?" * len(numbers))
        query = f"SELECT {_DEBATE} FROM debates WHERE id IN ({marks}) ORDER BY id"  # noqa: S608  own
        return self._check_all(self._query(query, *numbers))

    def _check_all(self, rows: Iterable[tuple[Any, ...]]) -> list[StoredDebate]:
        try:
            return [_check(row, self._query) for row in rows]
        except DamagedError as error:
            raise store_error(error, self._place) from error

    def read_origins(self, run: int, first: int, last: int) -> list[bytes]:
        """Return the digests of what the finished debates in such a span depend on.

        Those are left out that failed, that have no seals, or that are not what was sealed.
        """
        columns = "transcript, made_by, metrics, measured_by"
        rows = self._query_span(columns, run, first, last, "AND failed = 0")
        return [
            maker
            for transcript, made_by, values, measured_by in rows
            if (maker := read_seal(made_by, transcript)) is not None
            and read_seal(measured_by, values) is not None
        ]

    def _query_span(
        self, columns: str, run: int, first: int, last: int, more: str = ""
    ) -> list[tuple[Any, ...]]:
        # The plus keeps SQLite from the index of the run: rows are read in their order in the file.
        query = (
            f"SELECT {columns} FROM debates "  # noqa: S608  own
            f"WHERE id BETWEEN ? AND ? AND +run = ? {more} ORDER BY id"
        )
        return self._query(query, first, last, run)

    async def replace(self, updates: Sequence[Update]) -> int:
        """Write new values, all in one transaction; return the number of debates changed.

        A debate whose values have changed since they were read keeps them.
        """
        return await asyncio.wrap_future(self.queue(updates))

    def queue(self, updates: Sequence[Update]) -> "Future[int]":
        """Do as ``replace``, and wait for nothing: return the promise of the number."""
        done: Future[int] = self._do(lambda connection: _replace(connection, updates))
        return done


def _read_digests(found: object) -> bytes | None:
    return found if isinstance(found, bytes) else None  # in a damaged file it may be of any type


def _check(row: tuple[Any, ...], query: Query) -> StoredDebate:
    number, values, values_digest, transcript, transcript_digest, measured_by, *place = row
    _, *key = place
    content = check_content(transcript, transcript_digest, f"the transcript of debate {number}")
    return StoredDebate(
        number,
        check_content(values, values_digest, f"the values of debate {number}"),
        expand(content, query, place),
        values,
        read_seal(measured_by, values),
        (*key,),
    )


def _replace(connection: StoreConnection, updates: Sequence[Update]) -> int:
    change = (
        "UPDATE debates SET metrics = ?, values_digest = ?, measured_by = ? "
        "WHERE id = ? AND metrics = ? RETURNING id"
    )
    with transaction(connection):
        changed = [
            connection.execute(change, (*_pack(each), each.number, each.before)).fetchone()
            for each in updates
        ]
    return len(changed) - changed.count(None)


def _pack(update: Update) -> tuple[Any, ...]:
    """Return values as they are stored, their digest, and their seal."""
    return update.after, crc32(update.after), make_seal(update.measured_by, update.after)
