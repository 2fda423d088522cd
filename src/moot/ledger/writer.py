"""The one thread that writes. Replies that arrive during a commit are committed as a group.

Every task that waits for this thread gets a result or an error. A store that is locked or full is
tried again, and no new call is made meanwhile. When the thread ends, all waiting tasks get the
reason as their error, and so do later ones.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Promise
from contextlib import closing, nullcontext
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar

from moot.core.errors import StoreError
from moot.ledger.batch import (
    COLUMNS,
    Record,
    Save,
    WriteOutcome,
    insert_debates,
    insert_replies,
    resolve_futures,
)
from moot.ledger.locks import LOCKS
from moot.ledger.patience import Patience, log
from moot.ledger.store_place import store_error
from moot.ledger.transaction import transaction
from moot.ledger.watermark import Watermark, read_newest

T = TypeVar("T")

_CHECK = 1.0  # seconds between two checks that the file is still there
_SAVES = 32
"""The most debates in one statement."""
_PAUSE = 0.002  # seconds; see _work
_GROUP = 256
"""The most entries that are taken from the queue at once; a power of two."""


class Job(NamedTuple):
    """Other work on the connection, done once all earlier entries are durable.

    Attributes:
        work: the function to call.
        promise: gets its result, or its error.
        small: whether it can be committed together with others: it needs no transaction of its
            own, and can be done twice.
    """

    work: Callable[[sqlite3.Connection], Any]
    promise: "Promise[Any]"
    small: bool


class Writer:
    """The thread that writes, and its connection.

    Args:
        connection: the connection to the store; used in the thread alone.
        file: the store's file.
        patience: seconds to wait for a lock while there are no paid replies to write, and for
            space on the disk.

    Attributes:
        trouble: why a debate could not be written, until that was raised.
        mark: the note of the newest durable records.
        patience: the waits for a store that is locked or full.
        on_settled: called in the thread with the identity of each reply, once it is durable or is
            known to be lost.
        is_visible: returns whether other processes can see by the lock file that this one lives.
        ended: why the thread has ended; None while it works.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path, patience: float = 30.0) -> None:
        self.mark = Watermark(file, read_newest(connection))
        self.trouble: StoreError | None = None
        self.ended: StoreError | None = None
        self.patience = Patience(file, patience)
        self.on_settled: Callable[[bytes], None] = lambda _: None
        self.is_visible: Callable[[], bool] = lambda: True
        most = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // COLUMNS
        self._group = min(_GROUP, 1 << (most.bit_length() - 1))
        self._connection, self._file = connection, file
        self._queue: SimpleQueue[Record | Save | Job | None] = SimpleQueue()
        self._own, self._looked = _number_of(file), monotonic()
        self._gone: Path | None = None
        """The file that gets a copy of the store, once its own was removed."""
        self._hand: list[Record | Save | Job | None] = []
        """Entries from the queue whose tasks may still wait."""
        self.backlog = self._queue.qsize
        # A daemon, so that a program that fails without closing its store still ends.
        self._thread = Thread(target=self._live, name="moot-ledger", daemon=True)
        self._thread.start()

    def enqueue(self, entry: Record | Save | Job | None) -> None:
        """Queue an entry."""
        self._queue.put(entry)
        if self.ended is not None:  # the thread may also have ended between these two lines
            self._fail_all(self.ended)

    def do(
        self, work: Callable[[sqlite3.Connection], Any], *, small: bool = False
    ) -> "Promise[Any]":
        """Queue work for the thread; return the promise of its result."""
        job = Job(work, Promise(), small)
        self.enqueue(job)
        return job.promise

    def checkpoint(self) -> None:
        """Queue a checkpoint of the write-ahead log; if it fails, closing tries again."""
        self.do(lambda connection: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone())

    def stop(self) -> None:
        """Wait until all that is queued is written, then close the connection."""
        self.patience.close()
        self.enqueue(None)
        self._thread.join()

    def _live(self) -> None:
        """Work until ``stop``; then give all waiting tasks an error."""
        error = StoreError(f"store {self._file}: it is closed")
        try:
            self._work()
        except BaseException as reason:  # noqa: BLE001  the thread has no caller
            error = _fatal(self._file, reason)
            self.trouble = error
        finally:
            self.ended = error
            self.patience.blocked = True
            self._fail_all(error)
            self._save_copy()
            self._connection.close()
            self.mark.close()

    def _fail_all(self, error: StoreError) -> None:
        """Give an error to all entries in hand and in the queue."""
        hand, self._hand = self._hand, []
        while True:
            try:
                hand.append(self._queue.get_nowait())
            except Empty:
                break
        records = [entry for entry in hand if isinstance(entry, Record)]
        self.patience.count_lost([entry for entry in records if not entry.future.done()])
        self._answer(records, [error] * len(records))
        for entry in hand:
            if isinstance(entry, Job) and not entry.promise.done():
                entry.promise.set_exception(StoreError(*error.args))

    def _work(self) -> None:
        going, saves = True, list[Save]()
        while going:
            self._hand = [] if saves else [self._queue.get()]
            few = min(self._queue.qsize(), self._group - 1)
            self._hand += [self._queue.get() for _ in range(few)]
            group = self._hand
            going = None not in group
            if records := [entry for entry in group if isinstance(entry, Record)]:
                self._keep(records)
            # No task waits for debates: they are written when no reply is, or when they are many.
            saves += [entry for entry in group if isinstance(entry, Save)]
            jobs = [entry for entry in group if isinstance(entry, Job)]
            while saves and (jobs or not going or len(saves) >= _SAVES or self._queue.empty()):
                self._save(saves[:_SAVES])
                del saves[:_SAVES]
                if records and not jobs and going:
                    break
            for small, alike in groupby(jobs, attrgetter("small")):
                waiting = [job for job in alike if job.promise.set_running_or_notify_cancel()]
                for together in [waiting] if small else [[job] for job in waiting]:
                    self._run_all(together)
            self._check_file(last=not going)
            if going and len(group) > 1:
                # A commit costs as much as four rows: with much to write, a short wait makes larger
                # groups. A single entry does not wait.
                sleep(_PAUSE)

    def _check_file(self, *, last: bool) -> None:
        """Check about once a second that the file was not removed or replaced.

        The system does not report that: the connection still reads and writes the old file.
        """
        now = monotonic()
        if self._gone is not None or (now < self._looked + _CHECK and not last):
            return
        self._looked = now
        if _number_of(self._file) == self._own:
            if not last and not self.is_visible():
                self.patience.stop(
                    StoreError(
                        f"store {self._file}: {LOCKS} beside it was removed or replaced while it "
                        "was in use: another process could pay for the same calls; all recorded "
                        "before is kept: run again to go on"
                    )
                )
            return
        self._gone, number = self._file, 0
        while self._gone.exists():
            number += 1
            self._gone = self._file.with_name(f"{self._file.name}-saved-{number}")
        self.patience.stop(
            StoreError(
                f"store {self._file}: it was removed, moved or replaced while it was in use; all "
                f"that it held is written to {self._gone} when this process ends"
            )
        )

    def _save_copy(self) -> None:
        """Copy a removed store to a new file."""
        if self._gone is None:
            return
        try:
            self._gone.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._gone)) as copy:
                self._connection.backup(copy)
        except (sqlite3.Error, OSError) as error:
            log.error("%s", store_error(error, self._gone))

    def _run_all(self, jobs: Sequence[Job]) -> None:
        """Do jobs in order; several in one transaction, or each alone where one of them fails."""
        connection = self._connection

        def work() -> list[Any]:
            with transaction(connection) if len(jobs) > 1 else nullcontext():
                return [job.work(connection) for job in jobs]

        try:
            done = self.patience.write(work)
        except Exception as error:  # noqa: BLE001  the callers of ``do`` get it
            if len(jobs) > 1 and not isinstance(error, sqlite3.OperationalError):
                for job in jobs:
                    self._run_all([job])
                return
            of_store = isinstance(error, sqlite3.Error)
            for job in jobs:
                job.promise.set_exception(store_error(error, self._file) if of_store else error)
        else:
            for job, result in zip(jobs, done, strict=True):
                job.promise.set_result(result)

    def _keep(self, records: Sequence[Record]) -> None:
        """Commit replies, and answer the tasks that wait for them."""
        in_hand = len(records)
        try:
            kept = self.patience.write(
                lambda: insert_replies(self._connection, records), replies=in_hand
            )
        except Exception as error:  # noqa: BLE001  the thread must go on, and the tasks get the error
            if not isinstance(error, sqlite3.OperationalError) and len(records) > 1:
                for record in records:  # one of them cannot be stored, the others can
                    self._keep([record])
                return
            trouble = self.patience.give_up(error, records)
            self._answer(records, [trouble] * len(records))
            return
        if kept.newest is not None:
            self.mark.note(replies=kept.newest)
        self._answer(records, kept.outcomes)

    def _answer(self, records: Sequence[Record], outcomes: Sequence[WriteOutcome]) -> None:
        """Give each task that waits for a reply its outcome, and free the claims."""
        for record in records:
            self.on_settled(record.row[0])
        resolve_futures(
            [(record.future, each) for record, each in zip(records, outcomes, strict=True)]
        )

    def _save(self, saves: Sequence[Save]) -> None:
        """Commit debates. An error is kept in ``trouble``."""
        try:
            number = self.patience.write(lambda: insert_debates(self._connection, saves))
            self.mark.note(debates=number)
        except Exception as error:  # noqa: BLE001  as above
            if not isinstance(error, sqlite3.OperationalError) and len(saves) > 1:
                for save in saves:
                    self._save([save])
                return
            self.trouble = self.patience.give_up_debates(error)


def _number_of(file: Path) -> tuple[int, int] | None:
    """Return the system's number of a file; None where it does not exist."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _fatal(file: Path, reason: BaseException) -> StoreError:
    """Return the error for the end of the thread."""
    try:
        return StoreError(
            f"store {file}: what writes to it has ended ({type(reason).__name__}: {reason}); "
            "all recorded before is kept: run again to go on"
        )
    except MemoryError:
        return StoreError("the store cannot be written any more: no memory is left")
