"""A bar for downloads."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, int | None], None]


@contextmanager
def bar(name: str) -> Iterator[Report]:
    """What to call with the bytes done and in all; shown on standard error if it is a terminal."""
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    from moot.cli.console import console

    columns = (TextColumn(name), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console(err=True), disable=not sys.stderr.isatty()) as shown:
        task = shown.add_task(name, total=None)

        def report(done: int, total: int | None) -> None:
            shown.update(task, completed=done, total=total)

        yield report
