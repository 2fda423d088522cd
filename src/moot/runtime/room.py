"""How many calls may have a connection at the same time: what this machine has room for."""

import asyncio
import logging
import sys
from functools import cache
from heapq import heappop, heappush
from math import inf
from pathlib import Path

from moot.core.errors import ShortageError
from moot.runtime.limiter import Urgency

RESERVE = 16
"""Open files that are left to all else: the store, logs, names that are looked up, late imports."""
PATIENCE = 60.0
"""Seconds that one call, alone in flight, waits for a free file or port."""
_CALM = 5.0
"""Seconds without a shortage after which one more call may fly, and then one more each second."""
_LONGEST = 2.0
"""Seconds between two attempts at most."""

_log = logging.getLogger(__name__)


class Room:
    """Lets calls through while there are open files for them; the most urgent first.

    A shell's ``ulimit -n`` is known in advance, and raised where that is allowed. All else that can
    run short (the whole system's files, ports, memory for sockets) is learnt from failures.

    Attributes:
        in_flight: calls that entered and have not left.
        most: how many there may be.
    """

    def __init__(self) -> None:
        self.in_flight = 0
        self.most = inf
        self._wanted = 0
        self._allowed = self._first = inf
        self._short = -inf
        self._told = False
        self._queue: list[tuple[Urgency, int, asyncio.Future[None]]] = []
        self._arrivals = 0

    def expect(self, calls: int) -> None:
        """Be ready for one more model, with so many calls in flight."""
        self._wanted += calls
        used = opened()
        if used is not None:
            self._allowed = allow(used + RESERVE + self._wanted)
            self._first = max(1, self._allowed - used - RESERVE)
            self.most = min(self.most, self._first) if self._short > -inf else self._first

    def take(self) -> bool:
        """Enter at once; False where there is no room."""
        if self.in_flight >= self.most:
            return False
        self.in_flight += 1
        return True

    async def enter(self, urgency: Urgency) -> None:
        """Wait for room."""
        if self.take():
            return
        if self.most == self._first:
            self._tell(f"{self._allowed:g} open files allowed")
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heappush(self._queue, (urgency, self._arrivals, place))
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                self.leave()  # the room came and was not used
            raise

    def leave(self) -> None:
        """Make room."""
        self.in_flight -= 1
        if self.most < self._first and self._short > -inf:
            now = asyncio.get_running_loop().time()
            if now - self._short > _CALM:
                self.most += 1
                self._short = now - _CALM + 1.0
        while self._queue and self.in_flight < self.most:
            place = heappop(self._queue)[-1]
            if not place.done():
                self.in_flight += 1
                place.set_result(None)

    def shrink(self, error: ShortageError, met: list[float]) -> float | None:
        """Learn that what is in flight, the call that failed included, is more than there is.

        Args:
            error: what the call met.
            met: the loop's times at which it met the like before; this one is added.

        Returns:
            Seconds until it tries again; None where that has no use: nothing else is in flight.
        """
        self.most = max(1, self.in_flight - 1)
        self._short = now = asyncio.get_running_loop().time()
        self._tell(error.lacking)
        met.append(now)
        if self.in_flight == 1 and now - met[0] > PATIENCE:
            return None
        return min(_LONGEST, 0.02 * 2.0 ** min(len(met), 16))

    def _tell(self, why: str) -> None:
        if not self._told:
            self._told = True
            how = "; raise ulimit -n" if "open files" in why else ""
            _log.warning(
                "%s: %d calls in flight instead of %d%s", why, self.most, self._wanted, how
            )


@cache
def opened() -> int | None:
    """Files that the process had open when first it was about to call; None where that is unknown.

    Asked once: later there are connections among them, which may be used again.
    """
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return sum(1 for _ in Path(folder).iterdir()) - 1  # without the folder itself
        except OSError:
            continue
    return None


def allow(files: int) -> float:
    """Have the system allow so many open files if it can; gives how many it does."""
    if sys.platform == "win32":
        return inf
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return inf
    if soft < files and soft != hard:
        raised = files if hard == resource.RLIM_INFINITY else min(files, hard)
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        except (OSError, ValueError):  # some systems allow less than they say
            return soft
        return raised
    return soft
