"""The results of a run, then the index of its debates, computed from all its debates."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace

from moot import Chart, InputError, RecordedRuns, Report, Results, analyse
from moot.contrib.server.pages.index import DebateIndex
from moot.extend.analyses import analyses, report_briefly
from moot.extend.stores import RecordedProgress, StorePlace
from moot.extend.studies import open_lab

T = TypeVar("T")

SHOWN_ARMS = 40
"""The most arms of a dataset that a run's page shows; another page shows all."""


class RunStamp(NamedTuple):
    """The state of a run: it changes when a debate is recorded and when the run ends."""

    standing: RecordedProgress
    status: str


class RunAnswer(NamedTuple):
    """The first part of the page of a run: it is computed before the debates are listed.

    Attributes:
        results: of every arm.
        reports: what is shown of the results, with at most ``SHOWN_ARMS`` arms of each dataset.
        took: seconds that it took to compute them.
    """

    results: Results
    reports: list[Report]
    took: float

    @property
    def sentence(self) -> str:
        """The answer in a sentence; empty where nothing was found."""
        return next((each.findings[0] for each in self.reports if each.findings), "")


class RunListing(NamedTuple):
    """The debates of a run, and the names of the analyses that it can be given.

    Attributes:
        debates: the index of every debate.
        analyses: the names, in the order of a report.
        took: seconds that it took to read them.
    """

    debates: DebateIndex
    analyses: list[str]
    took: float


@dataclass
class RunSurvey:
    """The results and the debates of a run at one time.

    Attributes:
        answer: the results.
        listing: the debates.
        stamp: the state of the run at that time.
        made: when that was, on the monotonic clock.
    """

    answer: RunAnswer
    listing: RunListing
    stamp: RunStamp
    made: float

    @property
    def results(self) -> Results:
        """The results of every arm."""
        return self.answer.results

    @property
    def index(self) -> DebateIndex:
        """The index of every debate."""
        return self.listing.debates

    @property
    def took(self) -> float:
        """Seconds that it took to compute all of it."""
        return self.answer.took + self.listing.took

    @property
    def name(self) -> str:
        """A name of this version of the run's results, for URLs."""
        return f"{self.stamp.standing.debates}-{self.stamp.standing.newest}-{int(self.made * 1000)}"


def answer_run(place: StorePlace, run: str) -> RunAnswer:
    """Compute the results of a run, where no event loop is running.

    It takes 0.05 ms for each debate.

    Args:
        place: the store's folder or address.
        run: the run's key.
    """

    def compute(runs: RecordedRuns) -> tuple[Results, list[Report]]:
        results = runs.joined
        best = _choose_best(results)
        reports = report_briefly(runs, results)
        if len(best.arms) < len(results.arms):
            short = report_briefly(runs, best)[-1]
            reports[-1] = short._replace(findings=reports[-1].findings)
        return results, [report._replace(data=None) for report in reports]

    began = monotonic()
    results, reports = _read_run(place, run, compute)
    return RunAnswer(results, reports, monotonic() - began)


def list_run(place: StorePlace, run: str) -> RunListing:
    """Read the debates of a run, where no event loop is running.

    It takes 0.05 ms for each debate.

    Args:
        place: the store's folder or address.
        run: the run's key.
    """

    def read(runs: RecordedRuns) -> tuple[DebateIndex, list[str]]:
        able = [each for each in analyses if not each.find_lack(runs)]
        with runs.lab.store.open_reader() as reader:
            debates = reader.list_debates(runs.rows[0].id)
            index = DebateIndex(debates, [arm.name for arm in runs.studies[0].arms])
        return index, [a.name for a in sorted(able, key=lambda each: (each.place, each.name))]

    began = monotonic()
    index, names = _read_run(place, run, read)
    return RunListing(index, names, monotonic() - began)


def _read_run(place: StorePlace, run: str, work: Callable[[RecordedRuns], T]) -> T:
    """Return the result of this work over a run, where no event loop is running."""

    async def read() -> T:
        async with open_lab(place, readonly=True) as lab:
            return work(RecordedRuns(lab, [run]))

    return asyncio.run(read())


def _choose_best(results: Results) -> Results:
    """Return the results of the most accurate arms of each dataset, and of the baseline."""
    best = []
    for arms in results.datasets.values():
        marked = sorted(
            arms, key=lambda arm: (arm.arm != results.baseline, -(arm.accuracy.mean or 0.0))
        )
        best += marked[:SHOWN_ARMS]
    return replace(results, arms=tuple(arm for arm in results.arms if arm in best))


def analyse_runs(
    place: StorePlace, name: str, runs: Sequence[str], chosen: Mapping[str, Any]
) -> Report:
    """Apply an analysis where no event loop is running.

    Args:
        place: the store's folder or address.
        name: of the analysis.
        runs: the keys of the runs.
        chosen: the values of its options, and the ``arms`` and ``datasets`` that are looked at.

    Raises:
        InputError: the runs have nothing to analyse, or an option has a wrong value.
    """
    try:
        report = asyncio.run(analyse(name, *runs, store=place, **chosen))
    except InputError as error:
        raise InputError(str(error)) from None  # others cannot be sent between processes
    return report._replace(data=None)


class ChartGroup(NamedTuple):
    """The charts of an analysis.

    Attributes:
        name: of the analysis.
        title: of its report.
        charts: in order.
    """

    name: str
    title: str
    charts: tuple[Chart, ...]


def _draw_charts(runs: RecordedRuns) -> Iterator[ChartGroup]:
    """Yield the charts of all analyses that draw some of these runs, in the order of a report."""
    for found in sorted(analyses, key=lambda each: each.place):
        if found.draws and not found.find_lack(runs):
            with suppress(InputError):
                report = found.apply(runs, {})
                if report.charts:
                    title = report.title.partition(":")[0]
                    yield ChartGroup(found.name, title, report.charts)


def list_charts(place: StorePlace, run: str) -> list[ChartGroup]:
    """Return the charts of a run by their analyses, where no event loop is running."""
    return _read_run(place, run, lambda runs: list(_draw_charts(runs)))
