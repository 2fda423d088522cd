"""The schema of the store: an ordered list of changes.

A released change is never edited; a new one is appended. ``PRAGMA user_version`` is the number of
changes that a file has. The table ``schema`` has the version of moot that first made each.
"""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from moot.core.errors import StoreError
from moot.ledger.transaction import transaction


class Migration(NamedTuple):
    """One change of the schema.

    Attributes:
        since: the version of moot that first made it.
        sql: its statements, with a semicolon after each.
        read: whether readers need it: a file without it cannot be read as it is.
    """

    since: str
    sql: str
    read: bool = True


_FIRST = """
-- A reply's small columns stand before its long ones, so that sums read one page a row. Rows are
-- in order of arrival: keyed by the digest itself, they would be written all over the file
-- (measured: a quarter of the rows per second, three to five times the bytes).
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
);
CREATE INDEX replies_by_run ON replies (run) WHERE run IS NOT NULL;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created REAL NOT NULL,
    status TEXT NOT NULL,
    study BLOB NOT NULL
);
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
);
"""

_RANKINGS = """
CREATE TABLE raters (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    name TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE,
    seed INTEGER NOT NULL,
    created REAL NOT NULL,
    UNIQUE (run, name)
);
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
);
CREATE INDEX rankings_by_rater ON rankings (rater);
"""

_TAKEN = """
-- The replicates below this one were taken by a debate, whether it came to its end or not.
ALTER TABLE runs ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
"""

_DIGESTS = """
ALTER TABLE replies ADD COLUMN digest INTEGER;
ALTER TABLE debates ADD COLUMN values_digest INTEGER;
ALTER TABLE debates ADD COLUMN transcript_digest INTEGER;
-- What repairing has set aside: the columns of a record, as they were, as JSON.
CREATE TABLE damaged (
    id INTEGER PRIMARY KEY,
    moved REAL NOT NULL,
    kind TEXT NOT NULL,
    number INTEGER,
    why TEXT NOT NULL,
    record BLOB NOT NULL
);
"""

_SESSIONS = """
-- AUTOINCREMENT: the number of a session that has ended is never that of another.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started REAL NOT NULL
);
-- The session that has run a run, or runs it now.
ALTER TABLE runs ADD COLUMN session INTEGER REFERENCES sessions;
"""

_LEASES = """
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
);
CREATE INDEX leases_by_budget ON leases (budget);
-- The lease that paid for a reply, where a budget is capped.
ALTER TABLE replies ADD COLUMN lease INTEGER REFERENCES leases;
CREATE INDEX replies_by_lease ON replies (lease) WHERE lease IS NOT NULL;
"""

_BATCHES = """
-- The batches that a run has sent. A row is written before the batch is created, under a key of
-- moot's own, by which a batch is found whose creation no process has seen confirmed.
CREATE TABLE batches (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs,
    key TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    created REAL NOT NULL,
    name TEXT,
    status TEXT NOT NULL,
    taken REAL
);
CREATE INDEX batches_by_run ON batches (run);
-- Calls of a run that failed for good in a batch: they are not sent again while the run goes on.
CREATE TABLE refusals (
    run INTEGER NOT NULL REFERENCES runs,
    identity BLOB NOT NULL,
    status INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, identity)
) WITHOUT ROWID;
"""

ORIGINS = """
-- The seals of the transcript and of the values: see ``seals``. From this change on, values and
-- transcripts are compressed: see ``compression``.
ALTER TABLE debates ADD COLUMN made_by {0};
ALTER TABLE debates ADD COLUMN measured_by {0};
"""

LEARNT = """
-- What the endpoint of a batch takes, as far as it was known when the batch was sent, as JSON.
ALTER TABLE batches ADD COLUMN learnt {0};
-- How often a call has failed that may pass; NULL for one that failed for good.
ALTER TABLE refusals ADD COLUMN tries INTEGER;
"""

MIGRATIONS: tuple[Migration, ...] = (
    Migration("0.1.0", _FIRST),
    Migration("0.1.0", _RANKINGS),
    Migration("0.1.0", _TAKEN, read=False),
    Migration("0.1.0", _DIGESTS, read=False),
    Migration("0.1.0", _SESSIONS, read=False),
    Migration("0.1.0", _LEASES, read=False),
    Migration("0.1.0", _BATCHES, read=False),
    Migration("0.1.0", ORIGINS.format("BLOB"), read=False),
    Migration("0.1.0", LEARNT.format("BLOB"), read=False),
)
DIGESTS = 1 + next(at for at, each in enumerate(MIGRATIONS) if each.sql is _DIGESTS)
"""A file with fewer changes has no digests."""
SEALS = 1 + next(at for at, each in enumerate(MIGRATIONS) if "made_by" in each.sql)
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
    version(connection, migrations, where=where)
    with transaction(connection):
        # Read again: another process may have migrated while this one waited for the lock.
        done = version(connection, migrations, where=where)
        if not done:
            connection.execute(
                "CREATE TABLE schema (version INTEGER PRIMARY KEY, since TEXT NOT NULL)"
            )
        for number, migration in enumerate(migrations[done:], start=done + 1):
            for statement in migration.sql.split(";\n")[:-1]:
                connection.execute(statement)
            connection.execute("INSERT INTO schema VALUES (?, ?)", (number, migration.since))
            connection.execute(f"PRAGMA user_version = {number}")


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
