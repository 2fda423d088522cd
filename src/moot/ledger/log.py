"""SQLite's write-ahead log, read frame by frame, to find what SQLite would drop silently.

When SQLite opens a log, it uses the frames up to the first wrong checksum, and drops all others.
That is right after a power cut, which can only tear the last transaction. After damage it loses
every reply behind it. The formats are https://sqlite.org/fileformat2.html#walformat and
https://sqlite.org/walformat.html.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from struct import unpack, unpack_from
from time import sleep
from typing import NamedTuple

PAGE = 8192
"""The page size of stores, for a log whose header is damaged."""
_HEADER, _FRAME = 32, 24


class LogFrame(NamedTuple):
    """A frame of a log.

    Attributes:
        page: the number of its page.
        commits: whether a transaction ends with it.
        content: the content of the page.
    """

    page: int
    commits: bool
    content: bytes


def log_of(file: Path) -> Path:
    """Return the path of a database's write-ahead log."""
    return file.with_name(f"{file.name}-wal")


def count_lost_frames(file: Path, *, torn: bool = True) -> int:
    """Return the number of durable frames that SQLite would drop; usually 0.

    While another process writes, the log may change between two looks. So a loss counts only if a
    second look finds the same.

    Args:
        file: the database.
        torn: whether a crash may have torn the last transaction, which then was not durable.
    """
    lost = _count_lost(file, torn=torn)
    if lost:
        sleep(0.2)
    return lost if lost and _count_lost(file, torn=torn) == lost else 0


def _count_lost(file: Path, *, torn: bool) -> int:
    frames = read_frames(file)
    behind = frames[_count_accepted(file) :] if frames else []
    ends = [number for number, frame in enumerate(behind, 1) if frame.commits]
    if not ends:
        return 0
    # A crash can tear only the last transaction: frames after its end were durable before.
    return ends[-1] - (ends[0] if torn else 0)


def _count_accepted(file: Path) -> int:
    """Return the number of frames that SQLite uses, as it writes it into the log's index."""
    uri = f"{file.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=2.0)) as connection:
        with suppress(sqlite3.DatabaseError):  # the index is written even where a page is damaged
            connection.execute("PRAGMA schema_version").fetchone()
        try:
            index = file.with_name(f"{file.name}-shm").read_bytes()
        except OSError:  # the folder is read-only
            return len(read_frames(file))
    return int(unpack_from("=I", index, 16)[0]) if len(index) > _HEADER else 0


def read_frames(file: Path) -> list[LogFrame]:
    """Return the frames of the newest generation in a database's log, also those behind damage."""
    try:
        content = log_of(file).read_bytes()
    except OSError:  # opening the store raises the error
        return []
    if len(content) < _HEADER + _FRAME:
        return []
    size = unpack_from(">I", content, 8)[0]
    if size not in {1 << bits for bits in range(9, 17)}:
        size = PAGE
    starts = range(_HEADER, len(content) - _FRAME - size + 1, _FRAME + size)
    generations = [content[start + 8 : start + 16] for start in starts]
    newest = content[16:24]
    if generations and newest not in generations:  # the header is damaged
        newest = generations[0]
    frames = list[LogFrame]()
    for start, generation in zip(starts, generations, strict=True):
        if generation == newest:
            page, pages = unpack(">II", content[start : start + 8])
            body = content[start + _FRAME : start + _FRAME + size]
            frames.append(LogFrame(page, pages > 0, body))
    return frames


def pages_of(file: Path) -> dict[int, bytes]:
    """Return the newest content of each page in a log, up to the last complete transaction."""
    frames = read_frames(file)
    ends = [number for number, frame in enumerate(frames, 1) if frame.commits]
    return {frame.page: frame.content for frame in frames[: ends[-1] if ends else 0]}
