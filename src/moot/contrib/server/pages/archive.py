"""The computed results and debates of runs, kept in memory until the store changes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable, Mapping, Sequence
from functools import partial
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from starlette.requests import Request

from moot import Chart, InputError, Report
from moot.contrib.server.pages.aside import Apart
from moot.contrib.server.pages.page_rendering import NoPage, computing, mark_chart
from moot.contrib.server.pages.run_list import RunChoice, RunList, suggest_runs
from moot.contrib.server.pages.survey import (
    ChartGroup,
    RunAnswer,
    RunStamp,
    RunSurvey,
    analyse_runs,
    answer_run,
    list_charts,
    list_run,
)
from moot.extend.analyses import ChartStyle
from moot.extend.records import RunRow
from moot.extend.stores import Store, StorePlace, StoreReader

P = ParamSpec("P")
T = TypeVar("T")

FEW = 1_000
"""The most debates that are computed in a thread: a process takes as long to start."""
PATIENT = 4.0
"""Seconds that a page waits for its content before it says that it is still computed."""
MAX_RUNS = 8
"""Runs in memory."""
REMEMBERED = 64
"""Other results in memory: figures, pictures of them, and comparisons."""
AGAIN = 180.0
"""Seconds after which the values of debates may have been measured again."""


class RunArchive:
    """The runs of a store, computed beside the event loop.

    A request for a run that has changed gets the earlier results at once, while they are computed
    again: at most a tenth of the time is spent on that.

    Args:
        place: the store's folder or address, for other processes.
        store: the open store.

    Attributes:
        apart: runs what takes seconds.
        searches: limits the number of searches at once.
    """

    def __init__(self, place: StorePlace, store: Store) -> None:
        self._place, self.store = place, store
        self.apart = Apart()
        self.searches = asyncio.Semaphore(2)
        self._kept: OrderedDict[int, RunSurvey] = OrderedDict()
        self._until: dict[int, float] = {}
        self._memory: OrderedDict[Hashable, asyncio.Task[Any]] = OrderedDict()
        self._list, self._list_until = RunList(), 0.0
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def end_with(self, closing: asyncio.Event) -> None:
        """End the process of ``apart`` when the server stops."""

        async def end() -> None:
            await closing.wait()
            self.apart.close(now=True)

        self._once("end", end)

    async def read(
        self, work: Callable[Concatenate[StoreReader, P], T], *args: P.args, **named: P.kwargs
    ) -> T:
        """Read the store in a thread: return what ``work`` returns for a reader of its own.

        Raises ``StoreError`` if the store cannot be read.
        """

        def reading() -> T:
            with self.store.open_reader() as reader:
                return work(reader, *args, **named)

        return await asyncio.to_thread(reading)

    async def get_list(self) -> RunList:
        """Return the list of all runs, at most a tenth of the time spent on reading it."""

        async def refresh() -> None:
            began = monotonic()
            await self.read(self._list.refresh)
            self._list_until = monotonic() + min(30.0, 10 * (monotonic() - began))

        if monotonic() >= self._list_until:
            await self._once("list", refresh)
        return self._list

    async def find_row(self, key: str) -> RunRow | None:
        """Return the run of this key, or None."""
        return await self.read(StoreReader.run, key)

    async def get_row(self, name: str) -> RunRow:
        """Return the run of this key, else the newest of this name, as the command line does.

        Raises ``NoPage`` if there is none.
        """
        if row := await self.find_row(name):
            return row
        try:
            return await self.read(lambda reader: reader.records.find_run(name))
        except InputError:
            raise await self.lack_run(name) from None

    async def lack_run(self, name: str) -> NoPage:
        """Return the error for a run that the store has not, with links to runs like it."""
        links = suggest_runs(await self.get_list(), name)
        hint = "It may be in another store." + " These are here:" * bool(links)
        return NoPage("There is no such run.", hint, links=links)

    async def has_runs(self) -> bool:
        """Whether the store has any run."""
        known = await self.get_list()
        return any(known.choose(RunChoice(single=each)) for each in (False, True))

    async def get_run(self, row: RunRow, *, patient: float | None = PATIENT) -> RunSurvey | None:
        """Return the results of a run, current or a little old; None while first computed.

        Those of a run that has ended are never of a time when it went on.

        Args:
            row: the run.
            patient: seconds to wait for them; None for as long as it takes.
        """
        kept = self._get_kept(row)
        if kept is not None:
            self._kept.move_to_end(row.id)
            if monotonic() < self._until[row.id]:
                return kept
        task = self._once(("survey", row.id), lambda: self._look(row))
        if kept is None or kept.took < 0.2:
            await asyncio.wait([task], timeout=patient)
            if task.done():
                task.result()
        return self._get_kept(row)

    def _get_kept(self, row: RunRow) -> RunSurvey | None:
        """Return the results that are kept of a run; None where it has ended since."""
        kept = self._kept.get(row.id)
        if kept is not None and kept.stamp.status == "running" and row.status != "running":
            return None
        return kept

    async def get_answer(self, row: RunRow, *, patient: float | None = PATIENT) -> RunAnswer | None:
        """Return the results of a run, as ``get_run`` does, before its debates are listed."""
        if self._get_kept(row) and (kept := await self.get_run(row, patient=0.0)):
            return kept.answer
        return await self._answer(row, await self._read_stamp(row), patient=patient)

    async def _answer(
        self, row: RunRow, stamp: RunStamp, *, patient: float | None
    ) -> RunAnswer | None:
        """Return the results of a run in this state; those of a state are computed once."""
        work, kept = partial(answer_run, self._place, row.key), self._kept.get(row.id)
        key = "answer", row.id, stamp, kept.made if kept else 0.0
        debates = stamp.standing.debates // 2  # the other half of the work is to list them
        return await self.memo(key, lambda: self._work(debates, work), patient=patient)

    async def _read_stamp(self, row: RunRow) -> RunStamp:
        return RunStamp(await self.read(StoreReader.progress, row.id), row.status)

    async def need_answer(self, row: RunRow) -> RunAnswer:
        """Return the results of a run. Raises ``NoPage`` while they are first computed."""
        found = await self.get_answer(row)
        if found is None:
            raise computing(row.name)
        return found

    async def need_run(self, row: RunRow) -> RunSurvey:
        """Return the results of a run. Raises ``NoPage`` while they are first computed."""
        kept = await self.get_run(row)
        if kept is None:
            raise computing(row.name)
        return kept

    async def get_report(
        self, name: str, rows: Sequence[RunRow], chosen: Mapping[str, Any]
    ) -> Report:
        """Return the report of an analysis of runs.

        Args:
            name: of the analysis.
            rows: the runs.
            chosen: the options, and the ``arms`` and ``datasets`` that are looked at.

        Raises:
            InputError: the runs have nothing to analyse, or an option has a wrong value.
            NoPage: it is still being computed.
        """
        kept = [await self.need_run(row) for row in rows]
        keys = [row.key for row in rows]
        debates = sum(len(each.index) for each in kept)
        found = await self.memo(
            ("report", name, *keys, *(each.name for each in kept), repr(sorted(chosen.items()))),
            lambda: self._work(debates, partial(analyse_runs, self._place, name, keys, chosen)),
        )
        if found is None:
            raise computing(f"The analysis {name}")
        return found

    async def get_charts(self, row: RunRow) -> list[ChartGroup]:
        """Return the charts of a run by their analyses. Raises ``NoPage`` while computing them."""
        kept = await self.need_run(row)
        work = partial(list_charts, self._place, row.key)
        found = await self.memo(
            ("charts", row.key, kept.name), lambda: self._work(len(kept.index), work)
        )
        if found is None:
            raise computing(f"The figures of {row.name}")
        return found

    async def get_picture(self, chart: Chart, style: ChartStyle) -> bytes:
        """Return a chart as a picture, drawn once; the first takes seconds."""
        work = partial(style.draw, chart)
        key = "svg", mark_chart(chart), style
        picture = await self.memo(key, lambda: self.apart.run(work), patient=None)
        assert picture is not None
        return picture

    async def memo(
        self,
        key: Hashable,
        work: Callable[[], Coroutine[Any, Any, T]],
        *,
        patient: float | None = PATIENT,
    ) -> T | None:
        """Return the result of this work, computed once; None if it takes longer than ``patient``.

        The last few results stay in memory, also where no request waits for them any more.
        What the work raises is raised once; a later request starts the work again.
        """
        task: asyncio.Task[T] = self._memory.get(key) or self._once(key, work)
        self._memory[key] = task
        self._memory.move_to_end(key)
        while len(self._memory) > REMEMBERED:
            self._memory.popitem(last=False)
        await asyncio.wait([task], timeout=patient)
        if not task.done():
            return None
        if task.cancelled() or task.exception() is not None:
            self._memory.pop(key, None)
        return task.result()

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
        """Compute a run again if it has changed; look again after ten times as long as it took."""
        stamp = await self._read_stamp(row)
        kept = self._kept.get(row.id)
        if kept is None or kept.stamp != stamp or monotonic() > kept.made + AGAIN:
            answer = await self._answer(row, stamp, patient=None)
            assert answer is not None
            listing = partial(list_run, self._place, row.key)
            listed = await self._work(stamp.standing.debates, listing)
            kept = RunSurvey(answer, listed, stamp, monotonic())
        self._kept[row.id] = kept
        self._until[row.id] = monotonic() + min(120.0, max(1.0, 10 * kept.took))
        self._kept.move_to_end(row.id)
        while len(self._kept) > MAX_RUNS:
            self._kept.popitem(last=False)

    async def _work(self, debates: int, work: Callable[[], T]) -> T:
        """Return the result of work over so many debates, done where it does not hold up others."""
        return await (asyncio.to_thread(work) if debates <= FEW else self.apart.run(work))


def archive_of(request: Request) -> RunArchive:
    """Return the archive of the server's store."""
    state = request.app.state
    lab = state.lab
    if getattr(state, "archive", None) is None or state.archive.store is not lab.store:
        state.archive = RunArchive(lab.place, lab.store)
        state.archive.end_with(state.debates.closing)
    found: RunArchive = state.archive
    return found
