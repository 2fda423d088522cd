"""A clock of the event loop that jumps: what would wait for a while does not, and none is late."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_LEAST = 1e-6
"""Seconds of a jump at the least: a shorter one could be lost in rounding."""


@contextmanager
def let_clock_jump(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Have the loop's clock stand while there is work, and jump to the next timer where none is."""
    now, clock, selector = loop.time(), loop.time, loop._selector
    select = selector.select

    def jump(timeout: float | None = None) -> list:
        nonlocal now
        if not timeout:  # there is work, or no timer at all
            return select(timeout)
        ready = select(0)
        if not ready:
            now += max(timeout, _LEAST)
        return ready

    loop.time, selector.select = lambda: now, jump
    try:
        yield
    finally:
        loop.time, selector.select = clock, select
