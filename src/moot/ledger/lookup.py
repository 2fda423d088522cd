"""Find recorded replies: one query for all that are asked for in one turn of the event loop."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from moot.core.calls import Reply
from moot.core.errors import DamagedError, StoreError
from moot.ledger.storage import DATABASE_ERRORS, StoreConnection
from moot.ledger.store_place import StorePlace, copy_error, store_error
from moot.ledger.stored_records import decode_reply

ReplyRow = tuple[Any, ...]
"""Of a reply: the run that paid for it, the reply as JSON, its digest."""
TakeRows = Callable[[Callable[[], dict[bytes, ReplyRow]]], None]
"""Takes a function that returns the rows of replies by identity, or raises."""
_Wanted = tuple[bytes, "asyncio.Future[Reply | None]"]


class Lookup:
    """Finds replies by the identity of their calls.

    After another connection has written, the first query reads pages of the file again. Beside a
    busy writer that takes several times as long as the query itself, so it is done once for all
    calls of a turn.

    Args:
        place: the store's file or address, for messages.
        reader: the connection for messages about damage.
        query: queries the rows of replies, at once or later; see ``Database.look_up``.
    """

    def __init__(
        self,
        place: StorePlace,
        reader: StoreConnection,
        query: Callable[[Sequence[bytes], TakeRows], None],
    ) -> None:
        self._place, self._reader, self._query = place, reader, query
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
            loop.call_soon(self._query_all)
        future: asyncio.Future[Reply | None] = loop.create_future()
        self._wanted.append((identity, future))
        return await future

    def _query_all(self) -> None:
        """Query all that is wanted."""
        wanted, self._wanted = self._wanted, []
        self._query([identity for identity, _ in wanted], partial(self._resolve_all, wanted))

    def _resolve_all(
        self, wanted: Sequence[_Wanted], query: Callable[[], dict[bytes, ReplyRow]]
    ) -> None:
        """Resolve every future: with a reply, None or an error; query what was wanted meanwhile."""
        try:
            found = query()
            for identity, future in wanted:
                if future.done():  # it may be cancelled
                    continue
                row = found.get(identity)
                try:
                    future.set_result(None if row is None else self.read(identity, row))
                except DamagedError as error:
                    future.set_exception(error)
        except BaseException as error:  # without this, the waiting tasks would never end
            trouble = self._explain(error)
            for _, future in wanted:
                if not future.done():
                    future.set_exception(copy_error(trouble))
            if not isinstance(error, Exception):
                raise
        finally:
            self._loop = None
            if self._wanted:
                self._loop = asyncio.get_running_loop()
                self._loop.call_soon(self._query_all)

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
        what = f"store {self._place}: reply {number} of model {model!r}, recorded {when},"
        return DamagedError(what, f"{error.why}; it was not asked again")

    def _explain(self, error: BaseException) -> StoreError:
        if isinstance(error, (*DATABASE_ERRORS, OSError)):
            return store_error(error, self._place)
        return StoreError(f"store {self._place}: a reply cannot be read: {error!r}")
