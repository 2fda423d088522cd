"""The schema of the store: an ordered list of changes, which stand in ``sqlite_changes.sql``.

A released change is never edited; a new one is appended. ``PRAGMA user_version`` is the number of
changes that a file has. The table ``schema`` has the version of moot that first made each. Parts
number their own changes: see ``parts``.
"""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from moot.core.errors import StoreError
from moot.ledger.storage import StoreConnection, transaction


class Migration(NamedTuple):
    """One change of the schema.

    Attributes:
        since: the version of moot that first made it.
        statements: its statements in SQL.
        read: whether readers need it: a file without it cannot be read as it is.
    """

    since: str
    statements: tuple[str, ...]
    read: bool = True


_END = re.compile(r";\n(?! )")
"""The end of a statement: within a function, lines are indented."""
_CHANGE = re.compile(r"(?ms)^--- ([\d.]+)(, readers do without)?$(.*?)(?=^--- |\Z)")


def read_changes(file: Path) -> tuple[Migration, ...]:
    """Read the changes of a schema from a file.

    A change begins with a line ``--- VERSION``, and ``, readers do without`` behind it where a
    store without the change can be read as it is.
    """
    text = file.read_text(encoding="utf-8")
    return tuple(
        Migration(since, tuple(_END.split(sql)[:-1]), read=not more)
        for since, more, sql in _CHANGE.findall(text)
    )


MIGRATIONS = read_changes(Path(__file__).with_name("sqlite_changes.sql"))


def _find(column: str) -> int:
    """Return how many changes a file with this column has at least."""
    found = (at for at, each in enumerate(MIGRATIONS, 1) if column in "".join(each.statements))
    return next(found)


DIGESTS = _find("values_digest")
"""A file with fewer changes has no digests."""
SEALS = _find("made_by")
"""A file with fewer changes has no seals."""
READABLE = max(number for number, each in enumerate(MIGRATIONS, 1) if each.read)
"""A file with so many changes can be read as it is."""


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS, *, where: str
) -> None:
    """Make all changes that a file does not have, in one transaction.

    The lock for writing is taken even where there is nothing to change: so a file that cannot be
    written is noticed before the first reply is paid for.

    Raises:
        StoreError: the file has a newer schema than ``migrations``.
    """
    with transaction(connection):
        done = version(connection, migrations, where=where)
        if done < len(migrations):
            make_changes(connection, migrations, done)
            connection.execute(f"PRAGMA user_version = {len(migrations)}")


def make_changes(connection: StoreConnection, migrations: Sequence[Migration], done: int) -> None:
    """Make the changes after the first ``done``, and note each in the table ``schema``."""
    if not done:
        connection.execute("CREATE TABLE schema (version INTEGER PRIMARY KEY, since TEXT NOT NULL)")
    for number, migration in enumerate(migrations[done:], start=done + 1):
        for statement in migration.statements:
            connection.execute(statement)
        connection.execute("INSERT INTO schema VALUES (?, ?)", (number, migration.since))


def version(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS, *, where: str
) -> int:
    """Return the number of changes that a file has. Raises ``StoreError`` for a newer schema."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > len(migrations):
        row = connection.execute("SELECT since FROM schema WHERE version = ?", (found,)).fetchone()
        raise StoreError(
            f"store {where}: its schema {found} is newer than this moot knows ({len(migrations)}); "
            f"it needs moot {row[0] if row else 'of a later version'} or newer"
        )
    return found
