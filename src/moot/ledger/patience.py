"""Waits for a store that another process has locked, or whose disk is full."""

from collections.abc import Callable, Sequence
from logging import getLogger
from time import monotonic, sleep
from typing import TypeVar

from moot.core.errors import StoreError
from moot.ledger.database import Record
from moot.ledger.storage import DATABASE_ERRORS, DatabaseFault, concerns_store, is_full, is_locked
from moot.ledger.store_place import StorePlace, copy_error, store_error

T = TypeVar("T")

BUSY = 2.0
"""Seconds that SQLite itself waits for a lock. Then the user gets a warning."""
_AGAIN = 0.1  # seconds between two attempts

log = getLogger("moot.ledger")


class Patience:
    """Repeats writes that may succeed later, and blocks new calls meanwhile.

    With paid replies in hand it waits for a lock without limit. Otherwise, and for space on the
    disk, it waits for a limited time.

    Args:
        file: the store's file, for messages.
        seconds: the limited time.

    Attributes:
        blocked: whether no call should be made now.
        halted: why no call should ever be made again; None while calls may be made.
        lost: the number of paid replies that could not be written.
        cost: their cost in US dollars, as far as it is known.
    """

    def __init__(self, file: StorePlace, seconds: float) -> None:
        self.blocked = False
        self.lost, self.cost = 0, 0.0
        self._file, self._seconds = file, seconds
        self._end: float | None = None
        self.halted: StoreError | None = None

    def add_losses(self, error: StoreError) -> StoreError:
        """Return a copy of an error, with the losses if there are any."""
        return StoreError(f"{error}; {self.losses}") if self.lost else copy_error(error)

    def close(self) -> None:
        """Wait for the limited time from now at most, also with paid replies in hand."""
        self._end = monotonic() + self._seconds

    def stop(self, error: StoreError) -> None:
        """Let no call be made any more, for this reason."""
        self.halted = self.halted or error
        self.blocked = True

    def write(self, work: Callable[[], T], *, replies: int = 0) -> T:
        """Do work, repeat it while its error may pass, and return its result.

        Args:
            work: a function that has changed nothing when it raises.
            replies: the number of paid replies that it writes.

        Raises:
            sqlite3.Error, DatabaseFault: the error has lasted too long, or cannot pass.
        """
        began, warned = monotonic(), False
        while True:
            try:
                done = work()
            except DATABASE_ERRORS as error:
                if not self._may_pass(error, began, replies):
                    # Nothing is repeated now, so a task that waits for it would wait for ever.
                    self.blocked = self.halted is not None
                    raise
                self.blocked = True
                if not warned and (monotonic() - began > BUSY / 2 or not is_locked(error)):
                    warned = True
                    log.warning("%s", self._describe_wait(error, replies))
                sleep(_AGAIN)
                continue
            except BaseException:  # the store is there, the work has another reason to end
                self.blocked = self.halted is not None
                raise
            self.blocked = self.halted is not None
            if warned:
                log.warning("store %s: it can be written again", self._file)
            return done

    def give_up(self, error: Exception, records: Sequence[Record]) -> StoreError:
        """Count replies as lost, and return the error that says so."""
        found = store_error(error, self._file)
        self.count_lost(records)
        if concerns_store(error):
            self.stop(found)
        return self.add_losses(found)

    def give_up_debates(self, error: Exception) -> StoreError:
        """Return the error for debates that cannot be written; a full disk stops all calls."""
        found = store_error(error, self._file)
        if is_full(error):
            self.stop(found)
        return found

    def count_lost(self, records: Sequence[Record]) -> None:
        """Count replies as lost."""
        self.lost += len(records)
        self.cost += sum(record.reply.cost or 0.0 for record in records)

    @property
    def losses(self) -> str:
        """The losses, in words."""
        replies = "1 reply" if self.lost == 1 else f"{self.lost:,} replies"
        return f"{replies} that had been paid for (${self.cost:.4f}) could not be kept"

    def _may_pass(self, error: Exception, began: float, replies: int) -> bool:
        if not (is_locked(error) or is_full(error)):
            return False
        if self._end is not None and monotonic() > self._end:
            return False
        if replies and is_locked(error):
            return True
        return self.halted is None and monotonic() < began + self._seconds

    def _describe_wait(self, error: Exception, replies: int) -> str:
        locked = is_locked(error)
        held = locked and not isinstance(error, DatabaseFault)
        why = "another process holds it" if held else str(error)
        purpose = f"to keep {replies} paid replies" if replies > 1 else "to write to it"
        left = "" if locked else f" for {self._seconds:.0f} s"
        return f"store {self._file}: {why}; no call is made meanwhile, waiting{left} {purpose}"
