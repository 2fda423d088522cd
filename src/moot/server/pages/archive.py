"""The computed results and debates of runs, kept in memory until the store changes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request

from moot.core.stored import RunRow, Status
from moot.ledger.reader import RunProgress, StoreReader, StoreStamp, store_stamp
from moot.server.pages.aside import Apart, read_in_thread
from moot.server.pages.page_rendering import NoPage
from moot.server.pages.run_figures import RunFigure, draw_svg, list_figures
from moot.server.pages.survey import RunSurvey, survey_run

T = TypeVar("T")

FEW = 1_000
"""The most debates that are computed in a thread: a process takes as long to start."""
PATIENT = 4.0
"""Seconds that a page waits for its content before it says that it is still computed."""
MAX_RUNS = 8
"""Runs in memory."""
REMEMBERED = 64
"""Other results in memory: figures, pictures of them, and comparisons."""
_AGAIN = 180.0  # seconds after which values may have been measured again without a mark


class RunStamp(NamedTuple):
    """The state of a run: it changes when a debate is recorded and when the run ends."""

    standing: RunProgress
    status: Status


class KeptRun:
    """The computed results and debates of a run.

    Attributes:
        survey: the results and the debates.
        stamp: the state of the run at that time.
        mark: the store's mark when nothing newer was known.
        made: when they were computed, on the monotonic clock.
        until: when to look for changes again.
    """

    def __init__(self, found: RunSurvey, stamp: RunStamp, at: StoreStamp) -> None:
        self.survey, self.stamp, self.mark = found, stamp, at
        self.made = self.until = monotonic()
        self.rest()

    @property
    def name(self) -> str:
        """A name of this version of the run's results, for the addresses of figures."""
        return f"{self.stamp.standing.debates}-{self.stamp.standing.newest}-{int(self.made * 1000)}"

    def rest(self) -> None:
        """Look for changes only after ten times as long as it took to compute this."""
        self.until = monotonic() + min(120.0, max(1.0, 10 * self.survey.took))


class RunArchive:
    """The runs of a store, computed beside the event loop.

    A request for a run that has changed gets the earlier results at once, while they are computed
    again: at most a tenth of the time is spent on that.

    Args:
        file: the store's.

    Attributes:
        apart: runs what takes seconds.
        searches: limits the number of searches at once.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.apart = Apart()
        self.searches = asyncio.Semaphore(2)
        self._kept: OrderedDict[int, KeptRun] = OrderedDict()
        self._memory: OrderedDict[Hashable, Any] = OrderedDict()
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def end_with(self, closing: asyncio.Event) -> None:
        """End the process of ``apart`` when the server stops."""

        async def end() -> None:
            await closing.wait()
            self.apart.close(now=True)

        self._once("end", end)

    async def find_row(self, key: str) -> RunRow | None:
        """Return the run of this key, or None."""
        return await read_in_thread(self.file, StoreReader.run, key)

    async def get_row(self, key: str) -> RunRow:
        """Return the run of this key. Raises ``NoPage`` if there is none."""
        row = await self.find_row(key)
        if row is None:
            raise NoPage("There is no such run.", "It may be in another store.")
        return row

    async def get_run(self, row: RunRow, *, patient: float = PATIENT) -> KeptRun | None:
        """Return the results of a run, current or a little old; None while first computed.

        Args:
            row: the run.
            patient: seconds to wait for them.
        """
        kept = self._kept.get(row.id)
        if kept is not None:
            self._kept.move_to_end(row.id)
            if kept.mark == store_stamp(self.file) or monotonic() < kept.until:
                return kept
        task = self._once(("survey", row.id), lambda: self._look(row))
        if kept is None or kept.survey.took < 0.2:
            await asyncio.wait([task], timeout=patient)
            if task.done():
                task.result()
        return self._kept.get(row.id)

    async def get_figures(self, row: RunRow, kept: KeptRun) -> dict[str, RunFigure] | None:
        """Return the figures of a run by name; None if that takes longer than a page waits.

        Raises ``InputError`` if they cannot be drawn.
        """
        key = "figures", row.id, kept.made
        return await self.memo(key, lambda: self.apart.run(list_figures, row, kept.survey.results))

    async def get_picture(self, row: RunRow, kept: KeptRun, figure: RunFigure) -> bytes:
        """Return a figure of a run as a picture."""
        key = "svg", row.id, kept.made, figure.name
        picture = await self.memo(key, lambda: self.apart.run(draw_svg, figure.spec), patient=None)
        assert picture is not None
        return picture

    async def read_standing(self, row: RunRow) -> RunProgress:
        """Return the present progress of a run, read once for all who ask at the same time."""
        task = self._once(
            ("standing", row.id), lambda: read_in_thread(self.file, StoreReader.progress, row.id)
        )
        found: RunProgress = await asyncio.shield(task)
        return found

    async def memo(
        self,
        key: Hashable,
        work: Callable[[], Coroutine[Any, Any, T]],
        *,
        patient: float | None = PATIENT,
    ) -> T | None:
        """Return the result of this work, computed once; None if it takes longer than ``patient``.

        The last few results stay in memory.
        """
        if key not in self._memory:
            task = self._once(key, work)
            await asyncio.wait([task], timeout=patient)
            if not task.done():
                return None
            self._memory[key] = task.result()
            while len(self._memory) > REMEMBERED:
                self._memory.popitem(last=False)
        self._memory.move_to_end(key)
        found: T = self._memory[key]
        return found

    def _once(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> "asyncio.Task[T]":
        """Return the task of this work, started if it is not in progress."""
        if key not in self._tasks:
            task = asyncio.create_task(work())
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._end(key, done))
        return self._tasks[key]

    def _end(self, key: Hashable, task: "asyncio.Task[Any]") -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            task.exception()  # marks it as seen: all who waited may have left

    async def _look(self, row: RunRow) -> None:
        """Compute a run again, if it has changed."""
        at = store_stamp(self.file)  # before all that is read
        stamp = RunStamp(await read_in_thread(self.file, StoreReader.progress, row.id), row.status)
        kept = self._kept.get(row.id)
        if kept and kept.stamp == stamp and monotonic() < kept.made + _AGAIN:
            kept.mark = at
            kept.rest()
            return
        place = self.file.parent
        if stamp.standing.debates <= FEW:
            found = await asyncio.to_thread(survey_run, place, row)
        else:
            found = await self.apart.run(survey_run, place, row)
        self._kept[row.id] = KeptRun(found, stamp, at)
        self._kept.move_to_end(row.id)
        while len(self._kept) > MAX_RUNS:
            self._kept.popitem(last=False)


def archive_of(request: Request) -> RunArchive:
    """Return the archive of the server's store."""
    state = request.app.state
    file = state.lab.store.file
    if getattr(state, "archive", None) is None or state.archive.file != file:
        state.archive = RunArchive(file)
        state.archive.end_with(state.debates.closing)
    found: RunArchive = state.archive
    return found
