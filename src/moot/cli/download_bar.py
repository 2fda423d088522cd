"""A bar for downloads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn

from moot.cli.console import console


class DownloadBar:
    """A bar on standard error, shown from the first byte on if that is a terminal."""

    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        hidden = not sys.stderr.isatty()
        self._progress = Progress(*columns, console=console(err=True), disable=hidden)
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Show how many bytes of a file are done, and how many it has if that is known."""
        if name not in self._tasks:
            self._progress.start()
            self._tasks[name] = self._progress.add_task(f"fetching {name}", total=total)
        self._progress.update(self._tasks[name], completed=done, total=total)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._tasks:
            self._progress.stop()


@contextmanager
def show_download() -> Iterator[DownloadBar]:
    """Show a bar while a download runs."""
    shown = DownloadBar()
    try:
        yield shown
    finally:
        shown.close()
