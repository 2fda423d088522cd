"""Functions for code without ``await``: where no loop runs, and where one does."""

import asyncio
import signal
import threading
from contextlib import closing
from contextvars import ContextVar

import pytest

import moot
from moot.core.without_await import make_sync

WHO = ContextVar("who", default="nobody")


async def double(number: int) -> int:
    """Return twice a number."""
    await asyncio.sleep(0)
    if number < 0:
        raise ValueError(WHO.get())
    return 2 * number


double_sync = make_sync(double)


def test_it_works_where_no_loop_runs():
    assert double_sync(2) == 4
    with pytest.raises(ValueError, match="nobody"):
        double_sync(-1)


def test_it_works_where_a_loop_runs_and_keeps_context_and_errors():
    async def inside():
        WHO.set("me")
        with pytest.raises(ValueError, match="me"):
            double_sync(-1)
        return double_sync(2)

    before = threading.active_count()
    assert asyncio.run(inside()) == 4
    assert threading.active_count() == before


def test_an_interrupt_ends_the_work():
    ended = threading.Event()

    async def wait_for_ever():
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    async def inside():
        main = threading.main_thread().ident  # as a signal, which ends the wait at once
        threading.Timer(0.3, signal.pthread_kill, [main, signal.SIGINT]).start()
        make_sync(wait_for_ever)()

    with closing(asyncio.new_event_loop()) as loop:  # as a notebook's, not that of asyncio.run
        task = loop.create_task(inside())
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(task)
        assert isinstance(task.exception(), KeyboardInterrupt)
    assert ended.is_set()


def test_a_question_is_asked_either_way(tmp_path):
    given = {"kind": "boolean", "model": moot.Scripted(["yes"]), "protocol": "single"}
    first = moot.ask_sync("Is it so?", store=tmp_path, **given)

    async def inside():
        return moot.ask_sync("Is it so?", store=tmp_path, **given)

    assert asyncio.run(inside()).answer == first.answer == "true"
