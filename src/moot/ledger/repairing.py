"""The repair of a damaged store. Nothing is deleted, and lost replies are counted."""

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from time import time
from typing import Any
from zlib import crc32

import msgspec

from moot.core.errors import StoreError
from moot.ledger.checking import find_loss, know_records, rows, structure, table_names
from moot.ledger.compression import decompress
from moot.ledger.connect import bare_connection, make_private
from moot.ledger.database_pages import rows_of
from moot.ledger.faults import NUMBER, CheckedRow, Fault, FindFault, list_tables
from moot.ledger.locks import is_open
from moot.ledger.log import log_of
from moot.ledger.migrations import migrate
from moot.ledger.parts import make_tables, store_parts
from moot.ledger.session_locks import has_living_session
from moot.ledger.storage import transaction
from moot.ledger.store_place import require_store, store_error
from moot.ledger.stored_records import reply_digest
from moot.ledger.watermark import Newest, describe_missing, read_newest, read_note, set_note

_ANY = object
_Kinds = tuple[str, int, tuple[Any, ...]]
"""Of a table: its name, its most columns, the types of the first columns after the number."""
_LIKE: tuple[_Kinds, ...] = (
    ("replies", 99, (bytes, _ANY, _ANY, _ANY, int, int, int, *[_ANY] * 5)),
    ("debates", 99, (int, str, str, str, int, int, bytes, bytes)),
    ("runs", 99, (str, str, NUMBER, str, bytes)),
    ("damaged", 6, (NUMBER, str, (int, type(None)), str, bytes)),
    ("leases", 14, (str, int, NUMBER, (*NUMBER, type(None)), int, int, int, NUMBER, int, int)),
)


class Repair(msgspec.Struct, frozen=True):
    """The result of a repair.

    Attributes:
        store: the file.
        kept: the folder with copies of the files before the repair; None where only records were
            changed.
        log: the number of changes restored from a damaged log.
        rebuilt: whether the file was written anew from all readable rows.
        restored: the number of corrected records of each kind.
        set_aside: the number of records of each kind that were moved to the table ``damaged``. Such
            calls and debates are made again.
        unreadable: the number of replies without any readable row.
        cost: the former cost of the replies set aside, in US dollars, as far as it is known.
        unpriced: the number of replies set aside whose cost is unknown.
        missing: the records still missing and not accepted as lost, in words; empty for none.
        accepted: the missing records accepted as lost, in words; empty for none.
    """

    store: str
    kept: str | None
    log: int
    rebuilt: bool
    restored: dict[str, int]
    set_aside: dict[str, int]
    unreadable: int
    cost: float
    unpriced: int
    missing: str
    accepted: str


def repair(file: Path, *, accept_loss: bool = False) -> Repair:
    """Repair a store.

    Args:
        file: the store's file.
        accept_loss: go on without the records that are missing and cannot be restored.

    Raises:
        StoreError: there is no store, a process uses it, or it cannot be written.
    """
    require_store(file)
    tables = list_tables()
    if has_living_session(file):
        raise StoreError(f"store {file}: a process pays with it now: wait until that has ended")
    note, kept = read_note(file), None
    try:
        if is_open(file):  # that process would go on with a file or log that was replaced
            raise StoreError(f"store {file}: a process has it open now: wait until that has ended")
        _, behind = find_loss(file)
        rebuilt = behind > 0 or _is_broken(file)
        if rebuilt:
            kept = _copy_files(file)
            _rebuild(file)
        with closing(bare_connection(file)) as connection:
            migrate(connection, where=str(file))
            # Before damaged records are set aside, which is reported.
            gone = describe_missing(connection, note)
            restored, aside, costs = _repair_records(connection, tables)
            now = read_newest(connection)
            unreadable = _count_unreadable(connection, note) if rebuilt or gone else 0
    except (sqlite3.Error, OSError) as error:
        raise store_error(error, file) from error
    if not gone or accept_loss:
        set_note(file, now)
    known = [cost for cost in costs if cost is not None]
    return Repair(
        store=str(file),
        kept=str(kept) if kept else None,
        log=behind,
        rebuilt=rebuilt,
        restored=restored,
        set_aside=aside,
        unreadable=unreadable,
        cost=sum(known),
        unpriced=len(costs) - len(known),
        missing="" if accept_loss else gone,
        accepted=gone if accept_loss else "",
    )


def _copy_files(file: Path) -> Path:
    """Copy the files into a new folder, and return it."""
    number = 1
    while (folder := file.with_name(f"damaged-{number}")).exists():
        number += 1
    folder.mkdir(mode=0o700)
    for each in (file, log_of(file)):
        if each.exists():
            shutil.copy2(each, folder / each.name)
    return folder


def _is_broken(file: Path) -> bool:
    """Return whether SQLite cannot reach all rows of a file."""
    try:
        with closing(bare_connection(file)) as connection:
            if next(structure(connection), None) is not None:
                return True
            wanted = {"replies", "runs", "debates"}
            there = table_names(connection)
            if not wanted <= there:  # a store that was never filled has none of them
                return bool(there & wanted) or any(True for _ in rows_of(file))
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            known = connection.execute("SELECT MAX(version) FROM schema").fetchone()[0]
            return bool(version != known)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise
        return True
    except sqlite3.DatabaseError:
        return True


def _rebuild(file: Path) -> None:
    """Write the file anew from every readable row."""
    part = file.with_name(f"{file.name}-new")
    part.unlink(missing_ok=True)
    make_private(part)
    part.chmod(file.stat().st_mode & 0o777)
    with closing(sqlite3.connect(part, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 8192")
        migrate(connection, where=str(file))
        for each in store_parts.all():
            make_tables(connection, each)
        kinds = _list_kinds()
        names = {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for table, _, _ in kinds
        }
        connection.execute("BEGIN")
        for row in rows_of(file):
            table = _table(row.columns, kinds)
            if table is None:
                continue
            columns = names[table][: len(row.columns)]
            values = (row.number, *row.columns[1 : len(columns)])
            marks = ", ".join("?" * len(columns))
            with suppress(sqlite3.IntegrityError, OverflowError):
                connection.execute(
                    f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})",  # noqa: S608  own
                    values,
                )
        connection.execute("UPDATE runs SET session = NULL")  # sessions begin anew
        connection.execute("UPDATE leases SET session = 0, ended = COALESCE(ended, ?)", (time(),))
        # A new lease must not get the number of one that cannot be read: it would seem to have paid
        # for its replies.
        connection.execute(
            "INSERT OR IGNORE INTO leases (id, budget, session, began, ended, since) "
            "SELECT DISTINCT lease, '', 0, 0, 0, 0 FROM replies WHERE TYPEOF(lease) = 'integer'"
        )
        connection.execute("COMMIT")
    with part.open("rb") as written:
        os.fsync(written.fileno())
    for suffix in ("-wal", "-shm"):
        file.with_name(f"{file.name}{suffix}").unlink(missing_ok=True)
    part.replace(file)


def _list_kinds() -> list[_Kinds]:
    """Return what tells the tables apart, those of parts too."""
    return [
        *_LIKE,
        *(
            (name, 1 + len(each.columns), tuple(_kind_of(kind) for kind in each.columns.values()))
            for part in store_parts.all()
            for name, each in part.tables.items()
        ),
    ]


def _kind_of(kind: type) -> Any:  # noqa: ANN401  as isinstance takes it
    return NUMBER if kind is float else kind


def _table(row: tuple[Any, ...], kinds: Sequence[_Kinds]) -> str | None:
    """Return the table of a row, by the types of its columns; None for no table of records."""
    if row[0] is not None:  # tables of records have the row's number in place of their first column
        return None
    for table, most, types in kinds:
        alike = len(types) < len(row) <= most and all(
            isinstance(value, kind) for value, kind in zip(row[1:], types, strict=False)
        )
        if alike:
            return table
    return None


def _repair_records(
    connection: sqlite3.Connection, tables: Mapping[str, tuple[str, FindFault]]
) -> tuple[dict[str, int], dict[str, int], list[float | None]]:
    """Correct damaged records, or set them aside; give digests to records of an older moot.

    Returns:
        The numbers of corrected records and of those set aside, by kind; the former cost of each
        reply set aside.
    """
    restored, aside = Counter[str](), Counter[str]()
    costs: list[float | None] = []
    with transaction(connection):
        there = table_names(connection)
        for table, (kind, find_fault) in tables.items():
            if table not in there:  # of a part that has written nothing
                continue
            passes = 2 if kind == "debate" else 1  # the second: those whose base was set aside
            for row, fault in chain.from_iterable(
                _find_faulty(connection, table, find_fault) for _ in range(passes)
            ):
                _set_aside(connection, kind, row, fault.why)
                if fault.fixed is not None and _replace(connection, table, fault.fixed):
                    restored[kind] += 1
                    continue
                aside[kind] += 1
                if kind == "reply":
                    cost = row["cost"]
                    costs.append(cost if isinstance(cost, float) and 0 <= cost < 1e6 else None)
                connection.execute(f"DELETE FROM {table} WHERE id = ?", (row["id"],))  # noqa: S608  own
        _add_digests(connection)
    return dict(restored), dict(aside), costs


def _find_faulty(
    connection: sqlite3.Connection, table: str, find_fault: FindFault
) -> list[tuple[CheckedRow, Fault]]:
    """Return the rows of a table that have a fault, each with it."""
    known, faulty = know_records(connection), list[tuple[CheckedRow, Fault]]()
    for row in rows(connection, table):
        if isinstance(row, Fault):  # SQLite has just found the file sound
            raise StoreError(f"{table}: {row.why}")
        if (fault := find_fault(row, known)) is not None:
            faulty.append((row, fault))
    return faulty


def _add_digests(connection: sqlite3.Connection) -> None:
    connection.create_function("content_digest", 1, lambda kept: crc32(decompress(kept, "it")))
    connection.create_function("reply_digest", 3, reply_digest)
    connection.execute(
        "UPDATE replies SET digest = reply_digest(identity, run, reply) WHERE digest IS NULL"
    )
    connection.execute(
        "UPDATE debates SET values_digest = content_digest(metrics), "
        "transcript_digest = content_digest(transcript) "
        "WHERE values_digest IS NULL OR transcript_digest IS NULL"
    )


def _replace(connection: sqlite3.Connection, table: str, record: CheckedRow) -> bool:
    """Write a row in place of its old content; return False where another row has its key."""
    names = [name for name in record if name != "id"]
    setting = ", ".join(f"{name} = ?" for name in names)
    try:
        connection.execute(
            f"UPDATE {table} SET {setting} WHERE id = ?",  # noqa: S608  own names
            (*(record[name] for name in names), record["id"]),
        )
    except sqlite3.IntegrityError:
        return False
    return True


def _set_aside(connection: sqlite3.Connection, kind: str, record: CheckedRow, why: str) -> None:
    """Copy a record to the table ``damaged``, with bytes in hexadecimal."""
    plain = {
        name: {"bytes": value.hex()} if isinstance(value, bytes) else value
        for name, value in record.items()
    }
    connection.execute(
        "INSERT INTO damaged (moved, kind, number, why, record) VALUES (?, ?, ?, ?, ?)",
        (time(), kind, record["id"], why, msgspec.json.encode(plain)),
    )


def _count_unreadable(connection: sqlite3.Connection, note: Newest) -> int:
    """Return the number of lost replies: numbers that are neither stored nor set aside."""
    there, last = connection.execute("SELECT COUNT(*), MAX(id) FROM replies").fetchone()
    aside = connection.execute(
        "SELECT COUNT(DISTINCT number) FROM damaged WHERE kind = 'reply' AND number NOT IN "
        "(SELECT id FROM replies)"
    ).fetchone()[0]
    return max(0, max(last or 0, note.replies) - int(there) - int(aside))
