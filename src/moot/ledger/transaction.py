"""Transactions: several statements are written together, or none of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from moot.ledger.storage import StoreConnection


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
