import errno
import os
import sqlite3
from pathlib import Path

import pytest

from moot.ledger.store_place import store_error, store_path


def test_the_option_goes_before_the_variable_before_the_default(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("MOOT_STORE", raising=False)
    assert store_path(None) == Path(".moot")
    monkeypatch.setenv("MOOT_STORE", "/srv/moot")
    assert store_path(None) == Path("/srv/moot")
    assert store_path("here") == Path("here")
    monkeypatch.setenv("MOOT_STORE", "")
    assert store_path("") == Path(".moot")


def test_a_home_folder_is_expanded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/home/ann")
    assert store_path("~/store") == Path("/home/ann/store")


def test_a_system_error_names_the_file_and_what_to_do():
    error = OSError(errno.EACCES, os.strerror(errno.EACCES))
    text = str(store_error(error, Path("/x/moot.db")))
    assert text.startswith("store /x/moot.db: Permission denied; ")
    assert "--store" in text


def test_an_extended_code_is_read_by_its_kind(tmp_path: Path):
    (tmp_path / "a.db").mkdir()
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(tmp_path / "a.db")
    assert caught.value.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CANTOPEN
    assert "may be read and written" in str(store_error(caught.value, tmp_path / "a.db"))
