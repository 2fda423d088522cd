import sqlite3
from pathlib import Path

import pytest

from moot.core.errors import StoreError
from moot.ledger.migrations import MIGRATIONS, Migration, migrate
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE

NOTE = ("ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT 'none'",)
FAIL = ("CREATE TABLE half (a)", "CREATE TABLE runs (a)")


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, isolation_level=None)


async def test_an_older_file_cannot_be_read_before_it_is_upgraded(tmp_path):
    connection = _connect(tmp_path / STORE_FILE)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(StoreError, match="older moot"):
        Store.open(tmp_path, readonly=True)
    async with Store.open(tmp_path):
        pass
    async with Store.open(tmp_path, readonly=True) as store:
        assert store.runs() == []


async def test_a_newer_file_is_refused_and_a_failed_migration_leaves_nothing(tmp_path):
    async with Store.open(tmp_path):
        pass
    connection = _connect(tmp_path / STORE_FILE)
    with pytest.raises(sqlite3.OperationalError, match="already exists"):
        migrate(connection, (*MIGRATIONS, Migration("7.8.9", FAIL)), where="x")
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchall()
    migrate(connection, (*MIGRATIONS, Migration("7.8.9", NOTE)), where="x")
    connection.close()
    for readonly in (False, True):
        with pytest.raises(StoreError, match=r"needs moot 7\.8\.9 or newer"):
            Store.open(tmp_path, readonly=readonly)
