"""How far a run is, in one line that keeps up with it."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from moot.cli.console import console
from moot.core.display_text import format_things
from moot.core.table_text import text_width
from moot.core.terminal import lend_terminal
from moot.models.fetching import report_progress
from moot.reports.cap_text import cap_lines
from moot.studies.progress_counts import RunProgress

if TYPE_CHECKING:
    from rich.live import Live

EVERY = 0.2
EVERY_IN_A_LOG = 10.0
WIDE = 100
"""Columns from which the bar is long."""


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
                    width = self._live.console.width
                    line = format_line(progress, width, self._fetching)
                    self._live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
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


def format_line(progress: RunProgress, width: int, fetching: str = "") -> str:
    """Return how far a run is in one line: a bar, and as much of the rest as has room."""
    parts = list(_list_progress(progress))
    parts[:0] = [fetching.removesuffix(" · ")] * bool(fetching)
    bar = _bar(progress.done / max(1, progress.total), 20 if width >= WIDE else 10)
    line = f"{bar} {parts[0]}"
    for part in parts[1:]:
        if text_width(f"{line} · {part}") < width:
            line += f" · {part}"
    return line


def format_progress(progress: RunProgress) -> str:
    """Return how far a run is in words, all of it."""
    return " · ".join(_list_progress(progress))


def _list_progress(progress: RunProgress) -> Iterator[str]:
    """Yield debates, failures, time left, money, waits and caps, then calls; no zeros."""
    traffic = progress.traffic
    spent = max(1e-9, monotonic() - progress.began)
    yield f"{progress.done:,}/{format_things(progress.total, 'debate')}"
    if progress.failed:
        yield f"{progress.failed:,} failed"
    if 0 < progress.done < progress.total:
        yield f"{_time(spent / progress.done * (progress.total - progress.done))} left"
    if traffic.cost:
        yield f"${traffic.cost:.4f}" + " + unknown" * bool(traffic.unpriced)
    if progress.waiting:
        yield f"waiting for {'; '.join(progress.waiting)}"
    if caps := progress.guard.caps():
        yield cap_lines(caps)
    counts = {
        "retry": traffic.retries,
        "token": traffic.prompt_tokens + traffic.completion_tokens,
    }
    yield from (format_things(number, name) for name, number in counts.items() if number)
    elsewhere = progress.claims.waiting.total()
    others = {
        f"{traffic.in_flight:,} in flight": traffic.in_flight,
        f"{traffic.calls / spent:.1f} calls/s": traffic.calls,
        f"{traffic.replayed:,} cached": traffic.replayed,
        f"{format_things(traffic.unreported, 'call')} without usage": traffic.unreported,
        f"{elsewhere:,} asked by other processes": elsewhere,
    }
    yield from (words for words, number in others.items() if number)


def _bar(share: float, width: int = 20) -> str:
    full = int(share * width)
    return "█" * full + "░" * (width - full)


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
