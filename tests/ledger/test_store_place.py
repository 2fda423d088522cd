import errno
import os
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
    monkeypatch.setenv("HOME", "/home/ann")
    assert store_path("~/store") == Path("/home/ann/store")
    text = str(store_error(OSError(errno.EACCES, os.strerror(errno.EACCES)), Path("/x/moot.db")))
    assert text.startswith("store /x/moot.db: Permission denied; ")
    assert "--store" in text


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
