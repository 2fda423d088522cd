"""``moot report``: what the analyses of one or more runs find, in any form."""

from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click
import msgspec

from moot.analyses.recorded_runs import RecordedRuns
from moot.analyses.run_reports import ACCURACY, drop_repeats, keep_leading, report_runs
from moot.cli.analyse import selection_options, style_options, write_out
from moot.cli.console import complete_run, print_json, print_text, run_async, say, store_option
from moot.core.display_text import make_visible
from moot.core.errors import InputError
from moot.core.files import Content
from moot.core.stored import RunRow
from moot.core.table import Report
from moot.ledger.store_place import files_folder
from moot.reports.chart_files import SUFFIXES
from moot.reports.chart_style import ChartStyle, parse_style
from moot.reports.html import ReportedRun, html_page
from moot.reports.renderings import RENDERINGS
from moot.reports.setup import describe_setup
from moot.studies.lab import open_lab

ONE_TABLE = "latex"
"""The form that has one table by default, as a paper has."""


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_run)
@click.option(
    "--format",
    "form",
    type=click.Choice(tuple(RENDERINGS)),
    default="html",
    show_default=True,
    help="The form.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The file or folder to write.")
@click.option(
    "--transcripts",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="The most debates shown in full, in html.",
)
@click.option("--open", "opened", is_flag=True, help="Open the page in the browser.")
@click.option(
    "--only", multiple=True, metavar="NAME", help="The analysis NAME alone; may be repeated."
)
@click.option("--all", "every", is_flag=True, help="All tables, where a form has one by default.")
@click.option("--no-figures", is_flag=True, help="Leave the interactive figures out.")
@style_options
@selection_options
@store_option
def report(
    runs: tuple[str, ...],
    arms: tuple[str, ...],
    datasets: tuple[str, ...],
    form: str,
    out: Path | None,
    transcripts: int,
    *,
    opened: bool,
    only: tuple[str, ...],
    every: bool,
    no_figures: bool,
    store: str | None,
    theme: str,
    width: str,
    height: int | None,
    whiskers: bool,
) -> None:
    """Report what the analyses of each RUN find.

    They are the analyses that the study names, else all that have something to
    analyse. html: a page that needs nothing outside it, with transcripts; csv and
    parquet: a folder with a file for each table; these say where they are. All
    others are printed, unless --out says where to write them. latex: the one table
    of methods; --only NAME and --all give others.
    """
    if opened and form != "html":
        raise InputError(f"--open opens a page: --format html, not {form}")
    if every and form != ONE_TABLE:
        raise InputError(f"--all is for --format {ONE_TABLE}: {form} has all tables by default")
    names = only or ((ACCURACY,) if form == ONE_TABLE and not every else ())
    style = parse_style(theme=theme, width=width, height=height, whiskers=whiskers)
    page = {"transcripts": transcripts, "figures": not no_figures, "style": style}

    async def work() -> None:
        async with open_lab(store, readonly=True) as lab:
            recorded = RecordedRuns(lab, runs, arms=arms, datasets=datasets)
            written = _report(recorded, form, out, page, names)
            if opened and written is not None:
                click.launch(written.resolve().as_uri())

    run_async(work())


def _report(
    runs: RecordedRuns,
    form: str,
    out: Path | None,
    page: dict[str, Any],
    names: Sequence[str] = (),
) -> Path | None:
    """Write or print the reports of runs; return where the page is, if one was written.

    Args:
        runs: the runs.
        form: the name of the form.
        out: a file or folder; None for the usual place, or to print.
        page: what ``html_page`` takes beside the reports.
        names: of the analyses; those of the studies, or all, if not given.
    """
    style: ChartStyle = page["style"]
    drawn = page["figures"] and (form == "html" or form in SUFFIXES)
    reports, left_out, lacking = report_runs(runs, drawn=drawn, only=names)
    if not reports:
        raise InputError(
            "; ".join(f"{name}: {reason}" for name, reason in (lacking | left_out).items())
        )
    if form != "json":
        reports = drop_repeats(reports, runs)
    place = files_folder(runs.lab.place) / "reports" / _name(runs.rows)
    if form == "html":
        target = out or place.with_name(f"{place.name}.html")
        return _write_page(runs, reports, left_out | lacking, page, target)
    if form == "json":
        told = {name: each.to_dict() for name, each in reports.items()}
        whole = {"reports": told, "left_out": lacking | left_out}
        if out is None:
            print_json(whole)
        else:
            write_out({"report.json": msgspec.json.encode(whole)}, out)
        return None
    for name, reason in left_out.items():
        say(f"left out: {name}: {reason}", err=True)
    if form == ONE_TABLE and tuple(names) == (ACCURACY,):
        reports = {name: keep_leading(each) for name, each in reports.items()}
    if RENDERINGS[form].printed and out is None:
        [text] = _files(reports, form, style).values()
        print_text(make_visible(str(text)))
    else:
        write_out(_files(reports, form, style), out or place)
    return None


def _write_page(
    runs: RecordedRuns,
    reports: dict[str, Report],
    left_out: dict[str, str],
    page: dict[str, Any],
    out: Path,
) -> Path:
    """Write the page of reports, with the reasons why others are left out; return its place."""
    listed = _list_runs(runs)
    made = html_page(
        list(reports.values()), title=runs.name, runs=listed, left_out=left_out, **page
    )
    [written] = write_out({"report.html": made}, out)
    return written


def _files(reports: dict[str, Report], form: str, style: ChartStyle) -> dict[str, Content]:
    """Return one file of a form that is one text; else those of each report, after its name."""
    rendering = RENDERINGS[form]
    if rendering.printed:
        [suffix] = {
            Path(name).suffix for each in reports.values() for name in rendering.write(each, style)
        }
        text = "\n".join(map(rendering.text, reports.values()))
        return {f"report{suffix}": text}
    drawn = form in SUFFIXES
    return {
        file if drawn else f"{name}-{file}": content
        for name, each in reports.items()
        if each.charts or not drawn
        for file, content in rendering.write(each, style).items()
    }


def _name(rows: Sequence[RunRow]) -> str:
    """Return the name of a page of these runs: of several the first, and a hash of all."""
    if len(rows) == 1:
        return rows[0].key
    which = blake2b("\0".join(row.key for row in rows).encode(), digest_size=4).hexdigest()
    return f"{rows[0].key}+{len(rows) - 1}-{which}"


def _list_runs(runs: RecordedRuns) -> list[ReportedRun]:
    made = []
    for row, study in zip(runs.rows, runs.studies, strict=True):
        setup = describe_setup(row)
        say(setup.words, err=True)
        mixed = len(study.simulated) < len(study.arms)
        labels = {
            arm.name: arm.name + " (simulated)" * (mixed and arm.name in study.simulated)
            for arm in study.arms
        }
        fetch = partial(runs.lab.store.debates, row.id)
        held = (each for each in runs.lab.store.values(row.id) if each.arm in labels)
        made.append(ReportedRun(row.key, setup, held, fetch, labels))
    return made
