"""Measuring and keeping debates that have ended, those that end about the same time together."""

import asyncio
from contextlib import suppress

from moot.core.events import Transcript
from moot.ledger.store import Store
from moot.metrics.metric import measure
from moot.studies.plan import Task

_WHILE = 0.02
"""Seconds for which debates that end are collected."""
_MOST = 256
"""Debates that may be collected; replayed ones end faster than they can be written."""


class Keeper:
    """Measures debates and keeps them in the store.

    To measure several one after the other takes half the time of measuring each as it ends, between
    the work of hundreds of others, where nothing that is needed for it is at hand.

    Args:
        store: where they are kept, as debates of its run.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ended: list[tuple[Task, Transcript]] = []
        self._keeping: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()

    async def add(self, task: Task, transcript: Transcript) -> None:
        """Take in a debate that has ended. Raises what went wrong in keeping an earlier one."""
        self._ended.append((task, transcript))
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())
        elif self._keeping.done() or len(self._ended) > _MOST:
            await asyncio.shield(self._keeping)

    async def finish(self) -> None:
        """Return when all are handed to the store; raises what went wrong."""
        self._hurry.set()
        if self._keeping is not None:
            await self._keeping

    async def _keep(self) -> None:
        while self._ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), _WHILE)
            ended, self._ended = self._ended, []
            for task, transcript in ended:
                await self._keep_one(task, transcript)
        self._keeping = None

    async def _keep_one(self, task: Task, transcript: Transcript) -> None:
        assert self._store.run is not None
        await self._store.save_debate(
            self._store.run,
            task.arm.name,
            task.dataset,
            task.question.id,
            task.replicate,
            transcript,
            measure(transcript),
        )
