"""The results of a run and the index of its debates, computed from all its debates."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from moot.analyses.accuracy_tables import (
    ArmLine,
    tabulate_accuracies,
    tabulate_budgets,
    tabulate_changes,
    tabulate_rounds,
    tabulate_variances,
)
from moot.analyses.summary import (
    describe_run,
    describe_savings,
    simulation_warning,
    summarise_dataset,
)
from moot.core.results import ArmResult, Results
from moot.core.stored import RunRow
from moot.ledger.reader import StoreReader
from moot.ledger.store_place import STORE_FILE
from moot.reports import report_marks
from moot.reports.setup import describe_setup
from moot.reports.templating import environment
from moot.server.pages.index import DebateIndex
from moot.server.pages.page_rendering import render_text
from moot.studies.lab import open_lab
from moot.studies.study_run import compute_results, read_study

if TYPE_CHECKING:
    from jinja2.environment import TemplateModule

DRAWN = 40
"""The most arms of a dataset that a run's page shows; another page shows all."""


@dataclass(frozen=True)
class RunSurvey:
    """The results and the debates of a run at one time.

    Attributes:
        results: of every arm.
        index: of every debate.
        html: the results as a part of a page, with at most ``DRAWN`` arms of each dataset.
        took: seconds that it took to compute them.
    """

    results: Results
    index: DebateIndex
    html: str
    took: float


def survey_run(place: Path, row: RunRow) -> RunSurvey:
    """Compute the results and the index of a run, where no event loop is running.

    It takes 0.1 ms for each debate.

    Args:
        place: the store's folder.
        row: the run.
    """
    began = monotonic()
    results = asyncio.run(_results(place, row.key))
    with StoreReader(place / STORE_FILE) as reader:
        index = DebateIndex(reader.list_debates(row.id), [arm.name for arm in read_study(row).arms])
    return RunSurvey(results, index, render_results(row, results, most=DRAWN), monotonic() - began)


async def _results(place: Path, key: str) -> Results:
    async with open_lab(place, readonly=True) as lab:
        return compute_results(lab, key)


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
        table=_macros("grid.html"),
        figure=_macros("figures.html"),
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


@cache
def _macros(name: str) -> "TemplateModule":
    """Return the macros of a template of the report: pages show its tables and figures."""
    return environment("moot.reports").get_template(name).module
