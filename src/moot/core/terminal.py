"""The terminal, as a command lends it to models that ask their user something."""

import sys
from asyncio import Lock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Terminal:
    """A terminal in which a user reads and types, for one model at a time.

    Args:
        pause: takes away what is drawn live; it is called before the user is asked.
        resume: draws it again.

    Attributes:
        free: is locked while a model has the terminal.
    """

    def __init__(self, pause: Callable[[], None], resume: Callable[[], None]) -> None:
        self.pause, self.resume, self.free = pause, resume, Lock()

    @staticmethod
    def find() -> "Terminal | None":
        """Return the terminal that is lent in this context; None where no one can type."""
        return _lent.get()


_lent: ContextVar[Terminal | None] = ContextVar("lent", default=None)


@contextmanager
def lend_terminal(
    pause: Callable[[], None] = lambda: None, resume: Callable[[], None] = lambda: None
) -> Iterator[None]:
    """Lend this terminal while the block lasts; without one no user is asked.

    The parameters are those of ``Terminal``.
    """
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        yield
        return
    token = _lent.set(Terminal(pause, resume))
    try:
        yield
    finally:
        _lent.reset(token)
