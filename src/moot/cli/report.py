"""``moot report``: the results of one or more runs, as a page or as tables."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path

import click

from moot.analyses.accuracy_tables import tabulate_results
from moot.analyses.summary import simulation_warning
from moot.cli.console import catch_errors, print_text, run_async, say, store_option
from moot.cli.figures import draw_runs
from moot.core.display_text import make_visible
from moot.core.errors import InputError
from moot.core.files import output_error, write_file
from moot.core.results import Results
from moot.core.stored import RunRow
from moot.reports.charting.chart import Chart
from moot.reports.html import ReportedRun, html_report
from moot.reports.latex import latex_table
from moot.reports.markdown import markdown_table
from moot.reports.setup import describe_setup
from moot.studies.lab import Lab, open_lab
from moot.studies.study_run import compute_results

FORMATS = ("html", "markdown", "latex")


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="html", help="html is the default."
)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write it.")
@click.option(
    "--transcripts",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    help="The most debates shown in full.",
)
@click.option("--no-figures", is_flag=True, help="Leave the interactive figures out.")
@store_option
@catch_errors
def report(
    runs: tuple[str, ...],
    form: str,
    out: Path | None,
    transcripts: int,
    no_figures: bool,  # noqa: FBT001
    store: str | None,
) -> None:
    """Report the results of each RUN in one file.

    html: a page that needs nothing outside it; prints where it is. markdown and
    latex: the tables alone, printed unless --out says where to write them.
    """
    written = run_async(_report(runs, form, out, transcripts, store, figures=not no_figures))
    if written is not None:
        say(str(written))


async def _report(
    names: Sequence[str],
    form: str,
    out: Path | None,
    transcripts: int,
    store: str | None,
    *,
    figures: bool,
) -> Path | None:
    async with open_lab(store, readonly=True) as lab:
        rows = list({row.id: row for row in map(lab.store.find_run, names)}.values())
        found = [compute_results(lab, row.key) for row in rows]
        if form == "html":
            target = out or lab.place / "reports" / f"{_name(rows)}.html"
            return _write(target, _page(lab, rows, found, transcripts, figures=figures))
        text = _tables(found, form)
        if out is not None:
            return _write(out, text)
        print_text(make_visible("".join(text)))
        return None


def _name(rows: Sequence[RunRow]) -> str:
    """What the page of these runs is called: of several, by the first and by which they are."""
    if len(rows) == 1:
        return rows[0].key
    which = blake2b("\0".join(row.key for row in rows).encode(), digest_size=4).hexdigest()
    return f"{rows[0].key}+{len(rows) - 1}-{which}"


def _page(
    lab: Lab,
    rows: Sequence[RunRow],
    found: Sequence[Results],
    transcripts: int,
    *,
    figures: bool,
) -> Iterator[str]:
    runs = []
    for row, results in zip(rows, found, strict=True):
        made = describe_setup(row)
        arms = [make_visible(f"  {arm}: {settings}") for arm, settings in made.arms.items()]
        say("\n".join([made.words, *arms]), err=True)
        fetch = partial(lab.store.debates, row.id)
        runs.append(ReportedRun(results, made, lab.store.values(row.id), fetch))
    charts, missing = _charts(lab, rows, found) if figures else ([], "")
    return html_report(runs, transcripts=transcripts, charts=charts, missing=missing)


def _charts(
    lab: Lab, rows: Sequence[RunRow], found: Sequence[Results]
) -> tuple[Sequence[Chart], str]:
    """The interactive figures, or why there are none."""
    try:
        return draw_runs(lab.store, rows, found), ""
    except InputError as error:
        return [], f"No interactive figures: {error}"


def _tables(found: Sequence[Results], form: str) -> Iterator[str]:

    said = {" ".join(words) for results in found if (words := simulation_warning(results))}
    for warning in sorted(said):
        yield f"% {warning}\n" if form == "latex" else f"**{warning}**\n\n"
    write = latex_table if form == "latex" else markdown_table
    for table in tabulate_results(found):
        for line in write(table):
            yield f"{line}\n"


def _write(target: Path, pieces: Iterable[str]) -> Path:
    try:
        write_file(target, pieces)
    except OSError as error:
        raise output_error(f"report {target}", error) from None
    return target
