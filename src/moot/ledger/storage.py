"""Connections that take SQL, transactions over them, and kinds of their errors.

The SQL of the store is what SQLite and PostgreSQL both understand, with ``?`` for values. What only
one of them understands stands in the modules of that one.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, Protocol, TypeVar

from moot.core.errors import DamagedError
from moot.ledger.store_place import StorePlace, store_error

T = TypeVar("T")


class StoreRows(Protocol):
    """The rows of a statement."""

    def fetchone(self) -> Any:  # noqa: ANN401  a tuple or None, as sqlite3 declares it
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Yield all rows that are left."""


class StoreConnection(Protocol):
    """A connection to a database; ``sqlite3.Connection`` is one."""

    @property
    def in_transaction(self) -> bool:
        """Whether statements wait for a commit."""

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> StoreRows:
        """Run one statement, and return its rows."""

    def executemany(self, statement: str, rows: Sequence[Sequence[Any]], /) -> object:
        """Run one statement for each row of values."""

    def close(self) -> None:
        """Close the connection."""


class Query(Protocol):
    """Reads a store; see ``Records.query``."""

    def __call__(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""


class Change(Protocol):
    """Writes to a store; see ``Writer.change``."""

    async def __call__(self, work: Callable[[StoreConnection], T], *, small: bool = False) -> T:
        """Do work in the thread that writes, and return its result once it is durable."""


FaultKind = Literal["lost", "full", "record", "other"]


class DatabaseFault(Exception):
    """An error of a database server.

    Args:
        why: the reason, in words, with advice.
        kind: ``lost`` for a server that is away and may come back, ``full`` for a full disk,
            ``record`` for one record that cannot be stored, ``other`` for all else.
        state: the server's code, e.g. ``"42501"``; empty for an error of the connection.
    """

    def __init__(self, why: str, kind: FaultKind = "other", state: str = "") -> None:
        super().__init__(why)
        self.kind, self.state = kind, state


DATABASE_ERRORS = (sqlite3.Error, DatabaseFault)
"""The errors of a connection."""
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})


def is_locked(error: Exception) -> bool:
    """Return whether a write may succeed later: another process holds the store, or it is away."""
    return _has_kind(error, "lost", _LOCKED)


def is_full(error: Exception) -> bool:
    """Return whether a write failed for want of space, or by an error of the disk."""
    return _has_kind(error, "full", _ROOM)


def concerns_store(error: Exception) -> bool:
    """Return whether an error concerns the whole store, and not one record alone."""
    if isinstance(error, DatabaseFault):
        return error.kind != "record"
    return isinstance(error, sqlite3.OperationalError)


def _has_kind(error: Exception, kind: FaultKind, codes: frozenset[int]) -> bool:
    if isinstance(error, DatabaseFault):
        return error.kind == kind
    code = getattr(error, "sqlite_errorcode", -1)
    return code >= 0 and code & 0xFF in codes


@contextmanager
def transaction(connection: StoreConnection) -> Iterator[None]:
    """Commit the statements of the block, or undo all of them after an error.

    Inside another transaction this does nothing: the outer one commits.

    Raises:
        sqlite3.Error, DatabaseFault: another process holds the lock for writing, or the commit
            fails.
    """
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(place: StorePlace) -> Iterator[None]:
    """Raise an error of the database in the block as a ``StoreError`` that says what to do."""
    try:
        yield
    except (*DATABASE_ERRORS, DamagedError) as error:
        raise store_error(error, place) from error
