"""Measuring and keeping debates that have ended, those that end about the same time together."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from moot.core.events import Transcript
from moot.core.stored import DebateOrigin
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.studies.second_process import SecondProcess
from moot.studies.task import Task

_WHILE = 0.25
"""Seconds for which debates that end are collected while others are yet to begin."""
_BRIEFLY = 0.01
"""The same when all have begun."""
_MANY = 256
"""Debates that are measured though others are yet to begin."""
_MOST = 512
"""Debates that may be collected; replayed ones end faster than they can be written."""
_AT_ONCE = 8
"""Debates that are measured without a look at what else has come."""
_FEW = 2_000
"""Debates that this process measures before a second one is started."""


EndedDebate = tuple[Task, Transcript]


async def save_debate(
    store: Store,
    run: int,
    task: Task,
    transcript: Transcript,
    origin: DebateOrigin | None = None,
) -> None:
    """Measure a debate and store it under a run, with its origin where that is known."""
    place = run, task.arm.name, task.dataset, task.question.id, task.replicate
    await store.save_debate(*place, transcript, measure(transcript), origin)


class BatchWriter:
    """Measures debates and keeps them in the store.

    To measure several one after the other takes less time than to measure each as it ends, between
    the work of hundreds of others, where nothing that is needed for it is at hand. And it can wait,
    but a debate that is to begin cannot. Where many end at a time, a second process measures them.

    Args:
        store: where they are kept, as debates of its run.
        find_origin: returns the origin of a debate, which is kept with it.
        second: measures debates once they are many; None: this process measures all.
    """

    def __init__(
        self,
        store: Store,
        find_origin: Callable[[Task], DebateOrigin | None] = lambda _: None,
        second: SecondProcess | None = None,
    ) -> None:
        self._store, self._find_origin, self._second = store, find_origin, second
        self._measured = 0
        self._ended: list[EndedDebate] = []
        self._keeping: asyncio.Task[None] | None = None
        self._wait, self._woken, self._room = _WHILE, asyncio.Event(), asyncio.Event()

    async def add(self, task: Task, transcript: Transcript) -> None:
        """Take in a debate that has ended. Raises what went wrong in keeping an earlier one."""
        self._ended.append((task, transcript))
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())
        elif len(self._ended) > _MANY:
            self._woken.set()
        if len(self._ended) > _MOST and not self._keeping.done():
            self._room.clear()
            await self._room.wait()
        if self._keeping is not None and self._keeping.done():
            await self._keeping

    def finish_soon(self) -> None:
        """Note that no more debates will begin."""
        self._wait = _BRIEFLY
        self._woken.set()

    async def finish(self) -> None:
        """Wait until all are handed to the store; raise the error of one that was not."""
        self._wait = 0.0
        self._woken.set()
        try:
            if self._keeping is not None:
                await self._keeping
        finally:
            if self._second is not None:
                self._second.close()

    async def _keep(self) -> None:
        while self._ended:
            self._woken.clear()
            if len(self._ended) <= _MANY:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), self._wait)
            ended, self._ended = self._ended, []
            try:
                if not await self._keep_by_second(ended):
                    await self._keep_here(ended)
            finally:
                self._room.set()
        self._keeping = None

    async def _keep_here(self, ended: Sequence[EndedDebate]) -> None:
        assert self._store.run is not None
        for number, (task, transcript) in enumerate(ended, 1):
            origin = self._find_origin(task)
            await save_debate(self._store, self._store.run, task, transcript, origin)
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)
        self._measured += len(ended)

    async def _keep_by_second(self, ended: Sequence[EndedDebate]) -> bool:
        """Have debates measured by the second process, and keep them; False where it does not."""
        second, run = self._second, self._store.run
        if second is None or len(ended) < _MANY or self._measured < _FEW:
            return False
        second.start()
        if not second.ready or any(each.question.secret for each, _ in ended):
            return False
        packed = await second.pack([transcript for _, transcript in ended])
        if packed is None:
            return False
        assert run is not None
        for (task, _), each in zip(ended, packed, strict=True):
            key = run, task.arm.name, task.dataset, task.question.id, task.replicate
            await self._store.save_packed(key, each, self._find_origin(task))
        return True
