"""The one thread that writes. Replies that arrive during a commit are committed as a group.

Every task that waits for this thread gets a result or an error. A store that is locked or full is
tried again, and no new call is made meanwhile. When the thread ends, all waiting tasks get the
reason as their error, and so do later ones.
"""

import asyncio
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Promise
from contextlib import nullcontext, suppress
from itertools import groupby
from operator import attrgetter
from queue import Empty, SimpleQueue
from threading import Thread
from time import sleep
from typing import Any, NamedTuple, TypeVar

from moot.core.calls import Reply
from moot.core.errors import StoreError
from moot.ledger.database import Database, Record, Save, WriteOutcome
from moot.ledger.patience import Patience
from moot.ledger.storage import DATABASE_ERRORS, StoreConnection, concerns_store, transaction
from moot.ledger.store_place import StorePlace, copy_error, store_error

T = TypeVar("T")

_SAVES = 32
"""The most debates in one statement."""
_PAUSE = 0.002  # seconds; see _work
_POLL = 0.05  # seconds between two checks whether the store can be written again
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

    work: Callable[[StoreConnection], Any]
    promise: "Promise[Any]"
    small: bool


class Writer:
    """The thread that writes; there is none where the store is only read.

    Args:
        database: the database; its ``writer`` is used in the thread alone.
        patience: seconds to wait for a lock while there are no paid replies to write, and for
            space on the disk.

    Attributes:
        trouble: why a debate could not be written, until that was raised.
        patience: the waits for a store that is locked or full.
        ended: why the thread has ended; None while it works.
    """

    def __init__(self, database: Database, patience: float = 30.0) -> None:
        self.trouble: StoreError | None = None
        self.ended: StoreError | None = None
        self.patience = Patience(database.place, patience)
        self._database, self._place = database, database.place
        self._group = min(_GROUP, 1 << (database.most.bit_length() - 1))
        self._queue: SimpleQueue[Record | Save | Job | None] = SimpleQueue()
        self._hand: list[Record | Save | Job | None] = []
        """Entries from the queue whose tasks may still wait."""
        self.backlog = self._queue.qsize
        self._loss_raised = False
        self._refusal = ""
        """Why nothing can be queued."""
        self._thread: Thread | None = None
        if database.writer is None:
            self._refusal = "it was opened for reading only"
            return
        database.attach(self.do, self.patience.stop)
        # A daemon, so that a program that fails without closing its store still ends.
        self._thread = Thread(target=self._live, name="moot-ledger", daemon=True)
        self._thread.start()

    def enqueue(self, entry: Record | Save | Job) -> None:
        """Queue an entry. Raises ``StoreError`` where the store is closed, or only read."""
        if self._refusal:
            raise StoreError(f"store {self._place}: {self._refusal}")
        self._queue.put(entry)
        if self.ended is not None:  # the thread may also have ended between these two lines
            self._fail_all(self.ended)

    def do(self, work: Callable[[StoreConnection], Any], *, small: bool = False) -> "Promise[Any]":
        """Queue work for the thread; return the promise of its result."""
        job = Job(work, Promise(), small)
        self.enqueue(job)
        return job.promise

    async def change(self, work: Callable[[StoreConnection], T], *, small: bool = False) -> T:
        """Do work in the thread, and return its result once it is durable."""
        done: T = await asyncio.wrap_future(self.do(work, small=small))
        return done

    async def flush(self) -> None:
        """Wait until all that is queued is durable.

        Raises:
            StoreError: an earlier debate or status could not be written.
        """
        await self.change(lambda _: None)
        self.raise_trouble()

    async def ready(self) -> None:
        """Wait until replies can be written. Raises ``StoreError`` if they never can again."""
        while self.patience.blocked:
            if (reason := self.patience.halted or self.ended) is not None:
                raise self.patience.add_losses(reason)
            await asyncio.sleep(_POLL)

    def fold(self) -> None:
        """Begin to fold the write-ahead log into the tables, as closing does; wait for nothing."""
        self.do(lambda _: self._database.fold())

    def raise_trouble(self) -> None:
        """Raise the error of an earlier write that no task has waited for, if there is one."""
        trouble, self.trouble = self.trouble, None
        if self.patience.halted is not None and not self._loss_raised:
            self._loss_raised = True
            raise self.patience.add_losses(self.patience.halted)
        if trouble:
            raise trouble

    def stop(self) -> None:
        """Wait until all that is queued is written, then close the connection."""
        self._refusal = "it is closed"
        if self._thread is None:
            self.ended = StoreError(f"store {self._place}: {self._refusal}")
            self.patience.blocked = True
            return
        self.patience.close()
        self._queue.put(None)
        self._thread.join()

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
            self._database.end_writing()

    def _fail_all(self, error: StoreError) -> None:
        """Give an error to all entries in hand and in the queue."""
        hand, self._hand = self._hand, []
        while True:
            try:
                hand.append(self._queue.get_nowait())
            except Empty:
                break
        if records := [entry for entry in hand if isinstance(entry, Record)]:
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
            if (lost := self._database.check(last=not going)) is not None:
                self.patience.stop(lost)
            if going and len(group) > 1:
                # A commit costs as much as four rows: with much to write, a short wait makes larger
                # groups. A single entry does not wait.
                sleep(_PAUSE)

    def _run_all(self, jobs: Sequence[Job]) -> None:
        """Do jobs in order; several in one transaction, or each alone where one of them fails."""
        connection = self._database.writer
        assert connection is not None

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
            outcomes = self.patience.write(
                lambda: self._database.insert_replies(records), replies=in_hand
            )
        except Exception as error:  # noqa: BLE001  the thread must go on, and the tasks get the error
            if not concerns_store(error) and len(records) > 1:
                for record in records:  # one of them cannot be stored, the others can
                    self._keep([record])
                return
            trouble = self.patience.give_up(error, records)
            self._answer(records, [trouble] * len(records))
            return
        self._answer(records, outcomes)

    def _answer(self, records: Sequence[Record], outcomes: Sequence[WriteOutcome]) -> None:
        """Give each task that waits for a reply its outcome, and free the claims."""
        loops: dict[AbstractEventLoop, list[tuple[Future[Reply], WriteOutcome]]] = {}
        for record, outcome in zip(records, outcomes, strict=True):
            self._database.claims.free(record.row[0])
            loops.setdefault(record.future.get_loop(), []).append((record.future, outcome))
        for loop, pairs in loops.items():  # one call into each
            with suppress(RuntimeError):  # the loop is closed, and no task waits
                loop.call_soon_threadsafe(_resolve, pairs)

    def _save(self, saves: Sequence[Save]) -> None:
        """Commit debates. An error is kept in ``trouble``."""
        try:
            refused = self.patience.write(lambda: self._database.insert_debates(saves))
        except Exception as error:  # noqa: BLE001  as above
            if not concerns_store(error) and len(saves) > 1:
                for save in saves:
                    self._save([save])
                return
            refused = self.patience.give_up_debates(error)
        if refused is not None:
            self.trouble = refused


def _resolve(pairs: Sequence[tuple["Future[Reply]", WriteOutcome]]) -> None:
    for future, outcome in pairs:
        if future.done():  # cancelled: the reply is recorded all the same
            continue
        if isinstance(outcome, StoreError):
            future.set_exception(copy_error(outcome))
        else:
            future.set_result(outcome)


def _fatal(place: StorePlace, reason: BaseException) -> StoreError:
    """Return the error for the end of the thread."""
    try:
        return StoreError(
            f"store {place}: what writes to it has ended ({type(reason).__name__}: {reason}); "
            "all recorded before is kept: run again to go on"
        )
    except MemoryError:
        return StoreError("the store cannot be written any more: no memory is left")
