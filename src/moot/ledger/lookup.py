"""Looking replies up, in one turn of the event loop all that the file may hold."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from moot.core.calls import Reply
from moot.core.errors import DamagedError, StoreError
from moot.ledger.batch import copy_error
from moot.ledger.digests import decode_reply
from moot.ledger.place import store_error

_SIZES = (1, 4, 16, 64)
"""How many are asked for by one statement: few sizes, so that all of them stay prepared."""

_FEW = 10_000
"""Replies that a store may hold when it is opened, to be remembered: some 8 ms."""
_MARKS = 1 << 20

Wanted = tuple[bytes, "asyncio.Future[Reply | None]"]
Row = tuple[Any, ...]
"""Of a reply: the run that paid, the reply as JSON, its digest."""


class Lookup:
    """Finds replies by their identity.

    Whenever another connection has written, the first look reads the file's pages anew: beside a
    busy writer that takes several times as long as the look itself, and is done once for all.

    Most calls of a run are new. What the file may hold is remembered (by a Bloom filter with one
    hash), and as long as the newest reply is this process's own, nothing else is looked for.

    Args:
        reader: the connection that reads.
        file: the store's, for messages.
        newest: the number of the newest reply while nobody else has stored one since the file was
            opened; else what no reply's number is.
    """

    def __init__(
        self, reader: sqlite3.Connection, file: Path, newest: Callable[[], int] = lambda: -1
    ) -> None:
        self._reader, self._file, self._newest = reader, file, newest
        self._wanted: list[Wanted] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._marks: bytearray | None = bytearray(_MARKS)
        self._marked = False
        self._own = False

    async def find(self, identity: bytes, *, anew: bool = False) -> Reply | None:
        """The recorded reply, marked as replayed, or None.

        Args:
            identity: of the call.
            anew: look at the file in any case, and not before now.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:  # the first look in this turn of the loop
            self._own = self._alone()
            self._loop = loop
            loop.call_soon(self._look)
        if not anew and self._own and self._marks is not None and not self._marks[_mark(identity)]:
            return None
        future: asyncio.Future[Reply | None] = loop.create_future()
        self._wanted.append((identity, future))
        return await future

    def mark(self, identity: bytes) -> None:
        """Remember that a reply is about to be stored."""
        if self._marks is not None:
            self._marks[_mark(identity)] = 1

    def _alone(self) -> bool:
        """Whether this process has stored all replies since the file was opened."""
        newest = self._newest()
        if newest < 0:
            self._marks = None
            return False
        try:
            if not self._marked:
                self._marked = True
                self._mark_stored()
            (number,) = self._reader.execute("SELECT MAX(id) FROM replies").fetchone()
        except sqlite3.Error:  # looking for the reply will say so
            return False
        return bool((number or 0) == newest)

    def _mark_stored(self) -> None:
        """Remember what the file holds already, where it is not too much."""
        found = self._reader.execute(
            f"SELECT identity FROM replies LIMIT {_FEW + 1}"  # noqa: S608  a number
        ).fetchall()
        if len(found) > _FEW:
            self._marks = None
        for (identity,) in found:
            if isinstance(identity, bytes):  # it may be damaged
                self.mark(identity)

    def _look(self) -> None:
        self._loop = None
        wanted, self._wanted = self._wanted, []
        if not wanted:
            return
        try:
            found = self._stored([identity for identity, _ in wanted])
            for identity, future in wanted:
                if not future.done():  # cancelled
                    self._resolve(future, identity, found.get(identity))
        except BaseException as error:  # the tasks that wait would wait for ever
            trouble = self._trouble(error)
            for _, future in wanted:
                if not future.done():
                    future.set_exception(copy_error(trouble))
            if not isinstance(error, Exception):
                raise

    def _resolve(
        self, future: "asyncio.Future[Reply | None]", identity: bytes, row: Row | None
    ) -> None:
        """Give a task its reply, or say which one is damaged."""
        if row is None:
            future.set_result(None)
            return
        try:
            future.set_result(decode_reply(identity, row))
        except DamagedError as error:
            future.set_exception(self._damaged(identity, error))

    def _damaged(self, identity: bytes, error: DamagedError) -> DamagedError:
        """The error that names the reply: its row, model and time."""
        query = "SELECT id, model, created FROM replies WHERE identity = ?"
        number, model, created = self._reader.execute(query, (identity,)).fetchone()
        try:
            when = f"{datetime.fromtimestamp(created, UTC):%Y-%m-%d %H:%M} UTC"
        except (TypeError, ValueError, OverflowError, OSError):
            when = "at a time that is damaged, too"
        what = f"store {self._file}: reply {number} of model {model!r}, recorded {when},"
        return DamagedError(what, f"{error.why}; it was not asked again")

    def _trouble(self, error: BaseException) -> StoreError:
        if isinstance(error, sqlite3.Error | OSError):
            return store_error(error, self._file)
        return StoreError(f"store {self._file}: a reply cannot be read: {error!r}")

    def _stored(self, identities: Sequence[bytes]) -> dict[bytes, Row]:
        """What is stored of these."""
        found: dict[bytes, Row] = {}
        most = _SIZES[-1]
        for start in range(0, len(identities), most):
            some = identities[start : start + most]
            size = next(size for size in _SIZES if size >= len(some))
            marks = ", ".join("?" * size)
            query = f"SELECT identity, run, reply, digest FROM replies WHERE identity IN ({marks})"  # noqa: S608  own
            rows = self._reader.execute(query, [*some, *[some[0]] * (size - len(some))]).fetchall()
            found.update((row[0], row[1:]) for row in rows)
        return found


def _mark(identity: bytes) -> int:
    """The place of a reply among the marks."""
    return int.from_bytes(identity[:3], "big") % _MARKS
