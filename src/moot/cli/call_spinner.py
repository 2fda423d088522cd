"""A sign of life while a debate goes on: a spinner with the number of calls."""

import sys
from typing import TYPE_CHECKING, Self

from moot.cli.console import console
from moot.cli.download_bar import DownloadBar
from moot.core.display_text import format_things
from moot.core.events import Event, Turn
from moot.studies.question_plan import QuestionPlan

if TYPE_CHECKING:
    from rich.status import Status


class CallSpinner:
    """A spinner on standard error from the first second on, if that is a terminal.

    Args:
        plan: of the debate.
        download: the bar of downloads, which takes its place.
    """

    def __init__(self, plan: QuestionPlan, download: DownloadBar) -> None:
        fewest, most = plan.protocol.count(plan.settings)
        self._name, self._said, self._download = plan.protocol.name, 0, download
        self._calls = format_things(most, "call") if fewest == most else f"{fewest}–{most} calls"
        self._status: Status | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._status = console(err=True).status(f"{self._name}: {self._calls}")
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def count(self, event: Event) -> None:
        """Count a turn."""
        if isinstance(event, Turn) and self._status is not None:
            self._said += 1
            self._status.update(f"{self._name}: {self._said} of {self._calls}")

    def download(self, name: str, done: int, total: int | None) -> None:
        """Show how many bytes of a file are done, in place of the spinner."""
        self.stop()
        self._download(name, done, total)

    def pause(self) -> None:
        """Take the spinner away while a person types."""
        if self._status is not None:
            self._status.stop()

    def resume(self) -> None:
        """Show the spinner again."""
        if self._status is not None:
            self._status.start()

    def stop(self) -> None:
        """Take the spinner away."""
        if self._status is not None:
            self._status.stop()
            self._status = None
