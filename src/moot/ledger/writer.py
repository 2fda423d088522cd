"""The one thread that writes. Replies that arrive during a commit are committed as a group.

Every task that waits for this thread gets a result or an error. A store that is locked or full is
tried again, and no new call is made meanwhile. When the thread ends, all waiting tasks get the
reason as their error, and so do later ones.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Promise
from contextlib import nullcontext
from itertools import groupby
from operator import attrgetter
from queue import Empty, SimpleQueue
from threading import Thread
from time import sleep
from typing import Any, NamedTuple, TypeVar

from moot.core.errors import StoreError
from moot.ledger.batch import (
    Record,
    Save,
    WriteOutcome,
    WrittenReplies,
    resolve_futures,
)
from moot.ledger.patience import Patience
from moot.ledger.storage import DATABASE_ERRORS, StoreConnection, concerns_store
from moot.ledger.store_place import StorePlace, store_error
from moot.ledger.transaction import transaction

T = TypeVar("T")

_SAVES = 32
"""The most debates in one statement."""
_PAUSE = 0.002  # seconds; see _work
GROUP = 256
"""The most entries that are taken from the queue at once; a power of two."""


class Job(NamedTuple):
    """Other work on the connection, done once all earlier entries are durable.

    Attributes:
        work: the function to call.
        promise: gets its result, or its error.
        small: whether it can be committed together with others: it needs no transaction of its
            own, and can be done twice.
    """

    work: Callable[[StoreConnection], Any]
    promise: "Promise[Any]"
    small: bool


class Writer:
    """The thread that writes, and its connection.

    Args:
        connection: the connection to the store; used in the thread alone.
        place: the store's file or address.
        patience: seconds to wait for a lock while there are no paid replies to write, and for
            space on the disk.
        group: the most entries that are taken from the queue at once.

    Attributes:
        trouble: why a debate could not be written, until that was raised.
        patience: the waits for a store that is locked or full.
        on_settled: called in the thread with the identity of each reply, once it is durable or is
            known to be lost.
        is_visible: returns whether other processes can see by the lock file that this one lives.
        ended: why the thread has ended; None while it works.
    """

    def __init__(
        self,
        connection: StoreConnection,
        place: StorePlace,
        patience: float = 30.0,
        group: int = GROUP,
    ) -> None:
        self.trouble: StoreError | None = None
        self.ended: StoreError | None = None
        self.patience = Patience(place, patience)
        self.on_settled: Callable[[bytes], None] = lambda _: None
        self.is_visible: Callable[[], bool] = lambda: True
        self._connection, self._place, self._group = connection, place, group
        self._queue: SimpleQueue[Record | Save | Job | None] = SimpleQueue()
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

    def do(self, work: Callable[[StoreConnection], Any], *, small: bool = False) -> "Promise[Any]":
        """Queue work for the thread; return the promise of its result."""
        job = Job(work, Promise(), small)
        self.enqueue(job)
        return job.promise

    def stop(self) -> None:
        """Wait until all that is queued is written, then close the connection."""
        self.patience.close()
        self.enqueue(None)
        self._thread.join()

    # What differs between the databases

    @abstractmethod
    def _insert_replies(self, records: Sequence[Record]) -> WrittenReplies:
        """Write replies in one transaction, and return their outcomes."""

    @abstractmethod
    def _insert_debates(self, saves: Sequence[Save]) -> int:
        """Write debates in one transaction; return the number of the newest row."""

    def note_rankings(self, newest: int) -> None:
        """Note that the rankings up to this number are durable."""
        self._note(rankings=newest)

    def _note(self, *, replies: int = 0, debates: int = 0, rankings: int = 0) -> None:
        """Note that the rows up to these numbers are durable; 0 for none."""

    def _check(self, *, last: bool) -> None:
        """Check about once a second that the store is still there."""

    def _end(self) -> None:
        """Close the connection, when the thread ends."""
        self._connection.close()

    # In the thread

    def _live(self) -> None:
        """Work until ``stop``; then give all waiting tasks an error."""
        error = StoreError(f"store {self._place}: it is closed")
        try:
            self._work()
        except BaseException as reason:  # noqa: BLE001  the thread has no caller
            error = _fatal(self._place, reason)
            self.trouble = error
        finally:
            self.ended = error
            self.patience.blocked = True
            self._fail_all(error)
            self._end()

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
            self._check(last=not going)
            if going and len(group) > 1:
                # A commit costs as much as four rows: with much to write, a short wait makes larger
                # groups. A single entry does not wait.
                sleep(_PAUSE)

    def _run_all(self, jobs: Sequence[Job]) -> None:
        """Do jobs in order; several in one transaction, or each alone where one of them fails."""
        connection = self._connection

        def work() -> list[Any]:
            with transaction(connection) if len(jobs) > 1 else nullcontext():
                return [job.work(connection) for job in jobs]

        try:
            done = self.patience.write(work)
        except Exception as error:  # noqa: BLE001  the callers of ``do`` get it
            if len(jobs) > 1 and not concerns_store(error):
                for job in jobs:
                    self._run_all([job])
                return
            of_store = isinstance(error, DATABASE_ERRORS)
            for job in jobs:
                job.promise.set_exception(store_error(error, self._place) if of_store else error)
        else:
            for job, result in zip(jobs, done, strict=True):
                job.promise.set_result(result)

    def _keep(self, records: Sequence[Record]) -> None:
        """Commit replies, and answer the tasks that wait for them."""
        in_hand = len(records)
        try:
            kept = self.patience.write(lambda: self._insert_replies(records), replies=in_hand)
        except Exception as error:  # noqa: BLE001  the thread must go on, and the tasks get the error
            if not concerns_store(error) and len(records) > 1:
                for record in records:  # one of them cannot be stored, the others can
                    self._keep([record])
                return
            trouble = self.patience.give_up(error, records)
            self._answer(records, [trouble] * len(records))
            return
        self._note(replies=kept.newest or 0)
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
            self._note(debates=self.patience.write(lambda: self._insert_debates(saves)))
        except Exception as error:  # noqa: BLE001  as above
            if not concerns_store(error) and len(saves) > 1:
                for save in saves:
                    self._save([save])
                return
            self.trouble = self.patience.give_up_debates(error)


def _fatal(place: StorePlace, reason: BaseException) -> StoreError:
    """Return the error for the end of the thread."""
    try:
        return StoreError(
            f"store {place}: what writes to it has ended ({type(reason).__name__}: {reason}); "
            "all recorded before is kept: run again to go on"
        )
    except MemoryError:
        return StoreError("the store cannot be written any more: no memory is left")
