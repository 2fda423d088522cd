"""Find recorded replies: one query for all that are asked for in one turn of the event loop."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from moot.core.calls import Reply
from moot.core.errors import DamagedError, StoreError
from moot.ledger.batch import copy_error
from moot.ledger.storage import DATABASE_ERRORS, StoreConnection
from moot.ledger.store_place import StorePlace, store_error
from moot.ledger.stored_records import decode_reply

_SIZES = (1, 4, 16, 64)
"""Identities in one query. There are few sizes, so that SQLite keeps all of them prepared."""

ReplyRow = tuple[Any, ...]
"""Of a reply: the run that paid for it, the reply as JSON, its digest."""
_Wanted = tuple[bytes, "asyncio.Future[Reply | None]"]


class Lookup:
    """Finds replies by the identity of their calls.

    After another connection has written, the first query reads pages of the file again. Beside a
    busy writer that takes several times as long as the query itself, so it is done once for all
    calls of a turn.

    Args:
        reader: the connection that reads.
        file: the store's file, for messages.
    """

    def __init__(self, reader: StoreConnection, file: StorePlace) -> None:
        self._reader, self._file = reader, file
        self._wanted: list[_Wanted] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def find(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, marked as replayed, or None.

        Raises:
            DamagedError: the reply is recorded, but is not what was written.
            StoreError: the file cannot be read.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # the first call in this turn of the loop
            self._loop = loop
            loop.call_soon(self._answer_all)
        future: asyncio.Future[Reply | None] = loop.create_future()
        self._wanted.append((identity, future))
        return await future

    def _answer_all(self) -> None:
        """Query all that is wanted, and resolve every future: with a reply, None or an error."""
        wanted = self._take_wanted()
        self._resolve_all(wanted, lambda: self._query([identity for identity, _ in wanted]))

    def _take_wanted(self) -> list[_Wanted]:
        self._loop = None
        wanted, self._wanted = self._wanted, []
        return wanted

    def _resolve_all(
        self, wanted: Sequence[_Wanted], query: Callable[[], dict[bytes, ReplyRow]]
    ) -> None:
        try:
            found = query()
            for identity, future in wanted:
                if not future.done():  # it may be cancelled
                    self._resolve(future, identity, found.get(identity))
        except BaseException as error:  # without this, the waiting tasks would never end
            trouble = self._explain(error)
            for _, future in wanted:
                if not future.done():
                    future.set_exception(copy_error(trouble))
            if not isinstance(error, Exception):
                raise

    def _resolve(
        self, future: "asyncio.Future[Reply | None]", identity: bytes, row: ReplyRow | None
    ) -> None:
        try:
            future.set_result(None if row is None else self.read(identity, row))
        except DamagedError as error:
            future.set_exception(error)

    def read(self, identity: bytes, row: ReplyRow) -> Reply:
        """Return the reply of a row. Raises ``DamagedError`` if it is not what was written."""
        try:
            return decode_reply(identity, row)
        except DamagedError as error:
            raise self._name_damaged(identity, error) from None

    def _name_damaged(self, identity: bytes, error: DamagedError) -> DamagedError:
        """Return the error with the reply's row, model and time in its text."""
        query = "SELECT id, model, created FROM replies WHERE identity = ?"
        number, model, created = self._reader.execute(query, (identity,)).fetchone()
        try:
            when = f"{datetime.fromtimestamp(created, UTC):%Y-%m-%d %H:%M} UTC"
        except (TypeError, ValueError, OverflowError, OSError):
            when = "at a time that is damaged, too"
        what = f"store {self._file}: reply {number} of model {model!r}, recorded {when},"
        return DamagedError(what, f"{error.why}; it was not asked again")

    def _explain(self, error: BaseException) -> StoreError:
        if isinstance(error, (*DATABASE_ERRORS, OSError)):
            return store_error(error, self._file)
        return StoreError(f"store {self._file}: a reply cannot be read: {error!r}")

    def _query(self, identities: Sequence[bytes]) -> dict[bytes, ReplyRow]:
        """Return the rows of those replies that are recorded, by identity."""
        found: dict[bytes, ReplyRow] = {}
        for start in range(0, len(identities), _SIZES[-1]):
            some = identities[start : start + _SIZES[-1]]
            size = next(size for size in _SIZES if size >= len(some))
            marks = ", ".join("?" * size)
            query = f"SELECT identity, run, reply, digest FROM replies WHERE identity IN ({marks})"  # noqa: S608  own
            rows = self._reader.execute(query, [*some, *[some[0]] * (size - len(some))]).fetchall()
            found.update((row[0], row[1:]) for row in rows)
        return found
