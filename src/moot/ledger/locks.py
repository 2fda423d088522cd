"""Locks that end with their process: on ranges of bytes of one file beside the store.

The ranges are far beyond the end of the file. The operating system frees the locks when the process
ends in any way, so a crash leaves no stale lock. A suspended process keeps its locks.

On Linux and macOS the locks belong to the open file ("open file description"), not to the process:
two stores of one process exclude each other, and reading the file elsewhere in the process frees no
lock. SQLite needs locks of the same kind, so every file system that can hold a store has them.
"""

import os
import sys
from errno import EACCES, EAGAIN, EDEADLK
from pathlib import Path
from struct import Struct
from typing import Literal
from weakref import WeakSet

from moot.core.errors import StoreError
from moot.ledger.store_place import store_error

LOCKS = "moot.locks"
"""The name of the file, in the store's folder."""
UNKNOWN = 0
"""The length of a locked range on a system that does not report it."""

_CONFLICTS = {EACCES, EAGAIN, EDEADLK}
_OPEN = os.O_RDWR | os.O_CREAT
_How = Literal["take", "free", "find"]
_SHARED = 0x40000002, 510
"""The bytes that SQLite locks in a database; https://sqlite.org/src/file/src/os.h."""
_open_files: "WeakSet[LockFile]" = WeakSet()


class LockFile:
    """The lock file of a store, open. An error of the system is a ``StoreError``.

    Args:
        file: its path. A missing file is made, unless ``readonly``.
        like: the file whose permissions a new one gets.
        readonly: only ask which ranges are locked.
    """

    def __init__(self, file: Path, *, like: Path | None = None, readonly: bool = False) -> None:
        self._file, self._descriptor, self._readonly = file, -1, readonly
        is_new = not file.exists()
        try:
            self._descriptor = os.open(file, os.O_RDONLY if readonly else _OPEN, 0o666)
            if is_new and like is not None and sys.platform != "win32":
                os.fchmod(self._descriptor, like.stat().st_mode & 0o777)
        except OSError as error:
            self.close()
            raise store_error(error, file) from error
        _open_files.add(self)

    def take(self, start: int, length: int = 1) -> bool:
        """Lock a range of bytes, without waiting.

        This object can lock the same bytes again.

        Returns:
            True if they are now locked, False where another holds any of them.

        Raises:
            StoreError: they cannot be locked for another reason.
        """
        if self._descriptor < 0:
            raise StoreError(f"store {self._file.parent}: it is closed")
        try:
            _lock(self._descriptor, start, length, "take")
        except OSError as error:
            if error.errno in _CONFLICTS:
                return False
            raise store_error(error, self._file) from error
        return True

    def free(self, start: int, length: int = 1) -> None:
        """Unlock a range of bytes; after closing this does nothing."""
        if self._descriptor < 0:
            return
        try:
            _lock(self._descriptor, start, length, "free")
        except OSError as error:
            raise store_error(error, self._file) from error

    def find_lock(self, start: int, length: int = 1) -> int | None:
        """Return the length of a range that another holds within these bytes; None for no lock.

        ``UNKNOWN`` where the system does not report a length.
        """
        if self._descriptor < 0:
            raise StoreError(f"store {self._file.parent}: it is closed")
        try:
            return _lock(self._descriptor, start, length, "find")
        except OSError as error:
            raise store_error(error, self._file) from error

    @property
    def in_place(self) -> bool:
        """Whether the open file is still the one of this name, which other processes open."""
        try:
            return self._descriptor < 0 or os.path.samestat(
                os.fstat(self._descriptor), self._file.stat()
            )
        except OSError:
            return False

    def belongs_to(self, database: Path) -> bool:
        """Return whether this is the lock file of that store, open for writing."""
        held = self._descriptor >= 0 and not self._readonly
        return held and self._file == database.with_name(LOCKS)

    def close(self) -> None:
        """Unlock all ranges and close the file."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()


def is_open(database: Path) -> bool:
    """Return whether SQLite has a store open: in another process, or for writing in this one.

    In the journal mode of stores each connection locks these bytes of the file. On Windows only
    this process is checked: there an open file cannot be replaced.
    """
    if any(
        each.belongs_to(database) for each in _open_files
    ):  # to close the file would free its locks
        return True
    if sys.platform == "win32":
        return False
    descriptor = os.open(database, os.O_RDONLY)
    try:
        return _lock(descriptor, *_SHARED, "find") is not None
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int, start: int, length: int, how: _How) -> int | None:
        mode = msvcrt.LK_UNLCK if how == "free" else msvcrt.LK_NBLCK
        os.lseek(descriptor, start, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, mode, length)
        except OSError as error:
            if how == "find" and error.errno in _CONFLICTS:
                return UNKNOWN
            raise
        if how == "find":
            os.lseek(descriptor, start, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, length)
        return None

else:
    import fcntl

    # ``struct flock`` as it lies in memory, and the commands for locks of an open file. macOS has
    # them since 10.11, but its Python does not name them.
    _MACOS = sys.platform == "darwin"
    _FLOCK = Struct("qqihh" if _MACOS else "hhqqi0q")
    _GET, _SET = (92, 90) if _MACOS else (36, 37)

    def _lock(descriptor: int, start: int, length: int, how: _How) -> int | None:
        """Lock or free a range; or return the length of the one that another holds within it."""
        kind = fcntl.F_UNLCK if how == "free" else fcntl.F_WRLCK
        wanted = (kind, os.SEEK_SET), (start, length, 0)
        flock = _FLOCK.pack(*wanted[_MACOS], *wanted[not _MACOS])
        found = _FLOCK.unpack(fcntl.fcntl(descriptor, _GET if how == "find" else _SET, flock))
        kind, reach = (found[3], found[1]) if _MACOS else (found[0], found[3])
        return reach if how == "find" and kind != fcntl.F_UNLCK else None

    def _forget() -> None:
        """Close all lock files in a child process: it must not keep its parent's locks."""
        for each in list(_open_files):
            each.close()

    os.register_at_fork(after_in_child=_forget)
