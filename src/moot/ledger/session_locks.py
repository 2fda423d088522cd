"""Sessions of a store in a file: a lock of the operating system shows whether one lives."""

from pathlib import Path

from moot.core.errors import StoreError
from moot.ledger.locks import LOCKS, LockFile
from moot.ledger.storage import StoreConnection, transaction

_LIVES = 1 << 62
"""The position of session 0 in the lock file. Each session locks one byte, by its number."""
_ALL = 1 << 61
_SILENT = _LIVES + _ALL
"""The byte locked by a session that does not show its claims, as the only one; see ``Claims``."""


def has_living_session(file: Path) -> bool:
    """Return whether any process pays with a store now, by the lock file beside it."""
    return _is_locked(file.with_name(LOCKS), _LIVES, _ALL)


def _is_locked(place: Path, start: int, length: int = 1) -> bool:
    if not place.exists():
        return False
    locks = LockFile(place, readonly=True)
    try:
        return locks.find_lock(start, length) is not None
    finally:
        locks.close()


class SessionLocks:
    """The locks of sessions on bytes of the store's lock file.

    Args:
        file: the store's file.
        readonly: no own session can begin.

    Attributes:
        file: the lock file; None where the store is opened for reading only.
    """

    def __init__(self, file: Path, *, readonly: bool) -> None:
        self._store, self._place = file, file.with_name(LOCKS)
        self.file = None if readonly else LockFile(self._place, like=file)
        self._began = self._first = False

    def begin(self, connection: StoreConnection, host: str, pid: int, started: float) -> int:
        """Begin the store's own session, durably; see ``Living``."""
        locks = self.file
        if locks is None:
            raise StoreError(f"store {self._store}: it was opened for reading only")
        insert = "INSERT INTO sessions (host, pid, started) VALUES (?, ?, ?) RETURNING id"
        try:
            with transaction(connection):
                number: int
                (number,) = connection.execute(insert, (host, pid, started)).fetchone()
                # Locked before others can see the row: a session with no locked byte has ended.
                while not locks.take(_LIVES + number):
                    # Only a store that was restored from an older copy uses a number twice.
                    number += 1
                    change = "UPDATE sessions SET id = ? WHERE id = ?"
                    connection.execute(change, (number, number - 1))
                self._first = locks.find_lock(_LIVES, _ALL) is None and locks.take(_SILENT)
        except BaseException:
            locks.free(_LIVES, _ALL + 1)
            raise
        self._began = True
        return number

    @property
    def is_alone(self) -> bool:
        """Whether no other session lives, and none lived when the own one began."""
        locks = self.file
        return locks is not None and self._first and locks.find_lock(_LIVES, _ALL) is None

    def is_visible(self) -> bool:
        """Return whether other processes can see the own session: its lock file is in place."""
        return not self._began or self.file is None or self.file.in_place

    def show_claims(self) -> None:
        """Let other sessions make calls: they can now see the claims of this one."""
        if self.file is not None:
            self.file.free(_SILENT)

    @property
    def others_silent(self) -> bool:
        """Whether another session makes calls without showing its claims."""
        return self.file is not None and self.file.find_lock(_SILENT) is not None

    def is_alive(self, session: int, _: StoreConnection) -> bool:
        """Return whether the process of another session still has the store open."""
        if self.file is not None:
            return self.file.find_lock(_LIVES + session) is not None
        return _is_locked(self._place, _LIVES + session)
