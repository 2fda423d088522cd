"""A bar for downloads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Bar:
    """Call it with what is fetched, the bytes done and those in all; shown once there are any."""

    def __init__(self) -> None:
        self._shown: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, what: str, done: int, total: int | None) -> None:
        """Show how far ``what`` is."""
        if self._shown is None:
            self._shown = _columns()
            self._shown.start()
        if what not in self._tasks:
            self._tasks[what] = self._shown.add_task(f"fetching {what}", total=total)
        self._shown.update(self._tasks[what], completed=done, total=total)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._shown is not None:
            self._shown.stop()


@contextmanager
def bar() -> Iterator[Bar]:
    """A bar on standard error, if that is a terminal."""
    shown = Bar()
    try:
        yield shown
    finally:
        shown.close()


def _columns() -> "Progress":
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from moot.cli.console import console

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    return Progress(*columns, console=console(err=True), disable=not sys.stderr.isatty())
