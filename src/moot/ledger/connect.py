"""Connections to a store: SQLite's settings, and the checks before anything is written."""

import os
import sqlite3
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from moot.core.errors import StoreError
from moot.ledger.log import count_lost_frames, log_of
from moot.ledger.migrations import DIGESTS, READABLE, SEALS, migrate, version
from moot.ledger.patience import BUSY
from moot.ledger.session_locks import has_living_session
from moot.ledger.store_place import DAMAGED, require_store
from moot.ledger.watermark import Newest, describe_missing, is_unchanged, note_path, read_note

# Python looks for an adapter of each value of these types, and formats an error that it drops: that
# took 27,000 instructions a reply. These give each value as it is.
sqlite3.register_adapter(bytes, bytes.__bytes__)
sqlite3.register_adapter(type(None), dict[None, None]().get)


def write_connection(file: Path, patience: float) -> sqlite3.Connection:
    """Open a store for writing; make folder and schema where they are missing.

    A new folder and a new file are this user's alone; those that exist keep their modes. What
    SQLite makes beside the file has the file's mode.
    """
    _refuse_misplaced(file)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not file.exists():
        with suppress(OSError):
            note_path(file).unlink()  # the note is of a store that was removed
        make_private(file)
    else:
        check_whole(file, patience)
        check_structure(file)
    with ExitStack() as opened:
        connection = opened.enter_context(closing(connect(file, "rwc", patience)))
        # Rows have 2 to 4 kB: pages of 8 kB leave less space unused than those of 4 kB.
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -4000")  # kB; holds the index of 100,000 replies
        connection.execute("PRAGMA journal_size_limit = 16000000")
        migrate(connection, where=str(file))
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * min(patience, BUSY))}")
        opened.pop_all()
    return connection


def make_private(file: Path) -> None:
    """Make an empty file that this user alone may read; one that exists stays as it is."""
    os.close(os.open(file, os.O_RDONLY | os.O_CREAT, 0o600))


def read_connection(file: Path, patience: float) -> sqlite3.Connection:
    """Open a store for reading. Raises ``StoreError`` for no store, or one of an older schema."""
    _refuse_misplaced(file)
    require_store(file)
    try:
        return _open_for_reading(file, patience)
    except sqlite3.OperationalError as error:
        # Even reading has to write a log index beside the file. Where the folder forbids that, and
        # the log is empty, the file is complete and can be read without it.
        log = log_of(file)
        forbidden = error.sqlite_errorcode & 0xFF in (
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_READONLY,
        )
        if not forbidden or (log.exists() and log.stat().st_size):
            raise
        return _open_for_reading(file, patience, "&immutable=1")


def _open_for_reading(file: Path, patience: float, more: str = "") -> sqlite3.Connection:
    with ExitStack() as opened:
        connection = opened.enter_context(closing(connect(file, f"ro{more}", patience)))
        found = version(connection, where=str(file))
        if found < READABLE:
            raise StoreError(f"store {file}: it is of an older moot; open it for writing once")
        for table, columns in _ADDED.items():
            if missing := [column for since, column in columns if found < since]:
                # A view of the same name, in memory, has precedence over the table.
                view = f"SELECT *, {', '.join(missing)} FROM main.{table}"  # noqa: S608  own
                connection.execute(f"CREATE TEMP VIEW {table} AS {view}")
        opened.pop_all()
    return connection


_ADDED = {
    "replies": ((DIGESTS, "NULL AS digest"),),
    "debates": (
        (DIGESTS, "NULL AS values_digest, NULL AS transcript_digest"),
        (SEALS, "NULL AS made_by, NULL AS measured_by"),
    ),
}
"""Columns that older files do not have, by table: since which change, and as empty ones."""


def bare_connection(file: Path, *, read: bool = False) -> sqlite3.Connection:
    """Open a file without any check, to examine or repair it."""
    return connect(file, "ro" if read else "rw", BUSY)


def check_whole(file: Path, patience: float) -> None:
    """Raise ``StoreError`` where durable records are missing.

    This is checked before the store is opened for writing: the last writer to close removes the
    log, and with it records that could be restored.
    """
    # Frames that SQLite gave up on a full disk stand behind the end of the log and look durable.
    # So the note beside the store decides, where there is one.
    if read_note(file) == Newest():
        if lost := count_lost_frames(file):
            raise StoreError(
                f"store {file}: its log ({file.name}-wal) is damaged, and {lost:,} changes behind "
                "the damage would be lost; nothing was asked. `moot store repair` brings them back"
            )
    elif file.exists():
        with closing(connect(file, "ro", patience)) as connection:
            check_missing(file, connection)


def check_missing(file: Path, connection: sqlite3.Connection) -> None:
    """Raise ``StoreError`` where a store holds fewer records than the note beside it says."""
    note = read_note(file)  # before the store is read, since the store is never behind its note
    if gone := describe_missing(connection, note):
        raise StoreError(
            f"store {file} has lost {gone}: its log ({file.name}-wal) was "
            "damaged, cut or removed, or an older copy was put in its place, or the folder was "
            "copied while a process wrote to it; nothing was asked. "
            "`moot store repair` brings back what can be, and with --accept-loss goes on without"
        )


def check_structure(file: Path) -> None:
    """Raise ``StoreError`` for a damaged file. A file that moot itself closed last is not checked.

    Replies behind a damaged page of an index are not found, and all would be paid for again.
    """
    if is_unchanged(file) or file.stat().st_size > _LARGE or has_living_session(file):
        return
    with closing(bare_connection(file, read=True)) as connection:
        ((said,),) = connection.execute("PRAGMA integrity_check(1)").fetchall()
    if said != "ok":
        raise StoreError(f"store {file}: {said}; {DAMAGED}")


_LARGE = 512_000_000  # bytes; checking a larger file would make the start too slow


def connect(file: Path, mode: str, patience: float) -> sqlite3.Connection:
    """Open a file in a mode of SQLite's addresses, as it is; see ``sqlite.org/uri.html``."""
    uri = f"{file.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(
        uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False
    )


def _refuse_misplaced(file: Path) -> None:
    """Raise ``StoreError`` where the file is a folder, or the folder is a file."""
    if file.is_dir():
        raise StoreError(f"store {file}: this is a folder, and should be a file: move it away")
    if file.parent.exists() and not file.parent.is_dir():
        raise StoreError(f"store {file.parent}: this is a file; a store is a folder: name another")
