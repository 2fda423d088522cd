"""Tables that parts of moot, and other packages, have in a store.

A part joins by an entry point in ``moot.tables``. Its tables are made when it first writes to them:
``Store.extend``. Checks, repairs and copies of a store walk over the tables of every part.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from moot.core.errors import InputError, StoreError
from moot.core.registry import Registry
from moot.ledger.migrations import Migration
from moot.ledger.storage import Query, StoreConnection, transaction


class PartTable(NamedTuple):
    """A table of a part. Its rows have a number, ``id``, and belong to rows of another table.

    Attributes:
        kind: the name of a record, e.g. ``"rater"``.
        columns: the columns after ``id``, with the types of their values: int, float, str, bytes.
        parent: the table to which the first column refers: ``"runs"``, or an earlier one of the
            part.
        unique: the columns by which two rows are the same record; all if empty.
    """

    kind: str
    columns: Mapping[str, type]
    parent: str
    unique: tuple[str, ...] = ()


class StorePart(NamedTuple):
    """The tables of a part.

    Attributes:
        name: the name of the part.
        changes: the changes that make its tables, with SQLite's types, in order: see
            ``migrations``. They are numbered by part. The first adopts tables that an older store
            has: ``CREATE TABLE IF NOT EXISTS``.
        tables: its tables by name; a table stands after the one that its rows belong to.
    """

    name: str
    changes: tuple[Migration, ...]
    tables: Mapping[str, PartTable]

    def add(self) -> None:
        """Let stores have the tables of the part."""
        store_parts.add(self.name, self)


store_parts = Registry[StorePart]("part with tables", "", group="moot.tables")


def list_tables() -> dict[str, PartTable]:
    """Return the tables of all parts by name.

    Raises:
        InputError: a part cannot be loaded: its records would be passed over.
    """
    found = store_parts.all()
    for name, why in store_parts.broken.items():
        raise InputError(f"the tables of {name!r} are not known, it cannot be loaded: {why}")
    return {name: table for part in found for name, table in part.tables.items()}


def make_tables(
    connection: StoreConnection, part: StorePart, translate: Callable[[str], str] = str
) -> None:
    """Make the changes of a part that a store does not have, in one transaction.

    Args:
        connection: the connection that writes.
        part: the part.
        translate: see ``Database.translate``.

    Raises:
        StoreError: a newer version of the part has written the store.
    """
    with transaction(connection):
        query = "SELECT COALESCE(MAX(version), 0) FROM part_changes WHERE part = ?"
        (done,) = connection.execute(query, (part.name,)).fetchone()
        if done > len(part.changes):
            query = "SELECT since FROM part_changes WHERE part = ? AND version = ?"
            (since,) = connection.execute(query, (part.name, done)).fetchone()
            raise StoreError(
                f"the tables of {part.name} are newer than this moot knows "
                f"({done} changes, {len(part.changes)} are known); they need {since} or newer"
            )
        for number, change in enumerate(part.changes[done:], start=done + 1):
            for statement in change.statements:
                connection.execute(translate(statement))
            row = (part.name, number, change.since)
            connection.execute("INSERT INTO part_changes VALUES (?, ?, ?)", row)


def read_rows(
    query: Query, name: str, table: PartTable, parents: Mapping[int, int]
) -> list[tuple[Any, ...]]:
    """Return the rows of a table that belong to these, with the numbers of new parents.

    Args:
        query: reads the store.
        name: the name of the table.
        table: the table.
        parents: the new numbers of parents, by their numbers in the store.
    """
    parent, *rest = table.columns
    select = f"SELECT id, {', '.join(rest)} FROM {name} WHERE {parent} = ? ORDER BY id"  # noqa: S608  own names
    return [
        (number, new, *values)
        for old, new in parents.items()
        for number, *values in query(select, old)
    ]


def add_rows(
    connection: StoreConnection, name: str, table: PartTable, rows: Sequence[tuple[Any, ...]]
) -> dict[int, int]:
    """Write those rows of another store that are not there, in one transaction.

    Args:
        connection: the connection that writes.
        name: the name of the table.
        table: the table.
        rows: as ``read_rows`` returns them.

    Returns:
        The numbers of the rows here, by their numbers in the other store.
    """
    columns = [*table.columns]
    places = [columns.index(column) for column in table.unique or columns]
    parents = {row[1] for row in rows}

    def find() -> dict[tuple[Any, ...], int]:
        select = f"SELECT id, {', '.join(columns)} FROM {name} WHERE {columns[0]} = ? ORDER BY id"  # noqa: S608  own names
        found = [row for each in parents for row in connection.execute(select, (each,)).fetchall()]
        return {_key(row, places): row[0] for row in found}

    marks = ", ".join("?" * len(columns))
    with transaction(connection):
        there = find()
        connection.executemany(
            f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT DO NOTHING",  # noqa: S608  own names
            [row[1:] for row in rows if _key(row, places) not in there],
        )
        there = find()
    return {row[0]: there[key] for row in rows if (key := _key(row, places)) in there}


def _key(row: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    """Return the columns that name a record, without NUL, which PostgreSQL cannot store."""
    found = (row[1 + place] for place in places)
    return tuple(each.replace("\0", "\ufffd") if isinstance(each, str) else each for each in found)
