"""How much a store is known to hold, noted beside it: by this it is seen that records are missing.

A log that is cut or damaged at its end cannot be told from one that a power cut has torn, and a
file that was put back from an older copy is sound. After each commit the numbers of the newest
rows are written into a file that is mapped into memory: no call of the system, no wait. The note
is never ahead of the store: it is written after the commit is durable.
"""

import mmap
import os
import sqlite3
import struct
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

_LAYOUT = struct.Struct("<8sqqqI")
_LEFT = struct.Struct("<qqq40x")  # size, time of change, and a length, which is never 0; it follows
_MAGIC = b"moot-1\0\0"
_SIZE = 4096


class Newest(NamedTuple):
    """The numbers of the newest rows; 0 where there is none."""

    replies: int = 0
    debates: int = 0
    rankings: int = 0


def mark_of(file: Path) -> Path:
    """The file beside a store that notes how much it holds."""
    return file.with_name(f"{file.name}-mark")


def read_note(file: Path) -> Newest:
    """What is noted of a store; zeros where nothing is, or the note itself is damaged."""
    try:
        content = mark_of(file).read_bytes()[: _LAYOUT.size]
    except OSError:
        return Newest()
    return _decode(content)


def read_newest(connection: sqlite3.Connection) -> Newest:
    """What a store holds."""
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    return Newest(*[_newest(connection, each) if each in tables else 0 for each in Newest._fields])


def missing(connection: sqlite3.Connection, note: Newest) -> str:
    """What is noted and not there, in words; empty where nothing is missing."""
    if note == Newest():
        return ""
    there = read_newest(connection)
    told = [
        f"the newest {number - found:,} {name}" if number - found > 1 else f"the newest {one}"
        for name, one, number, found in zip(
            Newest._fields, ("reply", "debate", "ranking"), note, there, strict=True
        )
        if number > found
    ]
    return " and ".join(told)


def is_left_as_is(file: Path) -> bool:
    """Whether a store is the file that was last closed: same size, same time of change.

    Else its process was killed, or another program has written or copied it.
    """
    try:
        content = mark_of(file).read_bytes()[_LEFT.size : 2 * _LEFT.size]
        return _LEFT.unpack(content) == _left(file)
    except (OSError, ValueError, struct.error):
        return False


def _left(file: Path) -> tuple[int, int, int]:
    found = file.stat()
    return found.st_size, found.st_mtime_ns, _LEFT.size


class Watermark:
    """The note, open for writing.

    Args:
        file: the store's. Where no note can be kept beside it, none is.
        at_least: what the store holds now.
    """

    def __init__(self, file: Path, at_least: Newest) -> None:
        self._newest = at_least
        self._file = file
        self._map: mmap.mmap | None = None
        with suppress(OSError, ValueError):
            number = os.open(mark_of(file), os.O_RDWR | os.O_CREAT, 0o666)
            try:
                if os.fstat(number).st_size < _SIZE:
                    os.write(number, bytes(_SIZE))  # no hole: a full disk is noticed here
                self._map = mmap.mmap(number, _SIZE)
            finally:
                os.close(number)
        self._newest = Newest(*map(max, self._newest, self._noted()))
        self._write()

    def note(self, *, replies: int = 0, debates: int = 0, rankings: int = 0) -> None:
        """Note that these rows are durable."""
        # What is noted by now counts, and not what was: it may have been set by a repair.
        there = self._noted()
        before = self._newest if there == Newest() else there
        self._newest = Newest(*map(max, before, (replies, debates, rankings)))
        self._write()

    def close(self) -> None:
        """Note how the store is left, once its connection is closed; let go of the file."""
        if self._map is not None:
            with suppress(OSError):
                self._map[_LEFT.size : 2 * _LEFT.size] = _LEFT.pack(*_left(self._file))
            self._map.close()
            self._map = None

    def _noted(self) -> Newest:
        """What is noted now: another process notes here, too."""
        return Newest() if self._map is None else _decode(self._map[: _LAYOUT.size])

    def _write(self) -> None:
        if self._map is not None:
            self._map[: _LAYOUT.size] = _encode(self._newest)


def set_note(file: Path, newest: Newest) -> None:
    """Note exactly this, e.g. when the loss of what is missing was accepted."""
    number = os.open(mark_of(file), os.O_RDWR | os.O_CREAT, 0o666)
    try:  # never shorter than it was: another process may have mapped it into memory
        os.write(number, _encode(newest).ljust(_SIZE, b"\0"))
    finally:
        os.close(number)


def forget(file: Path) -> None:
    """Note nothing of a store that is only now made."""
    with suppress(OSError):
        mark_of(file).unlink()


def _newest(connection: sqlite3.Connection, table: str) -> int:
    with closing(connection.execute(f"SELECT MAX(id) FROM {table}")) as found:  # noqa: S608  own
        number = found.fetchone()[0]
    return number if isinstance(number, int) else 0


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
