"""Connections at the same time: as many as this machine has open files for."""

import asyncio
import logging
import sys
from collections.abc import Callable
from functools import cache
from math import inf
from pathlib import Path

from moot.core.errors import ShortageError

Urgency = tuple[int, int]
"""Minus the round, the debate's number. The smaller goes first, so begun debates are finished."""

RESERVE = 16
"""Open files reserved for all else: the store, logs, looking up names, late imports."""
PATIENCE = 60.0
"""Seconds that a call that is alone in flight waits for a free file or port."""
_CALM = 5.0
"""Seconds without a shortage until one more call may go, and then one more each second."""
_LONGEST = 2.0
"""Seconds between two attempts at most."""

_log = logging.getLogger(__name__)


class Room:
    """The number of calls in flight for which this machine has open files.

    The limit of the process (``ulimit -n``) is known in advance, and raised if that is allowed. All
    other shortages (files of the whole system, ports, memory for sockets) are learnt from failures.

    Attributes:
        in_flight: the number of calls that have a connection.
        most: the most that there may be.
    """

    def __init__(self) -> None:
        self.in_flight = 0
        self.most = inf
        self._wanted = 0
        self._allowed = self._first = inf
        self._short = -inf
        self._warned = False
        self._waiting: dict[Callable[[], None], None] = {}

    def expect(self, calls: int) -> None:
        """Prepare for one more model, with so many calls in flight."""
        self._wanted += calls
        used = count_open_files()
        if used is not None:
            self._allowed = allow(used + RESERVE + self._wanted)
            self._first = max(1, self._allowed - used - RESERVE)
            self.most = min(self.most, self._first) if self._short > -inf else self._first

    def is_full(self, serve: Callable[[], None]) -> bool:
        """Return whether no more call may have a connection; ``serve`` is called once one may."""
        if self.in_flight < self.most:
            return False
        if self.most == self._first:
            self._warn(f"{self._allowed:g} open files allowed")
        self._waiting[serve] = None
        return True

    def leave(self) -> None:
        """End a call, and let those who wait serve their calls, one after the other."""
        self.in_flight -= 1
        if self.most < self._first and self._short > -inf:
            now = asyncio.get_running_loop().time()
            if now - self._short > _CALM:
                self.most += 1
                self._short = now - _CALM + 1.0
        while self._waiting and self.in_flight < self.most:
            serve = next(iter(self._waiting))
            del self._waiting[serve]
            serve()

    def shrink(self, error: ShortageError, met: list[float]) -> float | None:
        """Lower the limit after a call failed by a shortage.

        Args:
            error: the error of the call.
            met: the loop's times of its shortages before; this one is added.

        Returns:
            Seconds until the call is made again; None after a long time alone in flight.
        """
        self.most = max(1, self.in_flight - 1)
        self._short = now = asyncio.get_running_loop().time()
        self._warn(error.lacking)
        met.append(now)
        if self.in_flight == 1 and now - met[0] > PATIENCE:
            return None
        return min(_LONGEST, 0.02 * 2.0 ** min(len(met), 16))

    def _warn(self, why: str) -> None:
        if not self._warned:
            self._warned = True
            how = "; raise ulimit -n" if "open files" in why else ""
            _log.warning(
                "%s: %d calls in flight instead of %d%s", why, self.most, self._wanted, how
            )


@cache
def count_open_files() -> int | None:
    """Return the number of open files before the first call; None where it is unknown.

    It is counted once: later connections are among them, and these are used again.
    """
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return sum(1 for _ in Path(folder).iterdir()) - 1  # less the folder itself
        except OSError:
            continue
    return None


def allow(files: int) -> float:
    """Raise the limit on open files to this number if possible; return the limit."""
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
