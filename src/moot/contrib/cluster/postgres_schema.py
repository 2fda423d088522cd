"""The schema of a store in PostgreSQL: an ordered list of changes in ``postgres_changes.sql``.

A released change is never edited; a new one is appended, in step with ``migrations``: after the
last change of each, both databases have the same tables. Functions are PostgreSQL's own.
"""

from collections.abc import Sequence
from pathlib import Path

from moot.core.errors import StoreError
from moot.ledger.migrations import Migration, make_changes, read_changes
from moot.ledger.storage import StoreConnection
from moot.ledger.transaction import transaction

MIGRATIONS = read_changes(Path(__file__).with_name("postgres_changes.sql"))
READABLE = max(number for number, each in enumerate(MIGRATIONS, 1) if each.read)
"""A database with so many changes can be read as it is."""


def migrate_postgres(
    connection: StoreConnection, migrations: Sequence[Migration] = MIGRATIONS, *, where: str
) -> None:
    """Make all changes that a database does not have, in one transaction.

    Raises:
        StoreError: the database has a newer schema than ``migrations``.
        DatabaseFault: the user may not make tables.
    """
    if read_version(connection, migrations, where=where) == len(migrations):
        return
    with transaction(connection):
        connection.execute("CREATE SCHEMA IF NOT EXISTS moot")
        # Read again: another process may have migrated while this one waited for the lock.
        done = read_version(connection, migrations, where=where)
        make_changes(connection, migrations, done)


def read_version(
    connection: StoreConnection, migrations: Sequence[Migration] = MIGRATIONS, *, where: str
) -> int:
    """Return the number of changes that a database has; 0 for no store.

    Raises:
        StoreError: it has a newer schema than ``migrations``.
    """
    (there,) = connection.execute("SELECT to_regclass('moot.schema') IS NOT NULL").fetchone()
    if not there:
        return 0
    query = "SELECT version, since FROM schema ORDER BY version DESC LIMIT 1"
    version, since = connection.execute(query).fetchone() or (0, "")
    if version > len(migrations):
        raise StoreError(
            f"store {where}: its schema {version} is newer than this moot knows "
            f"({len(migrations)}); it needs moot {since} or newer"
        )
    return int(version)
