"""All debates of a plan, many at once: here, or on the workers of a cluster."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from moot.core.errors import AccessError, BudgetReached, CallWaits, InputError, NotFoundError
from moot.core.events import Transcript
from moot.studies.batch_writer import BatchWriter
from moot.studies.finished_debates import FinishedDebates
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.progress_counts import RunProgress
from moot.studies.task import R, Task

_SKIPPED = 512
"""Finished debates that are passed over without a look at what else there is to do."""
_TOGETHER = 8
"""Debates that begin together, of all those that are held at once."""


async def run_all(
    lab: Lab, plan: Plan, progress: RunProgress, finished: FinishedDebates | None = None
) -> str:
    """Run every debate, many at once; return why it stopped before the end, or an empty text.

    A debate of which a call waits for a batch is left where it is. Where the laboratory has a
    cluster, its workers run the debates; otherwise those that ``finished`` has are not run.
    """
    if lab.cluster is not None:
        return await lab.cluster.run_all(plan, progress)
    width = plan.debates_at_once(lab)
    if finished is None:
        return await run_here(lab, plan.tasks(), plan.size, width, progress.count)
    tasks = _remaining_tasks(plan, progress, finished)
    find_origin = finished.origins.find
    return await run_here(lab, tasks, plan.size, width, progress.count, find_origin=find_origin)


def _remaining_tasks(
    plan: Plan, progress: RunProgress, finished: FinishedDebates
) -> Iterator[Task | None]:
    """Yield the debates that are not finished, and None now and then, to look at what else is."""
    for number, task in enumerate(plan.tasks()):
        if task not in finished:
            yield task
            continue
        progress.count_unchanged()
        if number % _SKIPPED == 0:
            yield None


async def run_here(
    lab: Lab,
    tasks: Iterator[R | None],
    size: int,
    width: int,
    count: Callable[[Transcript], None],
    gate: AbstractAsyncContextManager[object] | None = None,
    find_origin: Callable[[R], bytes | None] = lambda _: None,
) -> str:
    """Run debates in this process; return why it stopped before the end, or an empty text.

    Args:
        lab: where their models and their store are.
        tasks: the debates; None where something else may go on first.
        size: how many there are.
        width: how many run at once.
        count: is given the transcript of each that has ended.
        gate: is entered for each debate, where debates of others run at the same time.
        find_origin: returns the origin of a debate, which is stored with it.
    """
    stopped: list[str] = []
    keeper, begun = BatchWriter(lab.store, find_origin), 0
    gate = gate or nullcontext()

    async def work() -> None:
        nonlocal begun
        for task in tasks:
            if task is None:
                await asyncio.sleep(0)
                continue
            begun += 1
            if begun == size:
                keeper.finish_soon()
            try:
                async with gate:
                    transcript = await task.run(lab.path, lab.model)
            except BudgetReached as reached:
                stopped.append(str(reached))
            except CallWaits:
                continue
            else:
                _check_refusal(transcript)
                await keeper.add(task, transcript)
                count(transcript)
            if stopped:
                return

    workers: list[asyncio.Task[None]] = []
    try:
        await _start(workers, work, min(width, size))
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        await keeper.finish()
    return stopped[0] if stopped else ""


async def _start(
    workers: list[asyncio.Task[None]], work: Callable[[], Coroutine[Any, Any, None]], many: int
) -> None:
    """Add so many tasks to the workers, a few at a time."""
    for number in range(many):
        workers.append(asyncio.create_task(work()))
        if number % _TOGETHER == 0:  # their calls are under way before others are prepared
            await asyncio.sleep(0)
            await asyncio.sleep(0)


_NEVER = {AccessError.__name__, NotFoundError.__name__}


def _check_refusal(transcript: Transcript) -> None:
    """Raise ``InputError`` if a debate failed because of what makes all its model's calls fail.

    It says nothing of the question, so it is not stored.
    """
    failed = transcript.failed
    if failed is not None and failed.kind in _NEVER:
        raise InputError(
            f"{failed.words}; the run stops here, since every call of this model would fail "
            "so: what was paid for is in the store, run again to go on"
        )
