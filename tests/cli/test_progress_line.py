"""The line that says how far a run is."""

import asyncio
from types import SimpleNamespace

import pytest

from moot.cli.progress_line import format_line, format_progress
from moot.core.table_text import text_width
from moot.studies.lab import open_lab
from moot.studies.progress_counts import RunProgress


@pytest.fixture
def progress(tmp_path):
    async def make():
        async with open_lab(tmp_path) as lab:
            return RunProgress(1800, lab.path, lab.store.claims)

    made = asyncio.run(make())
    made.claims = SimpleNamespace(waiting=SimpleNamespace(total=int))
    return made


def test_nothing_that_is_zero_is_said(progress):
    assert format_progress(progress) == "0/1,800 debates"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_it_is_one_line_at_any_width_with_the_most_important_first(progress, width):
    progress.done, progress.failed = 1209, 3
    traffic = progress.traffic
    traffic.calls, traffic.replayed, traffic.retries, traffic.unpriced = 9855, 6700, 12, 4
    traffic.prompt_tokens, traffic.completion_tokens, traffic.cost = 900_000, 91_821, 1.25
    progress.waiting = ("one batch of 4,000 calls",)
    line = format_line(progress, width)
    assert text_width(line) <= width
    assert "1,209/1,800 debates" in line
    assert ("3 failed" in line) == (width > 40)
    assert ("991,821 tokens" in line) == (width > 100)
    whole = format_progress(progress)
    assert all(part in whole for part in ("12 retries", "6,700 cached", "$1.2500 + unknown"))
    assert all(part in whole for part in line.partition(" ")[2].split(" · "))


def test_what_is_fetched_comes_first(progress):
    line = format_line(progress, 80, "fetching weights: 3 of 200 MB · ")
    assert line.partition(" ")[2].startswith("fetching weights: 3 of 200 MB · 0/1,800 debates")
