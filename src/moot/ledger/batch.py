"""Groups of replies or debates, each written by one statement and one commit."""

import sqlite3
from asyncio import AbstractEventLoop, Future
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, NamedTuple

from moot.core.calls import Reply
from moot.core.errors import DamagedError, StoreError
from moot.ledger.stored_records import decode_reply

_REPLY = """
    INSERT INTO replies (identity, run, created, model, replicate, seat, repeat, prompt_tokens,
        completion_tokens, cost, digest, lease, request, reply)
    VALUES {} ON CONFLICT (identity) DO NOTHING
"""
_DEBATE = """
    INSERT OR REPLACE INTO debates
        (run, arm, dataset, question, replicate, failed, metrics, transcript,
        values_digest, transcript_digest, made_by, measured_by)
    VALUES {}
"""
COLUMNS = 14
"""The values of one reply."""

WriteOutcome = Reply | StoreError


class Record(NamedTuple):
    """A reply to write, and the future of the task that waits for it."""

    row: tuple[Any, ...]
    reply: Reply
    future: "Future[Reply]"


class Save(NamedTuple):
    """A debate to write; no task waits for it."""

    row: tuple[Any, ...]


class WrittenReplies(NamedTuple):
    """The result of writing a group of replies.

    Attributes:
        outcomes: for each, the reply that is stored, or why it cannot be read.
        newest: the number of the newest row; None where no row was written.
    """

    outcomes: list[WriteOutcome]
    newest: int | None


def insert_replies(connection: sqlite3.Connection, records: Sequence[Record]) -> WrittenReplies:
    """Write replies in one transaction and return their outcomes."""
    rows = [record.row for record in records]
    # Filled up with copies of the shortest row, which change nothing, to a prepared size.
    if missing := (1 << (len(rows) - 1).bit_length()) - len(rows):
        rows += [min(rows, key=_length)] * missing
    cursor = _execute(connection, _REPLY, rows)
    newest = cursor.lastrowid if cursor.rowcount else None
    if cursor.rowcount == len(records):
        return WrittenReplies([record.reply for record in records], newest)
    # Some were stored before. The new rows have the highest numbers, and the last is known.
    marks = ", ".join("?" * len(records))
    found = connection.execute(
        f"SELECT identity, id, run, reply, digest FROM replies WHERE identity IN ({marks})",  # noqa: S608  own
        [record.row[0] for record in records],
    )
    stored = {row[0]: (row[1], row[2:]) for row in found}
    kept, paid = list[WriteOutcome](), set[bytes]()
    last = newest or 0
    for record in records:
        identity = record.row[0]
        number, row = stored.get(identity, (0, (None, None, None)))
        if last - cursor.rowcount < number <= last and identity not in paid:
            kept.append(record.reply)
        else:
            kept.append(_read_outcome(identity, row, f"reply {number}"))
        paid.add(identity)
    return WrittenReplies(kept, newest)


def _read_outcome(identity: bytes, row: tuple[Any, ...], what: str) -> WriteOutcome:
    """Return the reply that another process has stored first, or why it cannot be read."""
    try:
        return decode_reply(identity, row, what)
    except DamagedError as error:
        return error


def insert_debates(connection: sqlite3.Connection, saves: Sequence[Save]) -> int:
    """Write debates in one transaction; return the number of the newest row."""
    return _execute(connection, _DEBATE, [save.row for save in saves]).lastrowid or 0


def _length(row: Sequence[Any]) -> int:
    """Return the bytes of a reply and its request."""
    return len(row[-1]) + len(row[-2])


def _execute(
    connection: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]
) -> sqlite3.Cursor:
    """Insert many rows with one statement, a transaction by itself; return its cursor.

    Every step of a statement releases the interpreter lock. Beside a busy event loop it takes up to
    5 ms to get it back, so a group of rows is written in one step, begin and commit included.
    """
    marks = ", ".join([f"({', '.join('?' * len(rows[0]))})"] * len(rows))
    return connection.execute(statement.format(marks), list(chain.from_iterable(rows)))


def resolve_futures(outcomes: Sequence[tuple["Future[Reply]", WriteOutcome]]) -> None:
    """Resolve futures, with one call into each event loop."""
    loops: dict[AbstractEventLoop, list[tuple[Future[Reply], WriteOutcome]]] = {}
    for future, outcome in outcomes:
        loops.setdefault(future.get_loop(), []).append((future, outcome))
    for loop, pairs in loops.items():
        with suppress(RuntimeError):  # the loop is closed, and no task waits
            loop.call_soon_threadsafe(_resolve, pairs)


def _resolve(pairs: Sequence[tuple["Future[Reply]", WriteOutcome]]) -> None:
    for future, outcome in pairs:
        if future.done():  # cancelled: the reply is recorded all the same
            continue
        if isinstance(outcome, StoreError):
            future.set_exception(copy_error(outcome))
        else:
            future.set_result(outcome)


def copy_error(error: StoreError) -> StoreError:
    """Return a copy of an error: every waiting task raises its own."""
    if isinstance(error, DamagedError):
        return DamagedError(error.what, error.why)
    return StoreError(*error.args)
