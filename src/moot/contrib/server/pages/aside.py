"""Work that would hold the interpreter lock for seconds: in a process of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from typing import ParamSpec, TypeVar

from moot import MootError
from moot.extend.calls import ChildProcess

P = ParamSpec("P")
T = TypeVar("T")

IDLE = 60.0
"""Seconds after which an idle process ends: it takes some hundred megabytes."""


class Apart:
    """One process for work that would hold the interpreter lock for seconds.

    It starts when it is first needed. It is spawned, not forked, as the server has threads.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._workers: list[BaseProcess] = []
        self._jobs = 0
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, work: Callable[P, T], *args: P.args, **_: P.kwargs) -> T:
        """Call a function of a module there and return its result. Raises what it raises."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
        if self._pool is None:
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=ChildProcess.begin)
        self._jobs += 1
        others = active_children()
        running = loop.run_in_executor(self._pool, work, *args)
        self._workers += [each for each in active_children() if each not in others]
        try:
            return await running
        except BrokenProcessPool:
            self.close()
            raise MootError(
                "the process that computes results ended too early, perhaps for lack of memory; "
                "load the page again to try once more"
            ) from None
        finally:
            self._jobs -= 1
            if not self._jobs:
                self._timer = loop.call_later(IDLE, self.close)

    def close(self, *, now: bool = False) -> None:
        """End the process, at once or when its work is done."""
        if self._timer is not None:
            self._timer.cancel()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        for each in self._workers if now else ():
            each.terminate()
        self._workers = []
