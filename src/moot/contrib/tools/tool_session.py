"""Tool session: a connection to a server of tools, and whether an error ended it."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from tempfile import TemporaryFile
from typing import Any, TextIO

CLOSED = -32000
"""The protocol's code of a connection that has ended."""
UNKNOWN = -32600
"""The code of a server over HTTP that knows the session no more."""


class ToolSession:
    """A connection to a server of tools, kept by one task: it has to open and close it.

    Args:
        connect: connects to the server, given the file that its log goes to.

    Attributes:
        client: the connected client of mcp; None until it is open.
    """

    def __init__(self, connect: Callable[[TextIO], AbstractAsyncContextManager[Any]]) -> None:
        self.client: Any = None
        self._errors = TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 -- closed in close
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._ready.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._keep(connect))

    async def open(self) -> None:
        """Wait until it is connected. Raises the error of the connection."""
        await asyncio.shield(self._ready)

    async def close(self) -> None:
        """Close the connection, and end the server."""
        self._stop.set()
        if not self._ready.done():
            self._task.cancel()
        with suppress(BaseException):
            await self._task
        self._errors.close()

    def last_words(self) -> str:
        """Return the last line of the server's log, as the end of a sentence; empty without one."""
        with suppress(OSError, ValueError):
            self._errors.seek(0)
            lines = [line.strip() for line in self._errors.readlines()[-20:] if line.strip()]
            return f" (its last words: {lines[-1][:300]})" if lines else ""
        return ""

    async def _keep(self, connect: Callable[[TextIO], AbstractAsyncContextManager[Any]]) -> None:
        try:
            async with connect(self._errors) as self.client:
                self._ready.set_result(None)
                await self._stop.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                return
            raise


def find_cause(error: BaseException) -> BaseException:
    """Return the first error of a group of errors, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def is_lost(error: BaseException, *, http: bool) -> bool:
    """Return whether an error of a call says that the connection is gone.

    Other errors with a code are the server's reply, and wrong types or values are a result that
    breaks the protocol.

    Args:
        error: of the call.
        http: whether the connection is one over HTTP.
    """
    code = getattr(error, "code", None)
    if code is None:
        return not isinstance(error, RuntimeError | ValueError)
    return code == CLOSED or (http and code == UNKNOWN)
