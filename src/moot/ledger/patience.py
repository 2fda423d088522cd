"""How the writer waits for a store that is locked by another process, or has no room left."""

import sqlite3
from collections.abc import Callable, Sequence
from logging import getLogger
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

from moot.core.errors import StoreError
from moot.ledger.batch import Record
from moot.ledger.place import store_error

T = TypeVar("T")

BUSY = 2.0
"""Seconds for which SQLite itself waits for a lock: after these the user is told."""
_AGAIN = 0.1  # seconds between two attempts
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_ROOM = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})

log = getLogger("moot.ledger")


class Patience:
    """Tries again what may pass, and holds new calls back meanwhile.

    A lock is waited for as long as replies are in hand that were paid for; all else, and room on
    the disk, for some seconds.

    Args:
        file: the store's, for messages.
        seconds: how long to wait for what is not waited for without end.

    Attributes:
        blocked: whether no call should be asked now.
        lost: replies that were paid for and could not be kept.
        cost: what these cost in US dollars, as far as that is known.
    """

    def __init__(self, file: Path, seconds: float) -> None:
        self.blocked = False
        self.lost, self.cost = 0, 0.0
        self._file, self._seconds = file, seconds
        self._end: float | None = None
        self._halted: StoreError | None = None

    @property
    def halt(self) -> StoreError | None:
        """Why no call should be asked ever again, and what was lost; None while one may."""
        if self._halted is None or not self.lost:
            return self._halted
        return StoreError(f"{self._halted}; {self.losses}")

    def close(self) -> None:
        """Wait no longer than for some seconds from now, whatever is in hand."""
        self._end = monotonic() + self._seconds

    def stop(self, error: StoreError) -> None:
        """Have no call asked any more."""
        self._halted = self._halted or error
        self.blocked = True

    def write(self, work: Callable[[], T], *, replies: int = 0) -> T:
        """Do work, again and again while what fails it may pass.

        Args:
            work: has done nothing where it raises.
            replies: that are in hand.
        """
        began, told = monotonic(), False
        while True:
            try:
                done = work()
            except sqlite3.OperationalError as error:
                if not self._may_pass(error, began, replies):
                    # Nothing tries again now: who waits for that would wait for ever.
                    self.blocked = self._halted is not None
                    raise
                self.blocked = True
                if not told and (monotonic() - began > BUSY / 2 or not _locked(error)):
                    told = True
                    log.warning("%s", self._waiting(error, replies))
                sleep(_AGAIN)
                continue
            self.blocked = self._halted is not None
            if told:
                log.warning("store %s: it can be written again", self._file)
            return done

    def give_up(self, error: Exception, records: Sequence[Record]) -> StoreError:
        """Count replies as lost; the error that says so."""
        found = store_error(error, self._file)
        self.lose(records)
        if isinstance(error, sqlite3.OperationalError):
            self.stop(found)
        return StoreError(f"{found}; {self.losses}")

    def give_up_debates(self, error: Exception) -> StoreError:
        """Have no call asked any more where there is no room; the error that says so."""
        found = store_error(error, self._file)
        if getattr(error, "sqlite_errorcode", -1) & 0xFF in _ROOM:
            self.stop(found)
        return found

    def lose(self, records: Sequence[Record]) -> None:
        """Count replies as lost."""
        self.lost += len(records)
        self.cost += sum(record.reply.cost or 0.0 for record in records)

    @property
    def losses(self) -> str:
        """What was lost, in words."""
        replies = "1 reply" if self.lost == 1 else f"{self.lost:,} replies"
        return f"{replies} that had been paid for (${self.cost:.4f}) could not be kept"

    def _may_pass(self, error: sqlite3.OperationalError, began: float, replies: int) -> bool:
        code = getattr(error, "sqlite_errorcode", -1)
        if code < 0 or code & 0xFF not in _LOCKED | _ROOM:
            return False
        if self._end is not None and monotonic() > self._end:
            return False
        if code & 0xFF in _LOCKED and replies:
            return True
        return self._halted is None and monotonic() < began + self._seconds

    def _waiting(self, error: sqlite3.OperationalError, replies: int) -> str:
        why = "another process holds it" if _locked(error) else str(error)
        held = f"to keep {replies} paid replies" if replies > 1 else "to write to it"
        left = "" if _locked(error) else f" for {self._seconds:.0f} s"
        return f"store {self._file}: {why}; no call is made meanwhile, waiting{left} {held}"


def _locked(error: sqlite3.OperationalError) -> bool:
    return getattr(error, "sqlite_errorcode", -1) & 0xFF in _LOCKED
