"""A note beside the store of its newest records. It shows that records are missing.

A log that is damaged at its end looks like one that a power cut has torn, and a file restored from
an older copy is sound. So after each commit the numbers of the newest rows are written into a file
that is mapped into memory, which needs no system call and no wait. The note is written after the
commit is durable, so it is never ahead of the store.
"""

import mmap
import os
import sqlite3
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

_LAYOUT = struct.Struct("<8sqqqI")
_CLOSED = struct.Struct(
    "<qqq40x"
)  # size, time of change, and a length, which is never 0; it follows _LAYOUT
_MAGIC = b"moot-1\0\0"
_SIZE = 4096


class Newest(NamedTuple):
    """The numbers of the newest rows; 0 where there is none.

    The third table is a part's: the note has had a place for it since the first version.
    """

    replies: int = 0
    debates: int = 0
    rankings: int = 0


def note_path(file: Path) -> Path:
    """Return the path of the note beside a store."""
    return file.with_name(f"{file.name}-mark")


def _open_note(file: Path) -> int:
    """Return the note's descriptor; a new note has the mode of the store's file."""
    place = note_path(file)
    is_new = not place.exists()
    number = os.open(place, os.O_RDWR | os.O_CREAT, 0o600)
    if is_new and sys.platform != "win32":
        with suppress(OSError):
            os.fchmod(number, file.stat().st_mode & 0o777)
    return number


def read_note(file: Path) -> Newest:
    """Return the note of a store; zeros where there is none, or the note itself is damaged."""
    try:
        content = note_path(file).read_bytes()[: _LAYOUT.size]
    except OSError:
        return Newest()
    return _decode(content)


def read_newest(connection: sqlite3.Connection) -> Newest:
    """Return the numbers of the newest rows in a store."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    found = [0] * len(Newest._fields)
    for place, table in enumerate(Newest._fields):
        if table in tables:
            query = f"SELECT MAX(id) FROM {table}"  # noqa: S608  own
            ((newest,),) = connection.execute(query).fetchall()
            found[place] = newest if isinstance(newest, int) else 0
    return Newest(*found)


def describe_missing(connection: sqlite3.Connection, note: Newest) -> str:
    """Return what is in the note and not in the store, in words; empty where nothing is missing."""
    if note == Newest():
        return ""
    there = read_newest(connection)
    lost = [
        f"the newest {number - found:,} {name}" if number - found > 1 else f"the newest {one}"
        for name, one, number, found in zip(
            Newest._fields, ("reply", "debate", "ranking"), note, there, strict=True
        )
        if number > found
    ]
    return " and ".join(lost)


def is_unchanged(file: Path) -> bool:
    """Return whether moot itself closed the file last: it has the same size and time of change.

    Otherwise its process was killed, or another program has written or copied it.
    """
    try:
        content = note_path(file).read_bytes()[_CLOSED.size : 2 * _CLOSED.size]
        return _CLOSED.unpack(content) == _file_state(file)
    except (OSError, ValueError, struct.error):
        return False


def _file_state(file: Path) -> tuple[int, int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns, _CLOSED.size


class Watermark:
    """The note, open for writing.

    Args:
        file: the store's file. Where no note can be written beside it, there is none.
        at_least: the newest rows of the store now.
    """

    def __init__(self, file: Path, at_least: Newest) -> None:
        self._file = file
        self._map: mmap.mmap | None = None
        with suppress(OSError, ValueError):
            number = _open_note(file)
            try:
                if os.fstat(number).st_size < _SIZE:
                    os.write(number, bytes(_SIZE))  # no hole: a full disk is noticed here
                self._map = mmap.mmap(number, _SIZE)
            finally:
                os.close(number)
        self._newest = Newest()
        self.note(at_least)

    def note(self, durable: Newest) -> None:
        """Write that the rows up to these numbers are durable."""
        if self._map is None:
            return
        # The note in the file counts: other processes write it, too, and a repair.
        there = _decode(self._map[: _LAYOUT.size])
        before = self._newest if there == Newest() else there
        self._newest = Newest(*map(max, before, durable))
        self._map[: _LAYOUT.size] = _encode(self._newest)

    def close(self) -> None:
        """Write the size and time of change of the closed store; close the note."""
        if self._map is not None:
            with suppress(OSError):
                self._map[_CLOSED.size : 2 * _CLOSED.size] = _CLOSED.pack(*_file_state(self._file))
            self._map.close()
            self._map = None


def set_note(file: Path, newest: Newest) -> None:
    """Write exactly this note, e.g. when a loss of records was accepted."""
    number = _open_note(file)
    try:  # full length, since another process may have mapped it into memory
        os.write(number, _encode(newest).ljust(_SIZE, b"\0"))
    finally:
        os.close(number)


def _encode(newest: Newest) -> bytes:
    content = _LAYOUT.pack(_MAGIC, *newest, 0)[:-4]
    return content + crc32(content).to_bytes(4, "little")


def _decode(content: bytes) -> Newest:
    if len(content) < _LAYOUT.size:
        return Newest()
    magic, *numbers, digest = _LAYOUT.unpack(content)
    if magic != _MAGIC or digest != crc32(content[: _LAYOUT.size - 4]):
        return Newest()
    return Newest(*numbers)
