"""A check that runs once, before the first call that is paid for."""

import asyncio
from collections.abc import Awaitable, Callable


class BeforeFirstCall:
    """Runs a check once, for all callers that wait for it.

    Args:
        check: the check; every caller gets the error that it raises.

    Attributes:
        passed: whether a caller has seen the check end without an error.
    """

    def __init__(self, check: Callable[[], Awaitable[None]]) -> None:
        self.passed = False
        self._check = check
        self._checking: asyncio.Future[None] | None = None

    async def wait(self) -> None:
        """Wait until the check has passed. Raises the error of the check."""
        if self._checking is None:
            self._checking = asyncio.ensure_future(self._check())
            # Read the error, so that asyncio does not report it where no caller waits.
            self._checking.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(self._checking)  # a cancelled caller does not cancel it for the others
        self.passed = True
