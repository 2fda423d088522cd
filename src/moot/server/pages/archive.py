"""What pages know of the runs in a store, kept until the store changes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request

from moot.core.stored import RunRow, Status
from moot.ledger.reader import Mark, Reader, Standing, mark
from moot.server.pages.aside import Apart, read
from moot.server.pages.figures import Figure, figures, svg
from moot.server.pages.survey import Survey, survey

T = TypeVar("T")

FEW = 1_000
"""Debates that are worked out in a thread: a process takes as long to start."""
PATIENT = 4.0
"""Seconds that a page waits for what it shows before it says that this is still worked out."""
KEPT = 8
"""Runs that are kept in memory."""
_AGAIN = 180.0  # seconds after which values may have been measured again, which nothing else tells


class Stamp(NamedTuple):
    """What is different once a debate was recorded or the run has ended."""

    standing: Standing
    status: Status


class Kept:
    """A run as it was worked out, with its figures as far as they were asked for.

    Attributes:
        survey: what was worked out.
        stamp: how the run was then.
        made: when, on the monotonic clock.
        mark: the store's, when this was last known to be all there is.
        until: when to look again.
        figures: by name; None until they are asked for.
        drawn: those that were drawn.
    """

    def __init__(self, found: Survey, stamp: Stamp, at: Mark) -> None:
        self.survey, self.stamp, self.mark = found, stamp, at
        self.made = self.until = monotonic()
        self.figures: dict[str, Figure] | None = None
        self.drawn: dict[str, bytes] = {}
        self.rest()

    @property
    def name(self) -> str:
        """Tells it from what the same run was before and will be: in addresses of figures."""
        return f"{self.stamp.standing.debates}-{self.stamp.standing.newest}-{int(self.made * 1000)}"

    def rest(self) -> None:
        """Do not look again before ten times as long as it took have gone by."""
        self.until = monotonic() + min(120.0, max(1.0, 10 * self.survey.took))


class Archive:
    """The runs of a store, worked out beside the event loop.

    Whoever asks for a run that has changed is given it as it was a little earlier, while it is
    worked out anew: at most a tenth of the time is spent on that.

    Args:
        file: the store's.

    Attributes:
        apart: where what takes seconds is done.
        searches: as many as may search at once.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.apart = Apart()
        self.searches = asyncio.Semaphore(2)
        self._kept: OrderedDict[int, Kept] = OrderedDict()
        self._memory: OrderedDict[Hashable, Any] = OrderedDict()
        self._tasks: dict[Hashable, asyncio.Task[Any]] = {}

    def end_with(self, closing: asyncio.Event) -> None:
        """End what is under way in processes once the server is about to stop."""

        async def end() -> None:
            await closing.wait()
            self.apart.close(now=True)

        self._once("end", end)

    async def run(self, key: str) -> RunRow | None:
        """The run of this key, or None."""
        return await read(self.file, Reader.run, key)

    async def kept(self, row: RunRow, *, patient: float = PATIENT) -> Kept | None:
        """A run as it is, or was a little earlier; None while it is first worked out.

        Args:
            row: the run.
            patient: seconds to wait for that.
        """
        kept = self._kept.get(row.id)
        if kept is not None:
            self._kept.move_to_end(row.id)
            if kept.mark == mark(self.file) or monotonic() < kept.until:
                return kept
        task = self._once(("survey", row.id), lambda: self._look(row))
        if kept is None or kept.survey.took < 0.2:
            await asyncio.wait([task], timeout=patient)
            if task.done():
                task.result()
        return self._kept.get(row.id)

    async def figures(self, row: RunRow, kept: Kept) -> dict[str, Figure] | None:
        """The figures of a run, by name; None while they take longer than a page waits.

        Raises ``InputError`` where none can be drawn.
        """
        if kept.figures is None:
            task = self._once(
                ("figures", row.id, kept.made),
                lambda: self.apart.run(figures, row, kept.survey.results),
            )
            await asyncio.wait([task], timeout=PATIENT)
            if not task.done():
                return None
            kept.figures = {each.name: each for each in task.result()}
        return kept.figures

    async def drawn(self, row: RunRow, kept: Kept, figure: Figure) -> bytes:
        """A figure of a run as a picture."""
        if figure.name not in kept.drawn:
            key = ("svg", row.id, kept.made, figure.name)
            kept.drawn[figure.name] = await self.shared(
                key, lambda: self.apart.run(svg, figure.spec)
            )
        return kept.drawn[figure.name]

    async def standing(self, row: RunRow) -> Standing:
        """How far a run is now."""
        return await self.shared(
            ("standing", row.id), lambda: read(self.file, Reader.standing, row.id)
        )

    async def shared(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What this work gives, done once for all who ask while it is done."""
        return await asyncio.shield(self._once(key, work))

    async def memo(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T | None:
        """What this work gave, kept for the last few keys; None where it takes too long."""
        if key not in self._memory:
            task = self._once(key, work)
            await asyncio.wait([task], timeout=PATIENT)
            if not task.done():
                return None
            self._memory[key] = task.result()
            while len(self._memory) > KEPT:
                self._memory.popitem(last=False)
        self._memory.move_to_end(key)
        found: T = self._memory[key]
        return found

    def _once(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> "asyncio.Task[T]":
        if key not in self._tasks:
            task = asyncio.create_task(work())
            self._tasks[key] = task
            task.add_done_callback(lambda done: self._end(key, done))
        return self._tasks[key]

    def _end(self, key: Hashable, task: "asyncio.Task[Any]") -> None:
        self._tasks.pop(key, None)
        if not task.cancelled():
            task.exception()  # whoever waits is told; nobody may be left who does

    async def _look(self, row: RunRow) -> None:
        """Work out a run anew, if it has changed."""
        at = mark(self.file)  # before all that is read
        stamp = Stamp(await read(self.file, Reader.standing, row.id), row.status)
        kept = self._kept.get(row.id)
        if kept and kept.stamp == stamp and monotonic() < kept.made + _AGAIN:
            kept.mark = at
            kept.rest()
            return
        place = self.file.parent
        if stamp.standing.debates <= FEW:
            found = await asyncio.to_thread(survey, place, row)
        else:
            found = await self.apart.run(survey, place, row)
        self._kept[row.id] = Kept(found, stamp, at)
        self._kept.move_to_end(row.id)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def archive(request: Request) -> Archive:
    """The archive of the store that the server has open."""
    state = request.app.state
    file = state.lab.store.file
    if getattr(state, "archive", None) is None or state.archive.file != file:
        state.archive = Archive(file)
        state.archive.end_with(state.debates.closing)
    found: Archive = state.archive
    return found
