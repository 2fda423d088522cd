"""Processes that work for this one."""

import os
import signal
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread


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
