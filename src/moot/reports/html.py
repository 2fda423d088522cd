"""The report of one run or several as one HTML file that needs nothing but itself.

Everything that comes from questions and models is text: each value is neutralised by
``make_visible`` and escaped as it is written, whichever template writes it, and the page's content
security policy allows no script and no style but the page's own, by hash.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from moot.analyses.accuracy_tables import (
    ArmLine,
    list_arms,
    tabulate_accuracies,
    tabulate_budgets,
    tabulate_rounds,
    tabulate_variances,
)
from moot.analyses.summary import (
    describe_run,
    describe_savings,
    simulation_warning,
    summarise_dataset,
)
from moot.core.display_text import format_interval, format_percent
from moot.core.results import ArmResult, Measure, Results
from moot.metrics.metric import registry
from moot.reports import report_marks
from moot.reports.charting.chart import Chart
from moot.reports.charting.chart_page import DARK, figure, script
from moot.reports.node_groups import PARTS, SWEEPS, group_turns, list_parts
from moot.reports.setup import Setup
from moot.reports.shown_questions import DebateKey, Fetch, choose_questions
from moot.reports.templating import environment
from moot.reports.transcript import (
    describe_opening,
    describe_search,
    describe_thought,
    describe_turn,
    explain_empty,
    lacks_answer,
)

if TYPE_CHECKING:
    from jinja2 import Environment


DRAWN = 40
"""The most arms of a dataset in the figures at its top."""


class ReportedRun(NamedTuple):
    """A run to be reported.

    Attributes:
        results: of every arm.
        setup: how it was made; None to leave it out.
        debates: every debate, in any order; read once.
        fetch: gives the transcripts of an arm's debates on a question.
    """

    results: Results
    setup: Setup | None = None
    debates: Iterable[DebateKey] = ()
    fetch: Fetch = lambda *_: ()


def html_report(
    runs: Sequence[ReportedRun],
    *,
    transcripts: int,
    charts: Sequence[Chart] = (),
    missing: str = "",
) -> Iterator[str]:
    """Write the report, in pieces.

    Args:
        runs: in the order in which they are shown; at least one.
        transcripts: how many debates are shown in full at most, of all runs together. If there are
            more, whole questions are drawn by a hash of their ids.
        charts: interactive figures of all runs.
        missing: why there are none, if the report shall say it.
    """
    from markupsafe import Markup

    found = [run.results for run in runs]
    each = transcripts // len(runs)
    style, scripts = _own("report.css"), [_own("report.js")]
    drawn: list[str] = []
    if charts:
        style += DARK
        scripts.append(script())
        drawn = [figure(chart) for chart in charts]
    template = _environment().get_template("report.html")
    stream = template.stream(
        runs=(_run(run, each, number) for number, run in enumerate(runs, 1)),
        found=found,
        overview=[_overview(run) for run in runs],
        title=found[0].name if len(found) == 1 else f"{len(found)} runs",
        several=len(found) > 1,
        joint=tabulate_accuracies(list_arms(found)),
        compared=any(each.baseline is not None for each in found),
        budgeted=any(arm.budget for each in found for arm in each.arms),
        charts=[Markup(each) for each in drawn],  # noqa: S704  escaped where it is made
        missing=missing,
        style=Markup(style),  # noqa: S704  our own file
        scripts=[Markup(each) for each in scripts],  # noqa: S704  our own files
        policy=f"default-src 'none'; style-src {_hash(style)}; "
        f"script-src {' '.join(map(_hash, scripts))}; base-uri 'none'; form-action 'none'",
    )
    stream.enable_buffering(64)
    return iter(stream)


def _environment() -> "Environment":
    """Return what the report is rendered in, with the figures it uses."""
    made = environment("moot.reports")
    made.globals.update(
        percent=format_percent,
        span=format_interval,
        put_forward=describe_opening,
        all_thought=explain_empty,
        thought_of=describe_thought,
        lacks_answer=lacks_answer,
        took=describe_turn,
        looked_up=describe_search,
        groups=group_turns,
        about_parts=PARTS,
        about_sweeps=SWEEPS,
        flip_bar=report_marks.flip_bar,
        mark=report_marks.place_mark,
    )
    return made


def _own(name: str) -> str:
    return files("moot.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _overview(run: ReportedRun) -> dict[str, Any]:
    """Return the summary of a run, one dataset after the other."""
    results = run.results
    begun = f", begun {run.setup.begun}" if run.setup else ""
    return {
        "title": f"{results.name} ({results.run}{begun})",
        "caution": simulation_warning(results),
        "datasets": [
            (name, summarise_dataset(arms, results.baseline))
            for name, arms in results.datasets.items()
        ],
    }


def _run(run: ReportedRun, transcripts: int, number: int) -> dict[str, Any]:
    """Return the values that the template fills in for one run, by their names in it."""
    results = run.results
    labels = {arm.arm: arm.label for arm in results.arms}
    return {
        "number": number,
        "results": results,
        "setup": run.setup,
        "ran": describe_run(results, run.setup.models if run.setup else ()),
        "caution": simulation_warning(results),
        "saving": describe_savings(results),
        "labels": labels,
        "datasets": [_dataset(name, arms, results) for name, arms in results.datasets.items()],
        "drawn": choose_questions(run.debates, run.fetch, list(labels), most=transcripts),
    }


def _dataset(name: str, arms: list[ArmResult], results: Results) -> dict[str, Any]:
    own = [ArmLine(results.run, arm, results.baseline) for arm in arms]
    best = sorted(arms, key=lambda arm: (arm.arm != results.baseline, -(arm.accuracy.mean or 0.0)))
    drawn = [arm for arm in arms if arm in best[:DRAWN]]
    return {
        "name": name,
        "arms": arms,
        "drawn": drawn,
        "simulated": all(arm.simulated for arm in arms),
        "summary": summarise_dataset(arms, results.baseline),
        "accuracies": tabulate_accuracies(own),
        "forest": report_marks.place_forest(drawn, results.baseline),
        "scatter": report_marks.place_scatter(drawn),
        "flips": [arm for arm in arms if arm.flips is not None],
        "networks": [(arm, list_parts(arm)) for arm in arms if arm.nodes],
        "swept": any(len(arm.sweeps) > 1 for arm in arms),
        "grids": [
            grid
            for grid in (tabulate_budgets(own), tabulate_rounds(own), tabulate_variances(own))
            if grid.rows
        ],
        "further": _further(arms),
    }


def _further(arms: list[ArmResult]) -> list[tuple[str, str, list[str]]]:
    """Return every metric without a place of its own: name, what is shown, a value for each arm."""
    rows = []
    for name in sorted({name for arm in arms for name in arm.others}):
        known = registry.get(name) if name in registry.names() else None
        summed = known is not None and known.total == "sum"
        measures = [arm.others.get(name, Measure()) for arm in arms]
        values = [measure.total if summed else measure.mean for measure in measures]
        shown = ["–" if value is None else f"{value:,.4g}" for value in values]
        rows.append((name, f"{'sum' if summed else 'mean'}, {known.unit if known else ''}", shown))
    return rows
