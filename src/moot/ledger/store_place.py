"""The path of a store, and errors about it in plain words."""

import os
import re
import sqlite3
from pathlib import Path
from urllib.parse import urlsplit

from moot.core.errors import DamagedError, InputError, StoreError

STORE_FILE = "moot.db"
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://")

StorePlace = Path | str
"""The file of a store, or the address of its database without a password; for messages."""


def store_path(option: str | None = None) -> Path:
    """Return the store's folder: the option, else ``MOOT_STORE``, else ``.moot``.

    Raises:
        InputError: it is in the home of a user that does not exist.
    """
    place = option or os.environ.get("MOOT_STORE") or ".moot"
    if _ADDRESS.match(place):
        raise InputError(
            f"{describe_place(place)}: this command is for the files of a store in a folder; "
            "PostgreSQL has its own, and moot store copy checks every record that it copies"
        )
    try:
        return Path(place).expanduser()
    except RuntimeError:
        raise InputError(
            f"store {place}: there is no user {Path(place).parts[0][1:]!r}, or its home is not "
            "known; write the folder out with --store or MOOT_STORE"
        ) from None


def find_place(option: str | None = None) -> StorePlace:
    """Return the store's folder, as ``store_path`` does, or the address of its database."""
    place = option or os.environ.get("MOOT_STORE") or ""
    return place if _ADDRESS.match(place) else store_path(option)


def describe_place(place: StorePlace) -> str:
    """Return the place of a store in words: an address without its password and its options."""
    if not isinstance(place, str):
        return str(place)
    parts = urlsplit(place)
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query="").geturl()


def files_folder(place: StorePlace) -> Path:
    """Return the folder for files that are made of a store: its own, or ``.moot``."""
    return Path(".moot") if isinstance(place, str) else place


def is_readonly(place: StorePlace) -> bool:
    """Return whether the folder has a store that may only be read."""
    if isinstance(place, str):
        return False
    file = place / STORE_FILE
    try:
        there = file.is_file()
    except OSError:  # such as a name that is too long: opening it raises the error
        return False
    return there and not (os.access(file, os.W_OK) and os.access(place, os.W_OK))


def require_store(file: Path) -> None:
    """Raise ``StoreError`` where the file does not exist, or its name is not possible."""
    try:
        there = file.exists()
    except OSError as error:
        raise store_error(error, file) from None
    if not there:
        raise StoreError(f"there is no store {file}: name its folder with --store or MOOT_STORE")


def store_error(error: Exception, file: StorePlace) -> StoreError:
    """Return an error with advice, for an error of SQLite or the system about ``file``."""
    # The low byte of an SQLite code is the kind; the other bytes name the system call.
    if isinstance(error, DamagedError):
        return DamagedError(f"store {file}: {error.what}", error.why)
    code = getattr(error, "sqlite_errorcode", -1)
    advice = _ADVICE.get(code & 0xFF if code >= 0 else -1)
    if isinstance(error, sqlite3.Error) and "decode to UTF-8" in str(error):
        advice = DAMAGED
    if advice is None and isinstance(error, OSError):
        denied = isinstance(error, PermissionError)
        advice = (
            _BLOCKED if denied else "choose a store that can be written with --store or MOOT_STORE"
        )
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return StoreError(f"store {file}: {why}" + (f"; {advice}" if advice else ""))


def copy_error(error: StoreError) -> StoreError:
    """Return a copy of an error: every waiting task raises its own."""
    if isinstance(error, DamagedError):
        return DamagedError(error.what, error.why)
    return StoreError(*error.args)


_BLOCKED = "check that file and folder may be read and written, or choose another with --store"
DAMAGED = (
    "the file is damaged or no store: `moot store check` tells what is, and `moot store repair` "
    "saves what can be read into a new file and keeps the old one beside"
)
_ADVICE = {
    sqlite3.SQLITE_FULL: "make room on the disk and run again: all recorded before is kept",
    sqlite3.SQLITE_IOERR: "check the disk and its space and run again: all recorded before is kept",
    sqlite3.SQLITE_BUSY: "another process holds it: wait until that has ended and run again",
    sqlite3.SQLITE_LOCKED: "another process holds it: wait until that has ended and run again",
    sqlite3.SQLITE_READONLY: _BLOCKED,
    sqlite3.SQLITE_CANTOPEN: _BLOCKED,
    sqlite3.SQLITE_PERM: _BLOCKED,
    sqlite3.SQLITE_AUTH: _BLOCKED,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
}
