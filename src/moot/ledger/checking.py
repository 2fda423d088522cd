"""The check of a whole store: the file, its log, and every record in it."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from moot.core.errors import StoreError
from moot.ledger.connect import bare_connection, read_connection
from moot.ledger.faults import CheckedRow, Fault, KnownRecords, list_tables
from moot.ledger.log import count_lost_frames, log_of
from moot.ledger.store_place import require_store
from moot.ledger.watermark import Newest, describe_missing, read_note

_LINES = 20
"""The most faults that SQLite reports of a file."""


class Damage(msgspec.Struct, frozen=True):
    """A record, or a part of the file, that is not as it was written.

    Attributes:
        kind: ``file``, ``log``, ``missing``, ``run``, ``reply``, ``debate``, or a kind of a part.
        number: the number of the row; None for a part of the file.
        why: the fault in words.
        restorable: whether it can be corrected without a loss.
    """

    kind: str
    number: int | None
    why: str
    restorable: bool = False


class Check(msgspec.Struct, frozen=True):
    """The records of a store, and its damage.

    Attributes:
        store: the file.
        records: the number of records of each kind.
        damaged: the number of damages of each kind.
        damage: every damage.
        set_aside: the number of damaged records that an earlier repair has set aside.
    """

    store: str
    records: dict[str, int]
    damaged: dict[str, int]
    damage: tuple[Damage, ...]
    set_aside: int = 0


def check(file: Path) -> Check:
    """Check everything in a store, and change nothing. Raises ``StoreError`` for no store."""
    require_store(file)
    found = list[Damage]()
    gone, behind = find_loss(file)
    if gone:
        found.append(Damage("missing", None, f"it has lost {gone}"))
    if behind:
        why = f"{behind:,} changes behind damage in {log_of(file).name} would be lost"
        found.append(Damage("log", None, why, restorable=True))
    tables, records = list_tables(), dict[str, int]()
    aside = 0
    try:
        with closing(read_connection(file, 5.0)) as connection:
            found += structure(connection)
            aside = _set_aside(connection)
            known, there = know_records(connection), table_names(connection)
            for table, (kind, find_fault) in tables.items():
                records[kind] = 0
                # A part that has written nothing has no tables.
                for row in rows(connection, table) if table in there else ():
                    records[kind] += 1
                    if isinstance(row, Fault):
                        found.append(Damage("file", None, f"{table}: {row.why}"))
                    elif (fault := find_fault(row, known)) is not None:
                        restorable = fault.fixed is not None
                        found.append(Damage(kind, _id(row), fault.why, restorable))
    except (sqlite3.Error, OSError) as error:
        found.append(Damage("file", None, str(error)))
    except StoreError as error:
        if not found:
            raise
        found.append(Damage("file", None, str(error)))
    kinds = dict(sorted(Counter(each.kind for each in found).items()))
    return Check(str(file), records, kinds, tuple(found), aside)


def find_loss(file: Path) -> tuple[str, int]:
    """Return the records that are missing by the note, and the frames of the log behind damage.

    Returns:
        The missing records in words, empty for none; and the number of durable frames of the log
        that SQLite drops.
    """
    note, gone = read_note(file), ""
    with suppress(sqlite3.Error), closing(bare_connection(file, read=True)) as connection:
        gone = describe_missing(connection, note)
        if note != Newest() and not gone:
            return "", 0
    # By the note, the end of the log was durable and not torn.
    return gone, count_lost_frames(file, torn=note == Newest())


def structure(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Yield the faults of a file that SQLite finds."""
    try:
        for (line,) in connection.execute(f"PRAGMA integrity_check({_LINES})").fetchall():
            if line != "ok":
                yield Damage("file", None, str(line))
    except sqlite3.DatabaseError as error:
        yield Damage("file", None, str(error))


def run_ids(connection: sqlite3.Connection) -> frozenset[int]:
    """Return the numbers of all runs."""
    return frozenset(number for (number,) in connection.execute("SELECT id FROM runs"))


def know_records(connection: sqlite3.Connection) -> KnownRecords:
    """Return the facts of other records that the check of a record needs."""

    def query(statement: str, *values: object) -> list[tuple[Any, ...]]:
        return connection.execute(statement, values).fetchall()

    return KnownRecords(run_ids(connection), query)


def table_names(connection: sqlite3.Connection) -> set[str]:
    """Return the names of all tables."""
    return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


def rows(connection: sqlite3.Connection, table: str) -> Iterator[CheckedRow | Fault]:
    """Yield the rows of a table in order, and a fault where rows cannot be reached."""
    connection.text_factory = _text
    try:
        cursor = connection.execute(f"SELECT * FROM {table} ORDER BY id")  # noqa: S608  own
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))
    except (sqlite3.DatabaseError, MemoryError, OverflowError) as error:
        yield Fault(str(error) or type(error).__name__)
    finally:
        connection.text_factory = str


def _text(content: bytes) -> str | bytes:
    """Return a text, or its bytes where they are not UTF-8."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content


def _id(row: CheckedRow) -> int | None:
    number = row.get("id")
    return number if isinstance(number, int) else None


def _set_aside(connection: sqlite3.Connection) -> int:
    if "damaged" not in table_names(connection):
        return 0
    return int(connection.execute("SELECT COUNT(*) FROM damaged").fetchone()[0])
