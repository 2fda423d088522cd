"""The schema of the store, as the ordered list of changes that lead to it.

A change is never edited once released: another is appended. ``PRAGMA user_version`` counts the
changes a file has been through; the table ``schema`` says which version of moot brought each.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from moot.core.errors import StoreError
from moot.ledger.transaction import transaction


class Migration(NamedTuple):
    """One change.

    Attributes:
        since: the version of moot that first made it.
        apply: makes it.
        read: whether readers depend on it: a file without it cannot be read as it is.
    """

    since: str
    apply: Callable[[sqlite3.Connection], None]
    read: bool = True


def _begin(connection: sqlite3.Connection) -> None:
    # A reply's small columns stand before its long ones, so that sums read one page a row. Rows are
    # in order of arrival: keyed by the digest itself, they would be written all over the file
    # (measured: a quarter of the rows per second, three to five times the bytes).
    connection.execute(
        """
        CREATE TABLE replies (
            id INTEGER PRIMARY KEY,
            identity BLOB NOT NULL UNIQUE,
            run INTEGER REFERENCES runs,
            created REAL NOT NULL,
            model TEXT NOT NULL,
            replicate INTEGER NOT NULL,
            seat INTEGER NOT NULL,
            repeat INTEGER NOT NULL,
            prompt_tokens INTEGER,
            completion_tokens INTEGER,
            cost REAL,
            request BLOB NOT NULL,
            reply BLOB NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX replies_by_run ON replies (run) WHERE run IS NOT NULL")
    connection.execute(
        """
        CREATE TABLE runs (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            created REAL NOT NULL,
            status TEXT NOT NULL,
            study BLOB NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE debates (
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs,
            arm TEXT NOT NULL,
            dataset TEXT NOT NULL,
            question TEXT NOT NULL,
            replicate INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            metrics BLOB NOT NULL,
            transcript BLOB NOT NULL,
            UNIQUE (run, arm, dataset, question, replicate)
        )
        """
    )


def _rankings(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE raters (
            id INTEGER PRIMARY KEY,
            run INTEGER NOT NULL REFERENCES runs,
            name TEXT NOT NULL,
            key TEXT NOT NULL UNIQUE,
            seed INTEGER NOT NULL,
            created REAL NOT NULL,
            UNIQUE (run, name)
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE rankings (
            id INTEGER PRIMARY KEY,
            rater INTEGER NOT NULL REFERENCES raters,
            created REAL NOT NULL,
            dataset TEXT NOT NULL,
            question TEXT NOT NULL,
            replicate INTEGER NOT NULL,
            aspect TEXT NOT NULL,
            arm TEXT NOT NULL,
            place INTEGER NOT NULL,
            shown INTEGER NOT NULL,
            essays INTEGER NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX rankings_by_rater ON rankings (rater)")


def _taken(connection: sqlite3.Connection) -> None:
    # The replicates below this one were taken by a debate, whether it came to its end or not.
    connection.execute("ALTER TABLE runs ADD COLUMN taken INTEGER NOT NULL DEFAULT 0")


def _digests(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE replies ADD COLUMN digest INTEGER")
    connection.execute("ALTER TABLE debates ADD COLUMN values_digest INTEGER")
    connection.execute("ALTER TABLE debates ADD COLUMN transcript_digest INTEGER")
    # What repairing has set aside: the columns of a record, as they were, as JSON.
    connection.execute(
        """
        CREATE TABLE damaged (
            id INTEGER PRIMARY KEY,
            moved REAL NOT NULL,
            kind TEXT NOT NULL,
            number INTEGER,
            why TEXT NOT NULL,
            record BLOB NOT NULL
        )
        """
    )


def _sessions(connection: sqlite3.Connection) -> None:
    # AUTOINCREMENT: the number of a session that has ended is never that of another.
    connection.execute(
        """
        CREATE TABLE sessions (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            host TEXT NOT NULL,
            pid INTEGER NOT NULL,
            started REAL NOT NULL
        )
        """
    )
    # The session that has run a run, or runs it now.
    connection.execute("ALTER TABLE runs ADD COLUMN session INTEGER REFERENCES sessions")


def _leases(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE leases (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            budget TEXT NOT NULL,
            session INTEGER NOT NULL REFERENCES sessions,
            began REAL NOT NULL,
            ended REAL,
            since INTEGER NOT NULL,
            calls INTEGER NOT NULL DEFAULT 0,
            tokens INTEGER NOT NULL DEFAULT 0,
            cost REAL NOT NULL DEFAULT 0,
            flying INTEGER NOT NULL DEFAULT 0,
            wanting INTEGER NOT NULL DEFAULT 0,
            lost_calls INTEGER NOT NULL DEFAULT 0,
            lost_tokens INTEGER NOT NULL DEFAULT 0,
            lost_cost REAL NOT NULL DEFAULT 0
        )
        """
    )
    connection.execute("CREATE INDEX leases_by_budget ON leases (budget)")
    # The lease that paid for a reply, where a budget is capped.
    connection.execute("ALTER TABLE replies ADD COLUMN lease INTEGER REFERENCES leases")
    connection.execute("CREATE INDEX replies_by_lease ON replies (lease) WHERE lease IS NOT NULL")


MIGRATIONS: tuple[Migration, ...] = (
    Migration("0.1.0", _begin),
    Migration("0.1.0", _rankings),
    Migration("0.1.0", _taken, read=False),
    Migration("0.1.0", _digests, read=False),
    Migration("0.1.0", _sessions, read=False),
    Migration("0.1.0", _leases, read=False),
)
DIGESTS = 1 + next(at for at, each in enumerate(MIGRATIONS) if each.apply is _digests)
"""A file that has been through fewer changes has no digests."""
READABLE = max(number for number, each in enumerate(MIGRATIONS, 1) if each.read)
"""A file that has been through so many changes can be read as it is."""


def migrate(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS, *, where: str
) -> None:
    """Bring a file to the newest schema, in one transaction.

    Where nothing is to do, this still takes the lock for writing: a file that cannot be written is
    found now, and not when the first reply has been paid for.

    Raises ``StoreError`` when the file is of a schema newer than ``migrations`` lead to.
    """
    version(connection, migrations, where=where)
    with transaction(connection):
        # Read again: another process may have migrated while this one waited for the lock.
        done = version(connection, migrations, where=where)
        if not done:
            connection.execute(
                "CREATE TABLE schema (version INTEGER PRIMARY KEY, since TEXT NOT NULL)"
            )
        for number, migration in enumerate(migrations[done:], start=done + 1):
            migration.apply(connection)
            connection.execute("INSERT INTO schema VALUES (?, ?)", (number, migration.since))
            connection.execute(f"PRAGMA user_version = {number}")


def version(
    connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS, *, where: str
) -> int:
    """How many changes a file has been through. Raises ``StoreError`` for more than are known."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > len(migrations):
        row = connection.execute("SELECT since FROM schema WHERE version = ?", (found,)).fetchone()
        raise StoreError(
            f"store {where}: its schema {found} is newer than this moot knows ({len(migrations)}); "
            f"it needs moot {row[0] if row else 'of a later version'} or newer"
        )
    return found
