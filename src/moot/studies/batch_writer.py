"""Measuring and keeping debates that have ended, those that end about the same time together."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic

from moot.core.events import Transcript
from moot.core.stored import DebateOrigin
from moot.ledger.reader import DebateKey
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.metrics.run_end import RUN_END
from moot.studies.metric_code import name_all, name_none, name_run_end
from moot.studies.task import R

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


async def save_debate(
    store: Store,
    run: int,
    key: DebateKey,
    transcript: Transcript,
    made_by: bytes | None = None,
    base: tuple[str, Transcript] | None = None,
    *,
    measured: bool = True,
) -> None:
    """Store a debate under a run, with the values that the run's end shows.

    Of a secret question all metrics are measured: its texts are not stored.

    Args:
        store: where it is kept.
        run: the number of the run.
        key: arm, dataset, question and replicate of the debate.
        transcript: what came of it.
        made_by: the digest of what it depends on, where that is known.
        base: the arm and the transcript of the debate whose turns it has, where it follows from
            one without a call.
        measured: whether it is measured now; else it is when that is asked for.
    """
    values: dict[str, float | None] = {}
    if not measured:
        measured_by = name_none()
    elif transcript.question.secret:
        values, measured_by = measure(transcript), name_all()
    else:
        values, measured_by = RUN_END.measure(transcript), name_run_end()
    origin = DebateOrigin(made_by, measured_by)
    await store.save_debate(run, *key, transcript, values, origin, base)


class BatchWriter(Generic[R]):
    """Measures debates and keeps them in the store.

    To measure several one after the other takes less time than to measure each as it ends, between
    the work of hundreds of others, where nothing that is needed for it is at hand. And it can wait,
    but a debate that is to begin cannot.

    Args:
        store: where they are kept, as debates of its run.
        find_origin: returns the origin of a debate, which is kept with it.
    """

    def __init__(
        self,
        store: Store,
        find_origin: Callable[[R], bytes | None] = lambda _: None,
    ) -> None:
        self._store, self._find_origin = store, find_origin
        self._ended: list[tuple[R, Transcript]] = []
        self._keeping: asyncio.Task[None] | None = None
        self._wait, self._woken, self._room = _WHILE, asyncio.Event(), asyncio.Event()

    async def add(self, task: R, transcript: Transcript) -> None:
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
        if self._keeping is not None:
            await self._keeping

    async def _keep(self) -> None:
        while self._ended:
            self._woken.clear()
            if len(self._ended) <= _MANY:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), self._wait)
            ended, self._ended = self._ended, []
            try:
                await self._keep_all(ended)
            finally:
                self._room.set()
        self._keeping = None

    async def _keep_all(self, ended: Sequence[tuple[R, Transcript]]) -> None:
        assert self._store.run is not None
        for number, (task, transcript) in enumerate(ended, 1):
            origin = self._find_origin(task)
            await save_debate(self._store, self._store.run, task.key, transcript, origin)
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)
