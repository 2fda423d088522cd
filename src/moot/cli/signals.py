"""Signals that end a command. Ctrl-C, SIGTERM and a closed terminal have the same effect.

The first signal cancels the task in the event loop, so that paid replies are written. Work that
keeps the loop busy, such as planning, is interrupted. A second signal stops the process at once.

Python calls the handler of a signal in the main thread, between two of its steps. A second thread
receives signals also while the main thread waits for a lock, a disk or an event.
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
NUMBERS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]

TOGETHER = 0.3
"""Seconds within which several signals count as one: terminal and parent may both send it."""
PATIENCE = 0.5
"""Seconds until the event loop must have begun to cancel its task."""

_AT_ONCE = b"moot: stopped at once; replies that were not yet in the store are lost\n"
_SHOW_CURSOR = b"\x1b[?25h"


class Interrupted(KeyboardInterrupt):
    """A signal ends the command.

    Attributes:
        number: the number of the signal.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Signals:
    """The handler of the signals that end a command.

    Attributes:
        first_signal: the number of the first signal; None before it.
    """

    def __init__(self) -> None:
        self.first_signal: int | None = None
        self._work: tuple[AbstractEventLoop, Task[Any]] | None = None
        self._noticed = self._late = False
        self._own = 0  # signals sent to this process by itself and not received yet

    @property
    def exit_code(self) -> int:
        """The exit code: 128 plus the number of the signal, as in shells; Ctrl-C's before any."""
        return 128 + (signal.SIGINT if self.first_signal is None else self.first_signal)

    def install(self) -> None:
        """Handle signals from now on, except those that the parent process ignores."""
        for number in NUMBERS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)

    def remove(self) -> None:
        """Let a signal end the process without a message from now on.

        The exit code stays that of the first signal, if there was one.
        """
        numbers = [number for number in NUMBERS if signal.getsignal(number) is self]
        _set_handlers(numbers, signal.SIG_DFL if self.first_signal is None else self._exit)
        if self.first_signal is not None:  # Python removes its own handlers while it ends
            atexit.register(_set_handlers, numbers, signal.SIG_IGN)

    def _exit(self, number: int, frame: FrameType | None) -> None:
        """End the process with the exit code of the first signal."""
        del number, frame
        os._exit(self.exit_code)

    @contextmanager
    def handle(self) -> Iterator[None]:
        """Receive signals in a second thread inside the block; handle them unless that is done."""
        if current_thread() is not main_thread():
            yield
            return
        from socket import socketpair  # slow to import; an event loop needs it anyway

        before = {number: signal.getsignal(number) for number in NUMBERS}
        handled = self in before.values()
        if not handled:
            self.install()
        hears, tells = socketpair()
        tells.setblocking(False)  # noqa: FBT003 -- as sockets have it
        wakeup = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
        Thread(target=self._listen, args=[hears], name="moot-signals", daemon=True).start()
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            tells.close()
            if not handled:
                for number, handler in before.items():
                    signal.signal(number, handler)
                self.first_signal, self._noticed = None, False

    @contextmanager
    def cancel_on_signal(self, loop: "AbstractEventLoop", task: "Task[Any]") -> Iterator[None]:
        """Let the first signal cancel this task inside the block."""
        self._work = loop, task
        try:
            yield
        finally:
            self._work = None
            self._noticed = True

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal in the main thread. The second thread handles the second signal."""
        del frame
        if self.first_signal is None:
            self.first_signal = number
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
                raise Interrupted(self.first_signal)

    def _notice(self) -> None:
        """Record that the event loop works, and so cancels the task."""
        self._noticed = True

    def _handles(self, number: int) -> bool:
        """Return whether this object handles a signal; a server may have its own handler."""
        return number in NUMBERS and signal.getsignal(number) is self

    def _listen(self, hears: "socket") -> None:
        """Receive signals in the second thread, until the other end is closed."""
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
                        _stop_at_once(self.first_signal or number)
                self._wake()

    def _insist(self) -> None:
        """Interrupt the main thread if the event loop has not reacted to the signal."""
        if not self._noticed:
            self._late = True
            self._own += 1
            _send_main_thread(self.first_signal or signal.SIGINT)

    def _wake(self) -> None:
        """Wake the event loop: it might miss a signal just before it waits."""
        if (work := self._work) is not None:
            with suppress(RuntimeError):  # it is closed
                work[0].call_soon_threadsafe(_nothing)


signals = Signals()
"""The handler of this process."""


def _set_handlers(
    numbers: list[int], handler: Callable[[int, FrameType | None], object] | signal.Handlers
) -> None:
    for number in numbers:
        signal.signal(number, handler)


def _nothing() -> None:
    """Do nothing. A call of it wakes the event loop."""


def _send_main_thread(number: int) -> None:
    """Send a signal to the main thread, to interrupt the system call that it waits in."""
    ident = main_thread().ident
    if hasattr(signal, "pthread_kill") and ident is not None:
        signal.pthread_kill(ident, number)
    else:
        import _thread

        _thread.interrupt_main(signal.Signals(number))


def _stop_at_once(number: int) -> None:
    """End this process and its child processes, without waiting.

    Args:
        number: of the first signal: it gives the exit code.
    """
    if (processes := sys.modules.get("multiprocessing")) is not None:
        for child in processes.active_children():
            child.kill()
    with suppress(OSError, ValueError):
        if select([], [2], [], 0)[1]:  # writing to a full pipe would wait
            os.write(2, (_SHOW_CURSOR if os.isatty(2) else b"") + _AT_ONCE)
    os._exit(128 + number)
