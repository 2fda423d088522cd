"""Asynchronous functions for code without ``await``."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from functools import wraps
from threading import Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def make_sync(function: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """Return the same function for code without ``await``, in a notebook as in a script.

    Where an event loop is running, as in a notebook, the work is done in a thread of its own.
    """

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> T:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(function(*args, **named))
        return _run_in_thread(function(*args, **named))

    call.__name__ = call.__qualname__ = f"{function.__name__}_sync"
    first, _, rest = (function.__doc__ or "").partition("\n")
    call.__doc__ = f"{first.removesuffix('.')}, without ``await``.\n{rest}"
    return call


def _run_in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work done by a loop in another thread; an interrupt cancels it."""
    done = Future[T]()
    started = Future[tuple[asyncio.AbstractEventLoop, "asyncio.Task[T]"]]()

    async def watch() -> T:
        task = asyncio.current_task()
        assert task is not None
        started.set_result((asyncio.get_running_loop(), task))
        return await work

    def run() -> None:
        try:
            done.set_result(asyncio.run(watch()))
        except BaseException as error:  # noqa: BLE001 -- it is raised where the work is waited for
            done.set_exception(error)

    thread = Thread(target=copy_context().run, args=(run,), name="moot")
    thread.start()
    try:
        return done.result()
    except KeyboardInterrupt:
        if not done.done():
            loop, task = started.result()
            loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        thread.join()
