"""A store as pages read it: over a connection of its own, a little at a time."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from moot.core.errors import DamagedError
from moot.core.stored import RunRow, decode_record, transcript_of
from moot.ledger.connect import read_connection
from moot.ledger.digests import RUN_COLUMNS, check_content, check_key, decode_run
from moot.ledger.place import store_error
from moot.ledger.sessions import Sessions

Mark = tuple[int, int, int, int]
"""When a file and its log were last written, and how large they are."""

Key = tuple[str, str, str, int]  # arm, dataset, question, replicate: a debate of a run

HEAD = 20_000
"""The most bytes read of a transcript too long to be read whole."""

_PAGE = 1_000
_PATIENCE = 5.0


class Standing(NamedTuple):
    """How far a run is.

    Attributes:
        debates: that have been recorded.
        newest: the greatest number of a row among them; 0 without any.
        replied: when its last paid reply was recorded, in Unix seconds; None without any.
    """

    debates: int
    newest: int
    replied: float | None


class Values(msgspec.Struct, frozen=True, rename="kebab"):
    """What lists of debates are sorted and filtered by; None where a metric has no value."""

    accuracy: float | None = None
    unparsed: float | None = None
    wrong_to_right: float | None = None
    right_to_wrong: float | None = None
    cost: float | None = None
    prompt_tokens: float | None = None
    completion_tokens: float | None = None


class Held(NamedTuple):
    """A debate without its transcript, and the number of its row."""

    number: int
    arm: str
    dataset: str
    question: str
    replicate: int
    failed: bool
    values: Values


class Listed(NamedTuple):
    """A run, how many debates it has, and when its last reply came."""

    row: RunRow
    standing: Standing


_values = msgspec.json.Decoder(Values).decode
_DEBATE = "the values of a debate of run"


class Reader:
    """Reads a store beside whoever else reads and writes it; for one thread at a time.

    Nothing is kept open between two calls that would keep the write-ahead log from being reused.
    Every method raises ``StoreError`` where the file cannot be read.

    Args:
        file: the store's.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with self._told():
            self._connection = read_connection(file, _PATIENCE)
        self._sessions = Sessions(file, self._connection, readonly=True)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, DamagedError) as error:
            raise store_error(error, self.file) from error

    def run(self, key: str) -> RunRow | None:
        """The run of exactly this key, or None."""
        return next(self._runs("WHERE key = ?", key), None)

    def runs(self, name: str, *, other: bool, before: int | None, most: int) -> list[Listed]:
        """Runs, the last begun first, each with how far it is.

        Args:
            name: of their study.
            other: those of every other study instead.
            before: only runs with a lower id.
            most: how many at most.
        """
        where = f"WHERE (name = ?) != ? {'' if before is None else 'AND id < ?'} "
        values = (name, other, *(() if before is None else (before,)), most)
        found = self._runs(f"{where} ORDER BY id DESC LIMIT ?", *values)
        return [Listed(row, self.standing(row.id)) for row in found]

    def _runs(self, where: str, *values: object) -> Iterator[RunRow]:
        query = f"SELECT {', '.join(RUN_COLUMNS)} FROM runs {where}"  # noqa: S608  own names only
        with self._told():
            rows = self._connection.execute(query, values).fetchall()
            return iter([self._sessions.with_true_status(decode_run(row)) for row in rows])

    def standing(self, run: int) -> Standing:
        """How far a run is; a few milliseconds for 100,000 debates, which lie in the index."""
        with self._told():
            debates, newest = self._connection.execute(
                "SELECT COUNT(*), COALESCE(MAX(id), 0) FROM debates WHERE run = ?", (run,)
            ).fetchone()
            reply = self._connection.execute(
                "SELECT created FROM replies WHERE run = ? ORDER BY id DESC LIMIT 1", (run,)
            ).fetchone()
        return Standing(debates, newest, reply and reply[0])

    def failed_since(self, run: int, newest: int) -> int:
        """How many debates of a run failed, of those recorded after the row of this number."""
        with self._told():
            # The plus keeps SQLite from the index of the run, which has all its earlier debates.
            query = "SELECT COALESCE(SUM(failed), 0) FROM debates WHERE id > ? AND +run = ?"
            found: int = self._connection.execute(query, (newest, run)).fetchone()[0]
        return found

    def held(self, run: int) -> Iterator[Held]:
        """Every debate of a run, without its transcript, a page at a time."""
        last: tuple[object, ...] = ("", "", "", -1)
        query = (
            "SELECT arm, dataset, question, replicate, id, failed, metrics, values_digest "
            "FROM debates WHERE "
            "run = ? AND (arm, dataset, question, replicate) > (?, ?, ?, ?) "
            "ORDER BY arm, dataset, question, replicate LIMIT ?"
        )
        while True:
            with self._told():
                page = self._connection.execute(query, (run, *last, _PAGE)).fetchall()
            if not page:
                return
            with self._told():
                found = [_held(run, row) for row in page]
            yield from found
            last = page[-1][:4]

    def transcripts(self, numbers: Sequence[int], *, most: int) -> dict[int, bytes]:
        """The transcripts in these rows, as JSON; of one longer than ``most`` the beginning."""
        marks = ", ".join("?" * len(numbers))
        query = (
            f"SELECT id, CASE WHEN LENGTH(transcript) <= ? THEN transcript "  # noqa: S608  own
            f"ELSE SUBSTR(transcript, 1, {HEAD}) END, "
            "CASE WHEN LENGTH(transcript) <= ? THEN transcript_digest END "
            f"FROM debates WHERE id IN ({marks})"
        )
        with self._told():
            rows = self._connection.execute(query, (most, most, *numbers)).fetchall()
            return {
                number: check_content(found, digest, f"the transcript of debate {number}")
                for number, found, digest in rows
            }

    def transcript(self, run: int, key: Key) -> bytes | None:
        """The transcript of a debate, as JSON, or None."""
        query = (
            "SELECT transcript, transcript_digest FROM debates WHERE run = ? AND arm = ? "
            "AND dataset = ? AND question = ? AND replicate = ?"
        )
        with self._told():
            found = self._connection.execute(query, (run, *key)).fetchone()
            return check_content(found[0], found[1], transcript_of(*key)) if found else None

    def matching(self, numbers: Sequence[int], words: Sequence[str]) -> set[int]:
        """Those of these rows whose transcripts may have the words, in this order.

        It is told by their JSON, so that the words may stand in another part of it than is wanted.
        Upper and lower case are the same, and a letter that is no ASCII may be any.
        """
        marks = ", ".join("?" * len(numbers))
        query = (
            f"SELECT id FROM debates WHERE id IN ({marks}) "  # noqa: S608  own
            "AND CAST(transcript AS TEXT) LIKE ? ESCAPE '!'"
        )
        pattern = "%".join(["", *map(_pattern, words), ""])
        with self._told():
            return {row[0] for row in self._connection.execute(query, (*numbers, pattern))}


def _held(run: int, row: tuple[Any, ...]) -> Held:
    arm, dataset, question, replicate, number, failed, metrics, digest = row
    check_key(row[:4], run)
    what = f"{_DEBATE} {run} (row {number})"
    found = decode_record(_values, check_content(metrics, digest, what), what)
    return Held(number, arm, dataset, question, replicate, bool(failed), found)


def mark(file: Path) -> Mark:
    """What changes whenever the store does; zeros for a file that is not there."""
    log = file.with_name(f"{file.name}-wal")
    return (*_written(file), *_written(log))


def _written(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


def _pattern(word: str) -> str:
    """A word as ``LIKE`` finds it in JSON."""
    inside = msgspec.json.encode(word).decode()[1:-1]
    return "".join(
        f"!{letter}" if letter in "%_!" else letter if letter.isascii() else "%"
        for letter in inside
    )
