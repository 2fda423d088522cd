"""Signals that end a command: Ctrl-C, SIGTERM and a closed terminal all do the same.

The first one cancels the work of the event loop, so that what is paid for is kept. Work that keeps
the loop busy, such as planning, is interrupted where it is. A second signal stops the process at
once, whatever it does.

Python calls the handler of a signal in the main thread, between two of its steps. A thread beside
it hears of signals though the main thread waits for a lock, a disk or an event.
"""

import atexit
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from select import select
from threading import Thread, current_thread, main_thread
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # slow to import
    from asyncio import AbstractEventLoop, Task
    from socket import socket

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Signals that end a command, where the system has them."""

TOGETHER = 0.3
"""Seconds within which signals are one: a terminal and a parent process may both send it."""
PATIENCE = 0.5
"""Seconds that the event loop has to begin with its end."""

_AT_ONCE = b"moot: stopped at once; replies that were not yet in the store are lost\n"
_SHOW_CURSOR = b"\x1b[?25h"


class Interrupted(KeyboardInterrupt):
    """A signal ends the command.

    Attributes:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Signals:
    """The handler of the signals that end a command.

    Attributes:
        came: the number of the first one, None before it.
    """

    def __init__(self) -> None:
        self.came: int | None = None
        self._work: tuple[AbstractEventLoop, Task[Any]] | None = None
        self._noticed = self._late = False
        self._own = 0  # signals that this process has sent itself and not yet heard of

    @property
    def exit_code(self) -> int:
        """128 and the number of the signal, as shells have it; that of Ctrl-C before any."""
        return 128 + (signal.SIGINT if self.came is None else self.came)

    def install(self) -> None:
        """Handle signals from now on, but for those that the parent process has ignored."""
        for number in _numbers():
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)

    def remove(self) -> None:
        """Let a signal end the process in silence from now on: there is nothing left to keep.

        The exit code stays that of the first signal, if one came.
        """
        numbers = [number for number in _numbers() if signal.getsignal(number) is self]
        _set_handlers(numbers, signal.SIG_DFL if self.came is None else self._exit)
        if self.came is not None:  # Python takes its own handlers away while it ends
            atexit.register(_set_handlers, numbers, signal.SIG_IGN)

    def _exit(self, number: int, frame: FrameType | None) -> None:
        """End the process, which was about to end, with the exit code that it has."""
        del number, frame
        os._exit(self.exit_code)

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handle signals meanwhile, unless they are handled already."""
        before = {number: signal.getsignal(number) for number in _numbers()}
        if current_thread() is not main_thread() or self in before.values():
            yield
            return
        self.install()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self.came, self._noticed = None, False

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hear of signals meanwhile in a thread of its own, whatever the main thread does."""
        if current_thread() is not main_thread():
            yield
            return
        from socket import socketpair  # slow to import; an event loop needs it anyway

        hears, tells = socketpair()
        tells.setblocking(False)  # noqa: FBT003 -- as sockets have it
        before = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
        Thread(target=self._listen, args=[hears], name="moot-signals", daemon=True).start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            tells.close()

    @contextmanager
    def cancelling(self, loop: "AbstractEventLoop", task: "Task[Any]") -> Iterator[None]:
        """Have the first signal cancel this task meanwhile."""
        self._work = loop, task
        try:
            yield
        finally:
            self._work = None
            self._noticed = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal, in the main thread; the second is the other thread's."""
        del frame
        if self.came is None:
            self.came = number
            if self._work is None:
                self._noticed = True
                raise Interrupted(number)
            loop, task = self._work
            task.cancel()
            loop.call_soon(self._notice)
        elif self._late:
            self._late = False
            if not self._noticed:
                self._noticed = True
                raise Interrupted(self.came)

    def _notice(self) -> None:
        """The event loop goes on, so the task is being cancelled."""
        self._noticed = True

    def _handles(self, number: int) -> bool:
        """Whether a signal is handled here: a server has a handler of its own meanwhile."""
        return number in _numbers() and signal.getsignal(number) is self

    def _listen(self, hears: "socket") -> None:
        """Hear of signals, in a thread, until the other end is closed."""
        first = 0.0
        with hears:
            while True:
                try:
                    heard = hears.recv(64)
                except TimeoutError:
                    hears.settimeout(None)
                    self._insist()
                    continue
                if not heard:
                    return
                for number in filter(self._handles, heard):
                    if self._own:
                        self._own -= 1
                    elif not first:
                        first = monotonic()
                        hears.settimeout(PATIENCE)
                    elif monotonic() - first > TOGETHER:
                        _stop_at_once(number)
                self._wake()

    def _insist(self) -> None:
        """Interrupt the main thread where the event loop has not noticed the signal."""
        if not self._noticed:
            self._late = True
            self._own += 1
            _send_main_thread(self.came or signal.SIGINT)

    def _wake(self) -> None:
        """Wake the event loop: one that is just about to wait might not notice a signal."""
        if (work := self._work) is not None:
            with suppress(RuntimeError):  # it is closed
                work[0].call_soon_threadsafe(_nothing)


signals = Signals()
"""The handler of this process."""


def _numbers() -> list[int]:
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


def _set_handlers(
    numbers: list[int], handler: Callable[[int, FrameType | None], object] | signal.Handlers
) -> None:
    for number in numbers:
        signal.signal(number, handler)


def _nothing() -> None:
    """Nothing: to be called wakes the loop."""


def _send_main_thread(number: int) -> None:
    """Send a signal to the main thread, so that a system call it waits in is interrupted."""
    ident = main_thread().ident
    if hasattr(signal, "pthread_kill") and ident is not None:
        signal.pthread_kill(ident, number)
    else:
        import _thread

        _thread.interrupt_main(signal.Signals(number))


def _stop_at_once(number: int) -> None:
    """End this process and those it has started, without waiting for anything."""
    if (processes := sys.modules.get("multiprocessing")) is not None:
        for child in processes.active_children():
            child.kill()
    with suppress(OSError, ValueError):
        if select([], [2], [], 0)[1]:  # a pipe that is full would keep it
            os.write(2, (_SHOW_CURSOR if os.isatty(2) else b"") + _AT_ONCE)
    os._exit(128 + number)
