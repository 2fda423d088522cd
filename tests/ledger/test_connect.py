"""Stores that cannot be opened, and what is said of them."""

import asyncio
import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from moot.core.errors import InputError, StoreError
from moot.ledger.sqlite import open_reader
from moot.ledger.store import Store
from moot.ledger.store_place import STORE_FILE, describe_place, find_place, store_error, store_path


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def modes(folder: Path) -> dict[str, str]:
    """The modes of all files of a folder, by their names."""
    return {each.name: f"{each.stat().st_mode & 0o777:o}" for each in folder.iterdir()}


@pytest.fixture
def umask() -> Iterator[None]:
    """The umask of most systems."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("stricter", [0o022, 0o077])
async def test_a_new_store_is_its_user_s_alone(tmp_path, stricter):
    os.umask(stricter)
    folder = tmp_path / "new" / "store"
    async with Store.open(folder) as store:
        store.begin_run("a", "a", b"{}")
        await store.flush()
        found = modes(folder)
        assert {"moot.db", "moot.db-wal", "moot.db-shm", "moot.db-mark", "moot.locks"} <= {*found}
        assert {*found.values()} == {"600"}
    assert f"{folder.stat().st_mode & 0o777:o}" == "700"
    assert {*modes(folder).values()} == {"600"}
    above = f"{folder.parent.stat().st_mode & 0o777:o}"
    assert above == ("755" if stricter == 0o022 else "700")  # it is no store


def test_a_new_file_that_another_holds_for_a_moment_is_waited_for(tmp_path):
    raw = sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None, check_same_thread=False)
    raw.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(0.3, raw.execute, ["COMMIT"])
    release.start()
    store = Store.open(tmp_path)
    assert not release.is_alive()
    raw.close()
    asyncio.run(store.close())


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o660])
async def test_a_folder_that_exists_and_a_store_keep_their_modes(open_folder, mode: int):
    async with Store.open(open_folder) as store:
        assert {*modes(open_folder).values()} == {"600"}
        store.begin_run("a", "a", b"{}")
    for each in open_folder.iterdir():
        each.unlink() if each.name != STORE_FILE else each.chmod(mode)
    async with Store.open(open_folder) as store:
        store.begin_run("b", "b", b"{}")
        await store.flush()
        assert {*modes(open_folder).values()} == {f"{mode:o}"}
    assert open_folder.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("readonly", [False, True])
async def test_what_is_no_store_is_refused_and_left_as_it_is(tmp_path, readonly):
    text = b"this is not a database, it is a text" * 1000
    for place in ("file", "damaged", "folder"):
        (tmp_path / place).mkdir() if place != "file" else (tmp_path / place).write_bytes(text)
    (tmp_path / "damaged" / STORE_FILE).write_bytes(text)
    (tmp_path / "folder" / STORE_FILE).mkdir()
    wrong = {
        "file": "a store is a folder",
        "folder": "should be a file",
        "damaged": "damaged or no store: `moot store check`",
    }
    for place, said in (wrong | ({"none": "there is no store"} if readonly else {})).items():
        with pytest.raises(StoreError, match=said):
            Store.open(tmp_path / place, readonly=readonly)
        if place in {"none", "damaged"}:
            with pytest.raises(StoreError, match=said):
                open_reader(tmp_path / place / STORE_FILE)
    assert (tmp_path / "damaged" / STORE_FILE).read_bytes() == text
    assert not (tmp_path / "none").exists()


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


AS_NOBODY = """
import asyncio, os, sys, tempfile
from pathlib import Path
from moot.core.errors import StoreError
from moot.ledger.store import Store

async def use(folder, readonly=False):
    async with Store.open(Path(folder), readonly=readonly, patience=0.5) as store:
        if not readonly:
            store.begin_run("b", "b", b"")
        print(len(store.runs()), store.file.name)

with tempfile.TemporaryDirectory() as other:
    asyncio.run(use(other))  # nobody may not be able to read moot itself
if os.getuid() == 0:
    os.setuid(65534)
for readonly in (False, True):
    try:
        asyncio.run(use(sys.argv[1], readonly))
    except StoreError as error:
        print(error)
"""


def used_by_nobody(folder: Path) -> list[str]:
    """What comes of writing to a store, and of reading it, for a user without rights."""
    command = [sys.executable, "-B", "-W", "error", "-c", AS_NOBODY, str(folder)]
    return subprocess.check_output(command, text=True, timeout=60).splitlines()[1:]


@pytest.mark.parametrize("modes", [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555), (0, 0o755)])
async def test_a_store_that_may_only_be_read_or_not_even_that(open_folder, modes):
    file, folder = modes
    async with Store.open(open_folder) as store:
        store.begin_run("a", "a", b"")
    for each in open_folder.iterdir():
        each.chmod(0o644)
    (open_folder / STORE_FILE).chmod(file)
    open_folder.chmod(folder)
    refused, read = await asyncio.to_thread(used_by_nobody, open_folder)
    open_folder.chmod(0o755)
    for line in (refused,) if file else (refused, read):
        assert str(open_folder) in line
        assert "may be read and written" in line
    assert read == "1 moot.db" or not file


def test_a_folder_that_may_not_be_made(open_folder):
    refused, missing = used_by_nobody(open_folder / "a" / "b")
    assert "ermission denied" in refused
    assert "--store" in refused
    assert "there is no store" in missing
