"""The one thread that writes: it commits as a group all replies that came during a commit.

What waits for this thread never waits in vain. A store that is locked or full is tried again, and
new calls are held back meanwhile; whatever ends the thread is told to all that wait, and to all
that would.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Promise
from contextlib import closing
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, sleep
from typing import Any, NamedTuple, TypeVar

from moot.core.errors import StoreError
from moot.ledger.batch import COLUMNS, Outcome, Record, Save, insert_debates, insert_replies, tell
from moot.ledger.locks import LOCKS
from moot.ledger.patience import Patience, log
from moot.ledger.place import store_error
from moot.ledger.transaction import transaction
from moot.ledger.watermark import Watermark, read_newest

T = TypeVar("T")

_LOOK = 1.0  # seconds between two looks at whether the file is still there
_SAVES = 32
"""Debates that are written by one statement."""
_PAUSE = 0.002  # seconds; see _work
_GROUP = 256
"""Entries that are taken in at once, at most; a power of two."""


class Job(NamedTuple):
    """Any other work on the connection, done after what was queued before it is durable.

    Attributes:
        work: what is done.
        promise: gets what comes of it.
        small: whether it needs no transaction of its own and can be done twice, so that it can be
            committed with others.
    """

    work: Callable[[sqlite3.Connection], Any]
    promise: "Promise[Any]"
    small: bool


class Writer:
    """Owns the connection that writes, and the thread it is used in.

    Args:
        connection: to the store.
        file: the store's, for messages.
        patience: the seconds to wait for what is not a reply in hand, and for room on the disk.

    Attributes:
        trouble: why a debate could not be kept, until the caller has been told.
        mark: notes what is durable.
        patience: how it waits for a store that is locked or full.
        settled: is called in the thread with the identity of every reply that is durable, or will
            not be kept.
        locked: tells whether other processes can see by the lock file that this one lives.
        ended: why nothing can be written any more; None while it can.
    """

    def __init__(self, connection: sqlite3.Connection, file: Path, patience: float = 30.0) -> None:
        self.mark = Watermark(file, read_newest(connection))
        self.trouble: StoreError | None = None
        self.ended: StoreError | None = None
        self.patience = Patience(file, patience)
        self.settled: Callable[[bytes], None] = lambda _: None
        self.locked: Callable[[], bool] = lambda: True
        most = connection.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // COLUMNS
        self._group = min(_GROUP, 1 << (most.bit_length() - 1))
        self._connection, self._file = connection, file
        self._queue: SimpleQueue[Record | Save | Job | None] = SimpleQueue()
        self._own, self._looked = _number_of(file), monotonic()
        self._gone: Path | None = None
        """Where what the store held is written to, once its file has been removed."""
        self._hand: list[Record | Save | Job | None] = []
        """What was taken from the queue and may still be waited for."""
        self.backlog = self._queue.qsize
        # A daemon, so that a program that fails without closing its store still ends.
        self._thread = Thread(target=self._live, name="moot-ledger", daemon=True)
        self._thread.start()

    def put(self, entry: Record | Save | Job | None) -> None:
        """Queue something to be written."""
        self._queue.put(entry)
        if self.ended is not None:  # also where it ended between the two lines
            self._fail_all(self.ended)

    def do(
        self, work: Callable[[sqlite3.Connection], Any], *, small: bool = False
    ) -> "Promise[Any]":
        """Have work done in the thread, after all that is queued; an SQLite error is translated."""
        job = Job(work, Promise(), small)
        self.put(job)
        return job.promise

    def fold(self) -> None:
        """Have the write-ahead log folded into the file; if that fails, closing tries again."""
        self.do(lambda connection: connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone())

    def stop(self) -> None:
        """Wait until all that is queued is written, then close the connection."""
        self.patience.close()
        self.put(None)
        self._thread.join()

    def _live(self) -> None:
        """Work until told to stop; whatever else ends this is told to all that wait."""
        error = StoreError(f"store {self._file}: it is closed")
        try:
            self._work()
        except BaseException as reason:  # noqa: BLE001  the thread has no caller that it could reach
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
        """Tell an error to all that wait, as no one else will."""
        hand, self._hand = self._hand, []
        while True:
            try:
                hand.append(self._queue.get_nowait())
            except Empty:
                break
        records = [entry for entry in hand if isinstance(entry, Record)]
        self.patience.lose([entry for entry in records if not entry.future.done()])
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
            # No task waits for debates: some are written when no reply is, or when they are many.
            saves += [entry for entry in group if isinstance(entry, Save)]
            jobs = [entry for entry in group if isinstance(entry, Job)]
            while saves and (jobs or not going or len(saves) >= _SAVES or self._queue.empty()):
                self._save(saves[:_SAVES])
                del saves[:_SAVES]
                if records and not jobs and going:
                    break
            for small, alike in groupby(jobs, attrgetter("small")):
                self._run_all(list(alike), together=small)
            self._look(last=not going)
            if going and len(group) > 1:
                # A commit costs as much as four rows: while there is much to write, a short wait
                # makes for larger groups. What comes alone is not kept waiting.
                sleep(_PAUSE)

    def _look(self, *, last: bool) -> None:
        """Notice that a file was removed under it, which the system hides; about once a second.

        All can still be read and written until the connection is closed.
        """
        now = monotonic()
        if self._gone is not None or (now < self._looked + _LOOK and not last):
            return
        self._looked = now
        if _number_of(self._file) == self._own:
            if not last and not self.locked():
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
        """Write what a removed store held to a new file."""
        if self._gone is None:
            return
        try:
            self._gone.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._gone)) as copy:
                self._connection.backup(copy)
        except (sqlite3.Error, OSError) as error:
            log.error("%s", store_error(error, self._gone))

    def _run_all(self, jobs: Sequence[Job], *, together: bool) -> None:
        """Do jobs one after the other; small ones in one transaction, if that can be."""
        jobs = [job for job in jobs if job.promise.set_running_or_notify_cancel()]
        if together and len(jobs) > 1:
            try:
                done = self.patience.write(lambda: self._transacted(jobs))
            except sqlite3.OperationalError as error:  # it is of none of them alone
                for job in jobs:
                    job.promise.set_exception(store_error(error, self._file))
                return
            except Exception:  # noqa: BLE001, S110  it is that of one of them, who will hear it
                pass
            else:
                for job, came in zip(jobs, done, strict=True):
                    job.promise.set_result(came)
                return
        for job in jobs:
            self._run(job)

    def _transacted(self, jobs: Sequence[Job]) -> list[Any]:
        """What comes of jobs that are done in one transaction, or not at all."""
        connection = self._connection
        with transaction(connection):
            return [job.work(connection) for job in jobs]

    def _run(self, job: Job) -> None:
        try:
            job.promise.set_result(self.patience.write(lambda: job.work(self._connection)))
        except sqlite3.Error as error:
            job.promise.set_exception(store_error(error, self._file))
        except Exception as error:  # noqa: BLE001  it belongs to the one who asked for the work
            job.promise.set_exception(error)

    def _keep(self, records: Sequence[Record]) -> None:
        """Commit replies, and tell all that wait for one."""
        in_hand = len(records)
        try:
            kept = self.patience.write(
                lambda: insert_replies(self._connection, records), replies=in_hand
            )
        except Exception as error:  # noqa: BLE001  the thread must live, and those who wait must hear
            if not isinstance(error, sqlite3.OperationalError) and len(records) > 1:
                for record in records:  # one of them cannot be stored: the others can
                    self._keep([record])
                return
            trouble = self.patience.give_up(error, records)
            self._answer(records, [trouble] * len(records))
            return
        if kept.newest is not None:
            self.mark.note(replies=kept.newest)
        self._answer(records, kept.outcomes)

    def _answer(self, records: Sequence[Record], outcomes: Sequence[Outcome]) -> None:
        """Tell all that wait for replies what came of them."""
        for record in records:
            self.settled(record.row[0])
        tell([(record.future, each) for record, each in zip(records, outcomes, strict=True)])

    def _save(self, saves: Sequence[Save]) -> None:
        """Commit debates; what goes wrong is kept until the caller asks."""
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
    """What tells a file from another of the same name; None where it is not there."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _fatal(file: Path, reason: BaseException) -> StoreError:
    """Why the thread ended, in words."""
    try:
        return StoreError(
            f"store {file}: what writes to it has ended ({type(reason).__name__}: {reason}); "
            "all recorded before is kept: run again to go on"
        )
    except MemoryError:
        return StoreError("the store cannot be written any more: no memory is left")
