"""Where the store is, and in plain words what is wrong with it."""

import os
import sqlite3
from pathlib import Path

from moot.core.errors import StoreError

FILE = "moot.db"


def store_path(option: str | None = None) -> Path:
    """The store's folder: the option, else ``MOOT_STORE``, else ``.moot`` where moot started."""
    return Path(option or os.environ.get("MOOT_STORE") or ".moot").expanduser()


def store_error(error: Exception, file: Path) -> StoreError:
    """The error a user can act on, for one that SQLite or the system raised over ``file``."""
    # The low byte of an SQLite code is the kind; the rest says in which system call it came up.
    code = getattr(error, "sqlite_errorcode", -1)
    advice = _ADVICE.get(code & 0xFF if code >= 0 else -1)
    if advice is None and isinstance(error, OSError):
        advice = "choose a store that can be written with --store or MOOT_STORE"
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return StoreError(f"store {file}: {said}" + (f"; {advice}" if advice else ""))


_BLOCKED = "check that file and folder may be read and written, or choose another with --store"
_DAMAGED = (
    "the file is damaged or no store: move it away, with its -wal and -shm files, to begin a new "
    "one; `sqlite3 FILE .recover` may save what it held"
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
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
