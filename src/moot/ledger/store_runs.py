"""Queries for runs and their debates."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from time import time
from types import MappingProxyType
from typing import Any

import msgspec

from moot.core.errors import InputError, RunBusy, UnknownName
from moot.core.stored import DebateRow, DebateValues, RunRow, Session, Status, describe_transcript
from moot.core.texts import replace_surrogates
from moot.ledger.stored_records import (
    RUN_COLUMNS,
    check_content,
    check_key,
    decode_run,
    decode_values,
)
from moot.ledger.transaction import transaction

_PAGE = 64
_KEY = ("arm", "dataset", "question", "replicate")
_SESSION = ", ".join(f"sessions.{name}" for name in Session.__struct_fields__)


def begin_run(
    connection: sqlite3.Connection,
    key: str,
    name: str,
    study: bytes,
    session: int,
    lives: Callable[[int], bool],
) -> RunRow:
    """Return the run of a key, run by a session from now on; make it where there is none.

    Args:
        connection: the connection that writes.
        key: the key of the run.
        name: the name of a new run.
        study: the study of a new run.
        session: the number of the session that runs it.
        lives: returns whether the session of a number lives.

    Raises:
        RunBusy: another session that lives is running it.
    """
    with transaction(connection):
        run = _make_run(connection, key, name, study)
        query = f"SELECT {_SESSION} FROM runs JOIN sessions ON runs.session = sessions.id "  # noqa: S608  own
        row = connection.execute(f"{query} WHERE runs.id = ?", (run.id,)).fetchone()
        if row is not None and run.status == "running" and row[0] != session and lives(row[0]):
            holder = Session(**dict(zip(Session.__struct_fields__, row, strict=True)))
            raise RunBusy(f"run {key} is being run by {holder.process} since {holder.since}")
        connection.execute(
            "UPDATE runs SET status = 'running', session = ? WHERE id = ?", (session, run.id)
        )
    return msgspec.structs.replace(run, status="running")


def _make_run(connection: sqlite3.Connection, key: str, name: str, study: bytes) -> RunRow:
    """Return the run of a key; make it where there is none."""
    connection.execute(
        "INSERT INTO runs (key, name, created, status, study) VALUES (?, ?, ?, 'running', ?) "
        "ON CONFLICT (key) DO NOTHING",
        (key, replace_surrogates(name), time(), study),
    )
    return read_runs(connection, "WHERE key = ?", key)[0]


_USED = """
    MAX(taken, CASE taken WHEN 0 THEN IFNULL(MAX(
        IFNULL((SELECT MAX(replicate) + 1 FROM debates WHERE run = runs.id), 0),
        IFNULL((SELECT MAX(replicate) + 1 FROM replies WHERE run = runs.id), 0)
    ), 0) ELSE 0 END)
"""
"""The first replicate that no debate has taken; in runs of an older moot, by their records."""


def begin_debate(
    connection: sqlite3.Connection,
    key: str,
    name: str,
    study: bytes,
    replicate: int | None,
    session: int,
) -> tuple[RunRow, int]:
    """Return the run of a key, which is made where there is none, and a replicate for a debate.

    The replicate is the given one, or for None one that no debate of the run has ever taken, in
    any process. The status of the run does not change.
    """
    with transaction(connection):
        run = _make_run(connection, key, name, study)
        query = f"SELECT {_USED} FROM runs WHERE id = ?"  # noqa: S608  own text only
        free = connection.execute(query, (run.id,)).fetchone()[0]
        took = free if replicate is None else replicate
        connection.execute(
            "UPDATE runs SET taken = ?, session = ? WHERE id = ?",
            (max(free, took + 1), session, run.id),
        )
    return run, took


def set_status(
    connection: sqlite3.Connection, run: int, status: Status, session: int | None
) -> None:
    """Store the status of a run, and the session that runs it, if given."""
    connection.execute(
        "UPDATE runs SET status = ?, session = COALESCE(?, session) WHERE id = ?",
        (status, session, run),
    )


def find_run(connection: sqlite3.Connection, prefix: str) -> RunRow:
    """Return the run of this key; else the newest of this name; else the one whose key begins so.

    Raises:
        InputError: several keys begin so.
        UnknownName: no key begins so.
    """
    known = connection.execute("SELECT id, key, name FROM runs ORDER BY id DESC").fetchall()
    exact = [run for run, key, _ in known if key == prefix]
    same = [run for run, _, name in known if name == prefix]
    close = [(run, key) for run, key, _ in known if prefix and key.startswith(prefix)]
    if not exact and not same and len(close) > 1:
        keys = ", ".join(key for _, key in close)
        raise InputError(f"run {prefix!r} may be any of {keys}: write more of it")
    for run in (*exact, *same, *(run for run, _ in close)):
        return read_runs(connection, "WHERE id = ?", run)[0]
    raise UnknownName("run", prefix, {text for _, *texts in known for text in texts})


def read_runs(
    connection: sqlite3.Connection, where: str = "", *values: object, limit: int = -1
) -> list[RunRow]:
    """Return the runs that meet a condition, the newest first, at most ``limit`` of them."""
    query = f"SELECT {', '.join(RUN_COLUMNS)} FROM runs {where} ORDER BY id DESC LIMIT ?"  # noqa: S608  own
    return [decode_run(row) for row in connection.execute(query, (*values, limit)).fetchall()]


def debates(
    connection: sqlite3.Connection,
    run: int,
    arm: str | None = None,
    question: str | None = None,
    dataset: str | None = None,
) -> Iterator[DebateRow]:
    """Yield the debates of a run, in order of arm, dataset, question and replicate."""
    only = {"arm": arm, "question": question, "dataset": dataset}
    more = ", transcript, transcript_digest"
    for row in pages(connection, run, only, more):
        *key, failed, metrics, digest, transcript, transcript_digest = row
        yield DebateRow(
            **dict(zip(_KEY, key, strict=True)),
            run=run,
            failed=bool(failed),
            values=decode_values(metrics, digest, f"the values of {_debate(run, key)}"),
            encoded=check_content(
                transcript, transcript_digest, f"{describe_transcript(*key)} of run {run}"
            ),
        )


def values(connection: sqlite3.Connection, run: int) -> Iterator[DebateValues]:
    """Yield the metric values of a run's debates, in the order of ``debates``."""
    for row in pages(connection, run):
        arm, dataset, question, replicate, failed, metrics, digest = row
        found = decode_values(metrics, digest, f"the values of {_debate(run, row[:4])}")
        yield DebateValues(arm, dataset, question, replicate, bool(failed), found)


def _debate(run: int, key: Sequence[Any]) -> str:
    arm, dataset, question, replicate = key
    return f"question {question!r} of {dataset}, arm {arm!r}, {replicate = }, run {run}"


def pages(
    connection: sqlite3.Connection,
    run: int,
    only: Mapping[str, str | None] = MappingProxyType({}),
    more: str = "",
    size: int = _PAGE,
) -> Iterator[tuple[Any, ...]]:
    """Yield rows of debates: their key, whether they failed, metrics, digest, and more columns.

    Rows are read a page at a time: an open cursor would keep the write-ahead log from being reused.
    A page begins after the last row of the one before. SQLite finds it by the index only if that
    comparison leaves out the first columns where they have a fixed value.

    Raises:
        DamagedError: the key of a debate cannot be read.
    """
    wanted = {column: replace_surrogates(text) for column, text in only.items() if text is not None}
    first = len(list(takewhile(wanted.__contains__, _KEY)))
    after = _KEY[first:]
    query = (
        f"SELECT {', '.join(_KEY)}, failed, metrics, values_digest{more} FROM debates "  # noqa: S608  own names only
        f"WHERE run = ? AND ({', '.join(after)}) > ({', '.join('?' * len(after))}) "
        + "".join(f"AND {column} = ? " for column in wanted)
        + f"ORDER BY {', '.join(_KEY)} LIMIT {size}"
    )
    last: tuple[Any, ...] = ("", "", "", -1)
    while page := connection.execute(query, (run, *last[first:], *wanted.values())).fetchall():
        for row in page:
            check_key(row[:4], run)
            yield row
        last = page[-1][:4]
