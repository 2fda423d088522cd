"""A process that computes canonical forms, and is ended where one takes too long.

An expression may take any time and memory, also inside of one step of SymPy. So each has 200 ms of
the process's own CPU time, which the system counts: then it ends the process. The expression has no
canonical form then, and the next one starts the process again. CPU time, as what else the machine
does must not decide what an answer is; and more of it on a slow machine, as its speed must not.
"""

import asyncio
import atexit
import select
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from socket import SHUT_RDWR, socket, socketpair
from threading import Lock
from time import process_time
from typing import ParamSpec, TypeVar

from moot.core.children import ChildProcess, begin_child, receive, send
from moot.core.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")

LIMIT = 0.2
"""Seconds of CPU time for one expression, where the first ones take ``_USUAL``."""
_USUAL = 0.5
"""Seconds of CPU time for all of ``_SLOW_AT_FIRST``; where they take longer, so may each other."""
_PATIENCE = 10.0
"""Seconds that an answer may take on a busy machine; where no CPU time is counted, its limit."""
_STARTING = 60.0
"""Seconds in which the process has to be ready."""
IDLE = 60.0
"""Seconds without an expression after which the process ends by itself."""
_SLOW_AT_FIRST = (
    *(r"\frac{x}{2} + \sqrt{3}", r"3 < x \le 4", r"x \in (3,4]"),
    *(r"\sin^2 x + \cos^2 x", "x^2 - 5x + 6 = 0", r"\frac{\sqrt{2}}{x_{1}}"),
)
"""Expressions whose kinds SymPy prepares for once: that is no part of an expression's time."""
_MEMORY = 2 << 30
"""Bytes of addresses that the process may have."""
_MOST = 20_000
"""Canonical forms that are kept."""
_NONE = b"\0"
"""Stands for no canonical form."""


class FormProcess:
    """The process that computes canonical forms; it starts when it is first needed.

    Attributes:
        ended: how many expressions it was ended for.
        limit: seconds of CPU time that an expression has on this machine.
    """

    def __init__(self) -> None:
        self.ended = 0
        self.limit = LIMIT
        self._lock = Lock()
        self._child: ChildProcess | None = None
        self._link: socket | None = None
        self._known: dict[str, str | None] = {}

    def find(self, latex: str) -> str | None:
        """Return the canonical form of LaTeX; None where it has none, or takes too long.

        Waits for the process: an event loop calls it through ``run_apart``.

        Raises:
            InputError: math-verify is not installed, or the process does not start.
        """
        if latex in self._known:
            return self._known[latex]
        with self._lock:
            form = self._ask(latex)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[latex] = form
        return form

    def _ask(self, latex: str) -> str | None:
        for _ in range(2):  # it may have ended for idleness just now
            link, fresh = self._link, self._link is None
            if link is None:
                link = self._start()
            try:
                send(link, latex.encode("utf-8", "replace"))
                found = _wait(link, _PATIENCE)
            except (EOFError, OSError):
                was_idle = not fresh and self._child is not None and self._child.exitcode == 0
                self._end()
                if was_idle:
                    continue
                break
            return None if found == _NONE else found.decode()
        self.ended += 1
        return None

    def _start(self) -> socket:
        require_installed()
        link, there = socketpair()
        try:
            with there:
                self._child = ChildProcess(target=compute_for, args=[there], daemon=True)
                self._child.start()
            self.limit = float(_wait(link, _STARTING))
        except (EOFError, OSError):
            link.close()
            self._end()
            raise InputError(
                "kind 'math': the process that reads LaTeX does not start; try: python -c 'import "
                "math_verify'"
            ) from None
        self._link = link
        return link

    def _end(self) -> None:
        link, child, self._link, self._child = self._link, self._child, None, None
        if link is not None:
            with suppress(OSError):  # it has ended already
                link.shutdown(SHUT_RDWR)
            link.close()
        if child is not None:
            child.kill()
            child.join()

    def close(self) -> None:
        """End the process; the next expression starts it again."""
        with self._lock:
            self._end()


def require_installed() -> None:
    """Raise ``InputError`` where math-verify is not installed."""
    if find_spec("math_verify") is None:
        raise InputError(
            "answers of kind 'math' are compared by math-verify, which is not installed: "
            "pip install 'moot[math]'"
        )


def _wait(link: socket, seconds: float) -> bytes:
    """Return the next message; raise ``EOFError`` where there is none in that time."""
    if not select.select([link], [], [], seconds)[0]:
        raise EOFError
    return receive(link)


def compute_for(parent: socket) -> None:
    """Compute canonical forms for another process, until it closes the connection or is idle."""
    begin_child()
    _bound_memory()
    from moot.parsing.mathematics.canonical import find_canonical

    began = process_time()
    for each in _SLOW_AT_FIRST:
        find_canonical(each)
    limit = LIMIT * max(1.0, (process_time() - began) / _USUAL)
    with parent, suppress(EOFError, OSError):
        send(parent, str(limit).encode())
        while select.select([parent], [], [], IDLE)[0]:
            latex = receive(parent).decode()
            _count_time(limit)
            form = find_canonical(latex)
            _count_time(0)
            send(parent, _NONE if form is None else form.encode())


def _bound_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _count_time(seconds: float) -> None:
    """Let the system end this process after so much CPU time; 0 for no longer."""
    if hasattr(signal, "ITIMER_PROF"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)


forms = FormProcess()
"""The one process of this one."""
atexit.register(forms.close)

_threads: list[ThreadPoolExecutor] = []


async def run_apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function that may ask for canonical forms, in a thread: the event loop goes on."""
    if not _threads:  # one, as there is one process: nothing else waits for its turn there
        _threads.append(ThreadPoolExecutor(1, thread_name_prefix="moot-math"))
    call = partial(function, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_threads[0], call)
