"""Work that must end although its task is cancelled, such as closing a store."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def finish(work: Awaitable[T]) -> T:
    """Return the result of work; where this task is cancelled before its end, raise that after it.

    A second cancellation meanwhile cancels the work, too.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not task.cancelled():
            await task
        raise
