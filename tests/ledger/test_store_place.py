import errno
import os
import sqlite3
from pathlib import Path

import pytest

from moot.core.errors import InputError
from moot.ledger.store_place import describe_place, find_place, store_error, store_path


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


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("postgresql://ann:secret@db.lab:5432/moot", "postgresql://ann@db.lab:5432/moot"),
        ("postgresql://db.lab/moot?password=secret", "postgresql://db.lab/moot"),
        ("postgres://:secret@[::1]/moot", "postgres://@[::1]/moot"),
    ],
)
def test_an_address_is_a_place_that_is_told_without_its_password(option, said, monkeypatch):
    assert find_place(option) == option
    monkeypatch.setenv("MOOT_STORE", option)
    assert find_place() == option
    assert describe_place(find_place()) == said
    with pytest.raises(InputError, match="for the files of a store in a folder"):
        store_path()
    assert describe_place(find_place("some/where")) == "some/where"
