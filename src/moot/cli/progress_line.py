"""How far a run is, in one line that keeps up with it."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from moot.cli.console import console
from moot.core.display_text import format_things
from moot.core.terminal import lend_terminal
from moot.models.fetching import report_progress
from moot.reports.cap_text import cap_lines
from moot.studies.progress_counts import RunProgress

if TYPE_CHECKING:
    from rich.live import Live

EVERY = 0.2
EVERY_IN_A_LOG = 10.0


class Display:
    """Shows a run's progress on standard error: live on a terminal, else a line now and then."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._task: asyncio.Task[None] | None = None
        self._live: Live | None = None
        self._fetching = ""
        self._typing = False

    def watch(self, progress: RunProgress) -> None:
        """Begin to show."""
        if not self._quiet:
            self._task = asyncio.get_running_loop().create_task(self._show(progress))

    def fetching(self, what: str, done: int, total: int | None) -> None:
        """Show that weights are being fetched, which a model does at its first use."""
        share = f" of {total / 1e6:.0f}" if total else ""
        self._fetching = "" if done == total else f"fetching {what}: {done / 1e6:.0f}{share} MB · "

    def pause(self) -> None:
        """Take the line away while a person types."""
        self._typing = True
        if self._live is not None:
            self._live.stop()

    def resume(self) -> None:
        """Show the line again."""
        self._typing = False
        if self._live is not None:
            self._live.start()

    async def close(self) -> None:
        """End."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _show(self, progress: RunProgress) -> None:
        if not sys.stderr.isatty():
            while True:
                await asyncio.sleep(EVERY_IN_A_LOG)
                sys.stderr.write(f"{self._fetching}{format_progress(progress)}\n")
        from rich.live import Live
        from rich.text import Text

        with Live(console=console(err=True), auto_refresh=False, transient=True) as self._live:
            while True:
                if not self._typing:
                    bar = _bar(progress.done / max(1, progress.total))
                    text = f"{bar} {self._fetching}{format_progress(progress)}"
                    self._live.update(Text(text), refresh=True)
                await asyncio.sleep(EVERY)


@asynccontextmanager
async def show_progress(*, quiet: bool, timed: bool = True) -> AsyncIterator[Display]:
    """Show how far a run is, and what it fetches, while it lasts.

    Args:
        quiet: whether nothing is shown.
        timed: whether it is said at the end how long it took.
    """
    display = Display(quiet=quiet)
    started = monotonic()
    try:
        with report_progress(display.fetching), lend_terminal(display.pause, display.resume):
            yield display
    finally:
        await display.close()
        if timed and not quiet:
            console(err=True).print(f"[dim]{monotonic() - started:.1f} s[/dim]")


def format_progress(progress: RunProgress) -> str:
    """Done, in flight, calls a second, tokens, money, retries and the time left, in words."""
    traffic = progress.traffic
    spent = max(1e-9, monotonic() - progress.began)
    parts = [
        f"{progress.done}/{format_things(progress.total, 'debate')}",
        f"{traffic.in_flight} in flight",
        f"{traffic.calls / spent:.1f} calls/s",
        format_things(traffic.prompt_tokens + traffic.completion_tokens, "token")
        + (
            f" ({format_things(traffic.unreported, 'call')} without usage)"
            if traffic.unreported
            else ""
        ),
        f"${traffic.cost:.4f}" + (" + unknown" if traffic.unpriced else ""),
    ]
    if traffic.replayed:
        parts.append(f"{traffic.replayed} replayed")
    if waiting := progress.claims.waiting.total():
        parts.append(f"{waiting} being asked by other processes")
    if traffic.retries:
        parts.append(format_things(traffic.retries, "retry"))
    if progress.failed:
        parts.append(f"{progress.failed} failed")
    if 0 < progress.done < progress.total:
        left = spent / progress.done * (progress.total - progress.done)
        parts.append(f"{_time(left)} left")
    if progress.waiting:
        parts.append(f"waiting for {'; '.join(progress.waiting)}")
    if caps := progress.guard.caps():
        parts.append(cap_lines(caps))
    return " · ".join(parts)


def _bar(share: float, width: int = 20) -> str:
    full = int(share * width)
    return "█" * full + "░" * (width - full)


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
