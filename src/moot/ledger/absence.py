"""Knowing, without asking SQLite, that a reply is not in the store.

Most calls of a run are new. Asking the database for each of them took a twelfth of a call: every
question is a read transaction, and lets go of the interpreter lock beside the thread that writes.
So the store remembers what is there, as a Bloom filter (Bloom 1970), and when that was last true,
by the change counter in the header of SQLite's write-ahead-log index: the file that all processes
on one store share in memory (SQLite documentation, "WAL-mode File Format", section 2.1).
"""

import sqlite3
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct
from time import monotonic

from moot.ledger.writer import Writer

_BITS = 1 << 24
"""Bits of the filter, 2 MB: at a million replies 3 in 1,000 new ones are asked for needlessly."""
_WORDS = Struct("<4I")
_CHANGES = Struct("=I")
_CHANGES_AT = 8
_WORTH = 256
"""Questions answered by SQLite before the filter is made: a single debate is done before."""
_RARELY = 0.005
"""Seconds between two looks at what others have written."""


class Absence:
    """Tells that an identity is surely not recorded; says nothing about those that may be.

    Args:
        file: the database.
        reader: a connection for reading it.
        writer: the thread that writes for this process.
    """

    def __init__(self, file: Path, reader: sqlite3.Connection, writer: Writer) -> None:
        self._reader, self._writer = reader, writer
        self._index = file.with_name(f"{file.name}-shm")
        self._bits = bytearray()
        self._shared: mmap | None = None
        self._asked = 0
        self._newest = 0
        self._base = -1
        self._looked = 0.0

    def sure(self, identity: bytes) -> bool:
        """True only when no process has recorded it."""
        if self._shared is None:
            self._asked += 1
            if self._asked >= _WORTH:
                self._asked = 0
                self._begin()
            return False
        bits = self._bits
        for word in _WORDS.unpack(identity):
            at = word % _BITS
            if not bits[at >> 3] & 1 << (at & 7):
                break
        else:
            return False
        changes: int = _CHANGES.unpack_from(self._shared, _CHANGES_AT)[0]
        if changes == (self._base + self._writer.commits) & 0xFFFFFFFF:
            return True
        self._look()
        return False

    def add(self, identity: bytes) -> None:
        """Take note of what is about to be recorded."""
        if self._shared is not None:
            for word in _WORDS.unpack(identity):
                at = word % _BITS
                self._bits[at >> 3] |= 1 << (at & 7)

    def close(self) -> None:
        """Let go of the shared file."""
        if self._shared is not None:
            self._shared.close()
            self._shared = None

    def _begin(self) -> None:
        """Make the filter, where there is a shared index to trust."""
        try:
            with self._index.open("rb") as file:
                self._shared = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (OSError, ValueError):  # not there, or empty: every question goes to SQLite
            return
        self._bits = bytearray(_BITS >> 3)
        self._look()

    def _look(self) -> None:
        """Take in what was recorded since the last look, by whomever."""
        now = monotonic()
        writer = self._writer
        if now - self._looked < _RARELY or writer.busy or self._shared is None:
            return
        commits = writer.commits
        changes: int = _CHANGES.unpack_from(self._shared, _CHANGES_AT)[0]
        if writer.busy or writer.commits != commits:
            return  # between the two figures a commit went by: they are not of one moment
        self._looked = now
        for newest, identity in self._reader.execute(
            "SELECT id, identity FROM replies WHERE id > ? ORDER BY id", (self._newest,)
        ):
            self._newest = newest
            self.add(identity)
        # Counted from before the reading: what came in meanwhile shows as a change.
        self._base = changes - commits
