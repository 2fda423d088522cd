"""``moot figures``: the figures of runs as files."""

from collections.abc import Sequence
from pathlib import Path

import click

from moot.analyses.judge_bias import JudgeBias, has_two_sides, measure_judge_bias
from moot.cli.console import catch_errors, run_async, say, store_option
from moot.core.errors import InputError, UnknownName
from moot.core.results import Results
from moot.core.stored import RunRow, StudyRow
from moot.ledger.sqlite_store import Store
from moot.reports.charting.chart import Chart, draw_charts
from moot.reports.charting.chart_files import FORMATS, write_chart
from moot.studies.lab import open_lab
from moot.studies.study_run import compute_results, read_study


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("figures"),
    show_default=True,
    help="The folder they go to.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    default=("svg",),
    show_default=True,
    help="html, png, svg, pdf or json; may be given several times.",
)
@click.option(
    "--only", multiple=True, metavar="NAME", help="One figure, or one kind; may be repeated."
)
@store_option
@catch_errors
def figures(
    runs: tuple[str, ...],
    out: Path,
    formats: tuple[str, ...],
    only: tuple[str, ...],
    store: str | None,
) -> None:
    """Draw the figures of one or more runs and print where they are.

    Each is one file, for each format. The arms of several runs stand in one figure.
    """
    for form in formats:
        if form not in FORMATS:
            raise UnknownName("format", form, FORMATS, where="--format")
    for chart in _choose(run_async(_draw(runs, store)), only):
        for form in dict.fromkeys(formats):
            path = out / f"{chart.name}.{form}"
            write_chart(chart, path)
            say(str(path))


async def _draw(runs: tuple[str, ...], store: str | None) -> list[Chart]:
    async with open_lab(store, readonly=True) as lab:
        rows = {row.key: row for row in map(lab.store.find_run, runs)}
        return draw_runs(
            lab.store, list(rows.values()), [compute_results(lab, key) for key in rows]
        )


def draw_runs(store: Store, rows: Sequence[RunRow], found: Sequence[Results]) -> list[Chart]:
    """Draw the figures of these runs, of which ``found`` are the results."""
    studies = {row.key: read_study(row) for row in rows}
    biases = (_bias(store, row, studies[row.key]) for row in rows)
    return draw_charts(found, studies, [bias for bias in biases if bias is not None])


def _bias(store: Store, row: RunRow, study: StudyRow) -> JudgeBias | None:
    """Whom the judges of a run favour; None where no verdict of it supports one of two sides."""
    if not has_two_sides(study.arms):
        return None
    values, simulated = store.values(row.id), bool(study.simulated)
    try:
        return measure_judge_bias(
            values, arms=study.arms, run=row.key, name=row.name, simulated=simulated
        )
    except InputError:
        return None


def _choose(made: list[Chart], only: tuple[str, ...]) -> list[Chart]:
    """The figures of these names, or of the kinds that these are."""
    if not made:
        raise InputError("no figure can be drawn of these results: no arm has an accuracy yet")
    for name in only:
        if not any(_has_name(chart, name) for chart in made):
            raise UnknownName("figure", name, [chart.name for chart in made], where="--only")
    return [chart for chart in made if not only or any(_has_name(chart, name) for name in only)]


def _has_name(chart: Chart, name: str) -> bool:
    return chart.name == name or chart.name.startswith(f"{name}-")
