"""Looking replies up, all that are asked for in one turn of the event loop at once."""

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from moot.core.calls import Reply
from moot.ledger.place import store_error
from moot.ledger.writer import replayed

_SIZES = (1, 4, 16, 64)
"""How many are asked for by one statement: few sizes, so that all of them stay prepared."""

Wanted = tuple[bytes, "asyncio.Future[Reply | None]"]


class Lookup:
    """Finds replies by their identity.

    Whenever another connection has written, the first look reads the file's pages anew: beside a
    busy writer that takes several times as long as the look itself, and is done once for all.
    """

    def __init__(self, reader: sqlite3.Connection, file: Path) -> None:
        self._reader, self._file = reader, file
        self._wanted: list[Wanted] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def find(self, identity: bytes) -> Reply | None:
        """The recorded reply, marked as replayed, or None."""
        loop = asyncio.get_running_loop()
        if not self._wanted or self._loop is not loop:
            self._loop = loop
            loop.call_soon(self._look)
        future: asyncio.Future[Reply | None] = loop.create_future()
        self._wanted.append((identity, future))
        return await future

    def _look(self) -> None:
        wanted, self._wanted = self._wanted, []
        try:
            found = self._stored([identity for identity, _ in wanted])
        except sqlite3.Error as error:
            for _, future in wanted:
                if not future.done():
                    future.set_exception(store_error(error, self._file))
            return
        for identity, future in wanted:
            if not future.done():  # cancelled
                encoded = found.get(identity)
                future.set_result(None if encoded is None else replayed(encoded))

    def _stored(self, identities: Sequence[bytes]) -> dict[bytes, bytes]:
        """What is stored of these."""
        found: dict[bytes, bytes] = {}
        most = _SIZES[-1]
        for start in range(0, len(identities), most):
            some = identities[start : start + most]
            size = next(size for size in _SIZES if size >= len(some))
            marks = ", ".join("?" * size)
            found.update(
                self._reader.execute(
                    f"SELECT identity, reply FROM replies WHERE identity IN ({marks})",  # noqa: S608  own
                    [*some, *[some[0]] * (size - len(some))],
                ).fetchall()
            )
        return found
