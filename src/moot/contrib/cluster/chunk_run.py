"""One run of a plan on workers: its chunks go out, and come back when they are in the store."""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from moot import Model, MootError
from moot.contrib.cluster.chunks import QuestionChunk
from moot.contrib.cluster.limit_shares import LimitShares
from moot.contrib.cluster.ray_link import ClusterError, WorkerLost, finish, wait_for
from moot.contrib.cluster.worker import NOT_BEGUN
from moot.contrib.cluster.worker_messages import (
    TROUBLES,
    ChunkEnd,
    RunOrder,
    Trouble,
    WorkerAccess,
    WorkerState,
)
from moot.extend.studies import RunProgress
from moot.extend.words import format_things
from moot.runtime.budget import BudgetGuard, CapState
from moot.runtime.path import Traffic

ATTEMPTS = 10
"""Workers that a chunk may bring down until the run stops."""
SPARE = 2
"""Of the debates that a worker has at once, so many times as many are sent to it."""
LOOK = 0.25
"""Seconds between two looks at the workers, at least."""
LOOKS = 400
"""Workers that are looked at in a second, at most."""
PLACED = 20.0
"""Seconds after which it is said that Ray has no room for a worker."""
PAUSE = 0.2
"""Seconds until a worker that was lost is asked again."""
DRAIN = 600.0
"""Seconds in which calls in flight may end when a run is stopped: as long as a call may take."""
CLOSE = 30.0
"""Seconds that workers get to close their stores."""

log = logging.getLogger("moot.cluster")


class WorkerPlace:
    """A worker as the driver knows it; Ray starts it again where it dies.

    Attributes:
        number: its place among the workers.
        actor: Ray's handle.
        load: debates that were sent to it and have not come back.
        state: what it said last; None before.
        accounts: its calls, those of processes that died included.
    """

    def __init__(self, number: int, actor: Any) -> None:  # noqa: ANN401 -- Ray's
        self.number, self.actor = number, actor
        self.load = 0
        self.state: WorkerState | None = None
        self.accounts: dict[str, Traffic] = {}

    def note(self, state: WorkerState) -> None:
        """Note what it has said."""
        self.state = state
        self.accounts[state.account] = state.traffic
        for warning in state.warnings:
            log.warning("%s: %s", state.process, warning)


class _ChunkResult(NamedTuple):
    """A chunk that has come back: with its end, or with what its worker could not do."""

    worker: WorkerPlace
    chunk: QuestionChunk
    end: "ChunkEnd | Trouble | BaseException"
    ready: asyncio.Task[None]


class ReportedGuard(BudgetGuard):
    """The guard of a driver, which pays for nothing: it tells the caps as workers report them."""

    reported: tuple[CapState, ...] = ()

    def caps(self) -> tuple[CapState, ...]:
        """Return the state of each cap."""
        return self.reported or super().caps()


class ChunkRun:
    """Sends the chunks of a plan to workers, and follows how far they are.

    Args:
        workers: the workers.
        access: how they reach store and models.
        order: what they run.
        models: by their names in the order.
        keeper: the handle of the actor that keeps rates; None where no model has an endpoint.
        progress: is kept up to date.
    """

    def __init__(
        self,
        workers: list[WorkerPlace],
        access: WorkerAccess,
        order: RunOrder,
        models: dict[str, Model],
        keeper: Any,  # noqa: ANN401 -- Ray's
        progress: RunProgress,
    ) -> None:
        self._workers, self._access, self._order = workers, access, order
        self._keeper, self._progress = keeper, progress
        self._before = progress.done, progress.failed
        self._done = 0
        shared = {name: each for name, each in models.items() if each.limits.files}
        totals = {name: each.limits.concurrency for name, each in shared.items()}
        self._shares = LimitShares(totals, len(workers))
        self._ended: asyncio.Queue[_ChunkResult | None] = asyncio.Queue()
        self._ready: dict[int, asyncio.Task[None]] = {}
        self._again: deque[QuestionChunk] = deque()
        self._tried: Counter[int] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._stopped = ""

    async def run(self, chunks: Iterator[QuestionChunk]) -> str:
        """Run all chunks; return why it stopped before the end, or an empty text."""
        looking = asyncio.create_task(self._look())
        looking.add_done_callback(lambda _: self._ended.put_nowait(None))
        try:
            while True:
                self._feed(chunks)
                if not any(worker.load for worker in self._workers):
                    return self._stopped
                result = await self._ended.get()
                if result is None:  # looking has failed
                    looking.result()
                else:
                    self._take(result)
        finally:
            await finish(self._end(looking))

    async def _end(self, looking: "asyncio.Task[None]") -> None:
        """Have all workers stop, and count what they have done."""
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        try:
            if self._tasks:
                await self._drain()
        finally:
            tasks = [*self._tasks, *self._ready.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            while not self._ended.empty():
                result = self._ended.get_nowait()
                if result is not None and isinstance(result.end, ChunkEnd):
                    self._count(result.end)
            await self._ask_all()

    def _feed(self, chunks: Iterator[QuestionChunk]) -> None:
        """Send chunks to the workers that have too few debates, to all in turn."""
        enough, hungry = SPARE * self._order.width, list(self._workers)
        while hungry and not self._stopped:
            for worker in list(hungry):
                if worker.load >= enough:
                    hungry.remove(worker)
                    continue
                chunk = self._again.popleft() if self._again else next(chunks, None)
                if chunk is None:
                    return
                worker.load += len(chunk.tasks)
                task = asyncio.create_task(self._send(worker, chunk))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def _send(self, worker: WorkerPlace, chunk: QuestionChunk) -> None:
        """Have a worker run a chunk, and put the result where ``run`` looks."""
        end: ChunkEnd | Trouble | BaseException
        ready = self._begin(worker)
        try:
            await asyncio.shield(ready)
            end = await wait_for(worker.actor.run.remote(chunk))
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 -- ``run`` raises it
            end = error
        self._ended.put_nowait(_ChunkResult(worker, chunk, end, ready))

    def _begin(self, worker: WorkerPlace) -> asyncio.Task[None]:
        """Return the task that gives a worker its order, once in each of its lives."""
        ready = self._ready.get(worker.number)
        if ready is None:
            ready = asyncio.create_task(self._give_order(worker))
            self._ready[worker.number] = ready
        return ready

    async def _give_order(self, worker: WorkerPlace) -> None:
        loop = asyncio.get_running_loop()
        late = loop.call_later(PLACED, _report_late, worker.number)
        try:
            while True:
                shares = self._shares.begin(worker.number)
                try:
                    begin = worker.actor.begin.remote(
                        self._access, self._order, shares, self._keeper
                    )
                    answer = await wait_for(begin)
                except WorkerLost:
                    await asyncio.sleep(PAUSE)
                    continue
                if isinstance(answer, Trouble):
                    raise restore_error(answer)
                return
        finally:
            late.cancel()

    def _take(self, result: _ChunkResult) -> None:
        """Use the result of a chunk; one whose worker died goes out again."""
        worker, chunk, end, ready = result
        worker.load -= len(chunk.tasks)
        lost = isinstance(end, WorkerLost)
        if not lost and not (isinstance(end, Trouble) and end.kind == NOT_BEGUN):
            self._count(end)
            return
        if self._ready.get(worker.number) is ready:
            del self._ready[worker.number]  # it gets its order again
        self._tried[chunk.number] += 1
        if self._tried[chunk.number] >= ATTEMPTS:
            raise ClusterError(
                f"{chunk.questions} brought down {ATTEMPTS} workers: is there too little memory? "
                "What was paid for is in the store, run again to go on"
            )
        self._again.append(chunk)

    def _count(self, end: "ChunkEnd | Trouble | BaseException") -> None:
        """Count the debates of a chunk that has ended; raise what went wrong."""
        if isinstance(end, BaseException):
            raise end
        if isinstance(end, Trouble):
            raise restore_error(end)
        self._done += end.done
        self._progress.done = self._before[0] + self._done
        self._progress.failed += end.failed
        self._progress.reasons.update(end.reasons)
        self._stopped = self._stopped or end.stopped
        self._progress.guard.reached = self._progress.guard.reached or end.cap

    async def _drain(self) -> None:
        """Have all workers stop, and wait until what they have paid for is in the store."""
        if flying := self._progress.traffic.in_flight:
            log.warning(
                "stopping: %s in flight end first, and are kept; Ctrl-C once more stops at once",
                format_things(flying, "call"),
            )
        asked = [wait_for(each.actor.drain.remote()) for each in self._workers]
        draining = asyncio.gather(*asked, *self._tasks, return_exceptions=True)
        try:
            await asyncio.wait_for(draining, DRAIN)
        except TimeoutError:
            log.warning("some workers have not stopped in %g s; they are ended", DRAIN)

    async def _look(self) -> None:
        """Ask the workers again and again how far they are, and move shares of limits."""
        while True:
            await asyncio.sleep(max(LOOK, len(self._workers) / LOOKS))
            await self._ask_all()

    async def _ask_all(self) -> None:
        await asyncio.gather(*map(self._ask, self._workers))
        self._sum_up()

    async def _ask(self, worker: WorkerPlace) -> None:
        ready = self._ready.get(worker.number)
        if ready is None or not ready.done() or ready.cancelled() or ready.exception():
            return
        try:
            state = await wait_for(worker.actor.state.remote(self._shares.share(worker.number)))
        except WorkerLost:
            return
        if isinstance(state, Trouble):  # the store is away, and the worker waits for it
            return
        if state is not None and self._ready.get(worker.number) is ready:
            worker.note(state)
            self._shares.note(worker.number, state.calls)

    def _sum_up(self) -> None:
        """Bring the progress up to date."""
        progress = self._progress
        states = [each.state for each in self._workers if each.state is not None]
        if self._tasks:
            progress.done = self._before[0] + self._done + sum(state.done for state in states)
        traffic = progress.traffic
        counted = [each for worker in self._workers for each in worker.accounts.values()]
        for name in _COUNTS:
            setattr(traffic, name, sum(getattr(each, name) for each in counted))
        traffic.in_flight = sum(state.traffic.in_flight for state in states) if self._tasks else 0
        if isinstance(progress.guard, ReportedGuard):
            progress.guard.reported = _join_caps([state.caps for state in states])


_COUNTS = (
    "calls",
    "replayed",
    "retries",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "unpriced",
    "unreported",
)


def _join_caps(said: list[tuple[CapState, ...]]) -> tuple[CapState, ...]:
    """Return the caps as several workers know them together."""
    return tuple(
        CapState(
            of=each[0].of,
            most=each[0].most,
            spent=max(cap.spent for cap in each),
            in_flight=sum(cap.in_flight for cap in each),
            more=None if any(cap.more is None for cap in each) else sum(c.more or 0 for c in each),
            estimated=sum(cap.estimated for cap in each),
            lost=max(cap.lost for cap in each),
        )
        for each in zip(*filter(None, said), strict=False)
    )


def _report_late(number: int) -> None:
    log.warning(
        "Ray has not placed worker %d in %g s: its cluster may lack a free CPU (--workers says how "
        "many workers there are); waiting",
        number + 1,
        PLACED,
    )


def restore_error(trouble: Trouble) -> MootError:
    """Return the error that a worker has met."""
    return TROUBLES.get(trouble.kind, MootError)(trouble.text)
