"""The replies of a store while nobody else records any: a new call need not be looked up."""

import asyncio
import sqlite3
from collections.abc import Iterable
from contextlib import suppress

_FEW = 10_000
"""The most replies of a store before the session that are remembered: some 8 ms to read."""
_MARKS = 1 << 19


class OwnReplies:
    """The identities of all recorded replies, as far as this process knows that it has all.

    Most calls of a run are new. The identities are remembered by a filter with one hash (of Bloom),
    so a few new calls are looked up for nothing. As long as the newest reply of the store is the
    one that was written here last, no other call has a reply.

    Args:
        reader: the connection that reads, in the thread of the caller.
        writer: the connection that writes; None where the store is only read.
    """

    def __init__(self, reader: sqlite3.Connection, writer: sqlite3.Connection | None) -> None:
        self._reader, self._writer = reader, writer
        self._marks = bytearray()
        self._newest = -1
        """The number of the newest reply; -1 where others may have recorded some."""
        self._complete = False
        self._turn: asyncio.AbstractEventLoop | None = None

    def begin(self) -> None:
        """Remember the replies that are recorded, where they are few; in the writing thread."""
        assert self._writer is not None
        query = f"SELECT id, identity FROM replies LIMIT {_FEW + 1}"  # noqa: S608  a number
        try:
            found = self._writer.execute(query).fetchall()
        except sqlite3.Error:  # to look for a reply reports it
            return
        if len(found) <= _FEW:
            self._marks = bytearray(_MARKS)
            self.mark(identity for _, identity in found)
            self._newest = max((number for number, _ in found), default=0)

    def mark(self, identities: Iterable[bytes]) -> None:
        """Remember replies before they are written."""
        if self._marks:
            for identity in identities:
                self._marks[hash(identity) % _MARKS] = 1

    def note(self, new: range) -> None:
        """Note that replies of these numbers were written; other numbers between are of others."""
        if new:
            self._newest = new[-1] if self._newest == new[0] - 1 else -1

    def lacks(self, identity: bytes) -> bool:
        """Return whether a call is known to have no recorded reply."""
        loop = asyncio.get_running_loop()
        if self._turn is not loop:  # the first call in this turn of the loop
            self._turn, self._complete, newest = loop, False, self._newest
            loop.call_soon(self._end_turn)
            if newest >= 0:
                with suppress(sqlite3.Error):  # to look for a reply reports it
                    found = self._reader.execute("SELECT MAX(id) FROM replies").fetchone()
                    self._complete = (found[0] or 0) == newest
        return self._complete and not self._marks[hash(identity) % _MARKS]

    def _end_turn(self) -> None:
        self._turn = None
