"""Processes that work for this one, and the messages between them."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from socket import MSG_WAITALL, socket
from threading import Lock, Thread
from types import ModuleType

_SIZE = 4
"""The bytes before each message that say how long it is."""


def begin_child() -> None:
    """Leave it to the parent process when this one ends, and end when the parent is gone.

    Ctrl-C and a closed terminal reach every process of a terminal. The parent hears of them, too,
    and ends its children when it has what it needs of them. One that was killed cannot.
    """
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    if (parent := parent_process()) is not None:
        Thread(target=_end_with, args=[parent.sentinel], name="moot-parent", daemon=True).start()


def _end_with(sentinel: int) -> None:
    """End this process once that one has ended."""
    wait([sentinel])
    os._exit(1)


_starting = Lock()


class ChildProcess(SpawnProcess):
    """A process that does not import the user's script, and is deaf to Ctrl-C from the first.

    Where a script has no line ``if __name__ == "__main__"``, importing it would run it once more.
    """

    begin = staticmethod(begin_child)

    def start(self) -> None:
        """Start the process."""
        with _starting:  # several threads may start processes
            script = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                if sys.platform != "win32":
                    from multiprocessing.resource_tracker import ensure_running

                    ensure_running()  # it would let go of the signals that are held
                with _hold_signals():
                    super().start()
            finally:
                sys.modules["__main__"] = script


@contextmanager
def _hold_signals() -> Iterator[None]:
    """Hold back Ctrl-C inside the block; processes that are started there never hear of it."""
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def send(link: socket, message: bytes) -> None:
    """Send a message, in one step: each costs a thread up to 5 ms, beside a busy event loop."""
    link.sendall(len(message).to_bytes(_SIZE) + message)


def receive(link: socket) -> bytes:
    """Wait for a message and return it, in two steps. Raises ``EOFError`` where the link ends."""
    size = int.from_bytes(link.recv(_SIZE, MSG_WAITALL))
    message = link.recv(size, MSG_WAITALL)
    if not message or len(message) < size:
        raise EOFError
    return message
