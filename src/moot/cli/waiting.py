"""Signs of waiting in a terminal: a spinner that counts calls, a bar of a download."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from moot.cli.console import console
from moot.core.display_text import format_things

if TYPE_CHECKING:
    from rich.progress import TaskID

    from moot.studies.question_plan import QuestionPlan


class CallSpinner:
    """A spinner on standard error, from the first second on. It counts calls."""

    def __init__(self, plan: "QuestionPlan") -> None:
        fewest, most = plan.protocol.count(plan.settings)
        self._name, self._said = plan.protocol.name, 0
        self._calls = format_things(most, "call") if fewest == most else f"{fewest}–{most} calls"
        self._status = console(err=True).status(f"{self._name}: {self._calls}")
        self.start, self.stop = self._status.start, self._status.stop
        self.start()

    def count(self) -> None:
        """Count a turn."""
        self._said += 1
        self._status.update(f"{self._name}: {self._said} of {self._calls}")


class DownloadBar:
    """A bar on standard error, shown from the first byte on if that is a terminal."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn  # slow to import

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
