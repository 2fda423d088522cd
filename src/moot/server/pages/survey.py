"""The results of a run and the index of its debates, computed from all its debates."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from moot.analyses.accuracy_tables import (
    ArmLine,
    tabulate_accuracies,
    tabulate_budgets,
    tabulate_changes,
    tabulate_rounds,
    tabulate_variances,
)
from moot.analyses.analysis import analyse, registry
from moot.analyses.summary import (
    describe_run,
    describe_savings,
    simulation_warning,
    summarise_dataset,
)
from moot.core.errors import InputError
from moot.core.results import ArmResult, Results
from moot.core.stored import RunRow, Status
from moot.core.table import Report
from moot.ledger.reader import RunProgress, StoreReader
from moot.ledger.store_place import STORE_FILE
from moot.reports import report_marks
from moot.reports.setup import describe_setup
from moot.server.pages.index import DebateIndex
from moot.server.pages.page_rendering import render_text
from moot.studies.lab import open_lab
from moot.studies.study_run import compute_results, read_study

DRAWN = 40
"""The most arms of a dataset that a run's page shows; another page shows all."""


class RunStamp(NamedTuple):
    """The state of a run: it changes when a debate is recorded and when the run ends."""

    standing: RunProgress
    status: Status


@dataclass
class RunSurvey:
    """The results and the debates of a run at one time.

    Attributes:
        results: of every arm.
        index: of every debate.
        html: the results as a part of a page, with at most ``DRAWN`` arms of each dataset.
        analyses: the names of the analyses that the run can be given.
        stamp: the state of the run at that time.
        took: seconds that it took to compute them.
        made: when that was, on the monotonic clock.
    """

    results: Results
    index: DebateIndex
    html: str
    analyses: list[str]
    stamp: RunStamp
    took: float
    made: float

    @property
    def name(self) -> str:
        """A name of this version of the run's results, for URLs."""
        return f"{self.stamp.standing.debates}-{self.stamp.standing.newest}-{int(self.made * 1000)}"


def survey_run(place: Path, row: RunRow, stamp: RunStamp) -> RunSurvey:
    """Compute the results and the index of a run, where no event loop is running.

    It takes 0.1 ms for each debate.

    Args:
        place: the store's folder.
        row: the run.
        stamp: the present state of the run.
    """
    began = monotonic()
    results, analyses = asyncio.run(_read(place, row))
    with StoreReader(place / STORE_FILE) as reader:
        index = DebateIndex(reader.list_debates(row.id), [arm.name for arm in read_study(row).arms])
    html = render_results(row, results, most=DRAWN)
    made = monotonic()
    return RunSurvey(results, index, html, analyses, stamp, made - began, made)


async def _read(place: Path, row: RunRow) -> tuple[Results, list[str]]:
    async with open_lab(place, readonly=True) as lab:
        known = {
            name
            for each in lab.store.values(row.id)
            for name, value in each.values.items()
            if value is not None
        }
        able = [each for each in registry if known.issuperset(each.needs)]
        names = [each.name for each in sorted(able, key=lambda each: (each.place, each.name))]
        return compute_results(lab, row.key), names


def analyse_runs(place: Path, name: str, runs: Sequence[str], chosen: Mapping[str, Any]) -> Report:
    """Apply an analysis where no event loop is running.

    Args:
        place: the store's folder.
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


def render_results(row: RunRow, results: Results, *, most: int | None = None) -> str:
    """Return the results as a part of a page.

    Args:
        row: the run.
        results: of every arm.
        most: the most arms of a dataset; all, if not given.
    """
    return render_text(
        "results.html",
        run=row.key,
        ran=describe_run(results, describe_setup(row).models),
        caution=simulation_warning(results),
        saving=describe_savings(results),
        baseline=results.baseline,
        labels={arm.arm: arm.label for arm in results.arms},
        datasets=[_dataset(name, arms, results, most) for name, arms in results.datasets.items()],
        several=len(results.datasets) > 1,
    )


def _dataset(
    name: str, arms: Sequence[ArmResult], results: Results, most: int | None
) -> dict[str, Any]:
    best = sorted(arms, key=lambda arm: (arm.arm != results.baseline, -(arm.accuracy.mean or 0.0)))
    shown = [arm for arm in arms if arm in best[:most]]
    drawn = [arm for arm in arms if arm in best[:DRAWN]]
    own = [ArmLine(results.run, arm, results.baseline) for arm in shown]
    grids = (
        tabulate_budgets(own),
        tabulate_changes(own),
        tabulate_rounds(own),
        tabulate_variances(own),
    )
    return {
        "name": name,
        "all": len(arms),
        "shown": len(shown),
        "summary": summarise_dataset(list(arms), results.baseline),
        "few": summarise_dataset(shown, results.baseline).findings,
        "accuracies": tabulate_accuracies(own),
        "forest": report_marks.place_forest(drawn, results.baseline),
        "scatter": report_marks.place_scatter(drawn),
        "grids": [grid for grid in grids if grid.rows],
    }
