"""Who is told of weights that are fetched."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

WeightsProgress = Callable[[str, int, int | None], None]
"""Called with the source, the bytes fetched so far, and all bytes (None: unknown)."""

watching: ContextVar[WeightsProgress | None] = ContextVar("watching", default=None)


@contextmanager
def report_progress(progress: WeightsProgress) -> Iterator[None]:
    """Call ``progress`` for every fetch in this context, also for those that a model starts."""
    token = watching.set(progress)
    try:
        yield
    finally:
        watching.reset(token)
