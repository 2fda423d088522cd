"""The figures of a run as pictures; both functions take seconds and run in a process apart."""

import asyncio
from pathlib import Path

from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.run_reports import draw_charts
from moot.core.chart import Chart
from moot.core.stored import RunRow
from moot.reports.drawings import draw_chart
from moot.reports.plots import check_installed
from moot.studies.lab import open_lab


def list_figures(place: Path, row: RunRow) -> dict[str, Chart]:
    """Return every chart of a run by name. Raises ``InputError`` if they cannot be drawn.

    Args:
        place: the store's folder.
        row: the run.
    """
    check_installed()

    async def read() -> dict[str, Chart]:
        async with open_lab(place, readonly=True) as lab:
            return {each.name: each for each in draw_charts(RecordedRuns(lab, [row.key]))}

    return asyncio.run(read())


def draw_svg(chart: Chart) -> bytes:
    """Return a chart as a picture; the first takes seconds, as the drawing library starts."""
    return draw_chart(chart, "svg")
