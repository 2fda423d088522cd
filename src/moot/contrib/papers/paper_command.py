"""``moot paper``: a paper on a model of one's own, its tables and figures in one folder."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import click

import moot
from moot import InputError, Outcome, UnknownName
from moot.contrib.papers.paper_report import SUMMARY, PaperRuns, RepeatedPaper, repeat
from moot.contrib.papers.paper_studies import (
    PlannedPaper,
    PlannedStudy,
    Wanted,
    plan_paper,
)
from moot.contrib.papers.published import NAMES, Paper, read_paper
from moot.extend.studies import default_model, estimate_run, open_lab
from moot.extend.terminal import (
    ExitCode,
    ReportOutput,
    console,
    exit_after,
    parse_prices,
    run_async,
    say,
    show_progress,
    store_option,
    summarise_estimate,
)
from moot.extend.words import format_dollars, format_things, make_visible

_ASK_ABOVE = 1.0
"""An estimate in US dollars above which it is asked before anything is paid."""
_MARK = "paper.json"
"""The file by which a folder of this command is known."""


@click.command("paper")
@click.argument("name", metavar="|".join(NAMES))
@click.option("--model", help="The model, in the place of every model of the paper.")
@click.option(
    "--scale", type=float, default=1.0, show_default=True, help="The share of the questions."
)
@click.option("--within", type=float, metavar="DOLLARS", help="The most that all may cost.")
@click.option("--only", multiple=True, metavar="NUMBER", help='A table or figure: "table 2".')
@click.option("--without", multiple=True, metavar="STUDY", help="A study that is left out.")
@click.option("--sums", is_flag=True, help="Sums stand in for data; they need no files.")
@click.option(
    "--faithful",
    type=click.Choice(["ours", "paper", "code"]),
    default="ours",
    help="Follow the paper, or its code, where moot's protocols differ from it.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder.  [default: paper-NAME]")
@click.option(
    "--price",
    "priced",
    multiple=True,
    metavar="MODEL=INPUT,OUTPUT",
    help="What a model costs, in US dollars for a million tokens.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan and its estimate; call nothing.")
@click.option("--yes", is_flag=True, help="Start without asking, whatever the estimate.")
@store_option
def paper(
    name: str,
    model: str | None,
    scale: float,
    within: float | None,
    only: tuple[str, ...],
    without: tuple[str, ...],
    sums: bool,  # noqa: FBT001 -- click gives flags by name
    faithful: str,
    out: Path | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001 -- as above
    yes: bool,  # noqa: FBT001 -- as above
    store: str | None,
) -> None:
    """Repeat a paper on a model of yours, its tables and figures beside the published ones.

    Runs the paper's studies, or goes on with them, and writes every table and figure in the
    paper's numbering into one folder, as a page and as LaTeX: the published value, ours with its
    interval, the difference, and whether the published value lies within our interval.
    """
    read = read_paper(name)
    _check(read, scale, within, only)
    studies = [each.study for each in read.ours.studies]
    for study in without:
        if study not in studies:
            raise UnknownName("study", study, studies, where="--without")
    prices = parse_prices(priced)
    wanted = Wanted(model or default_model(), scale, sums, only, prices, without, faithful)
    folder = _Folder(out or Path(f"paper-{name}"))
    if not dry_run:
        folder.check()
    planned = plan_paper(read, wanted)
    _tell_plan(read, planned, wanted)
    cost = run_async(_estimate(planned, store))
    if dry_run:
        return
    _confirm(cost, yes=yes)
    made, stopped, failed = run_async(_run(read, planned, wanted, within, store))
    code = ExitCode.BUDGET if stopped else ExitCode.FAILED if failed else ExitCode.DONE
    with exit_after(code):
        folder.write(made)
        for said in (*made.report.findings, *filter(None, [stopped])):
            console().print(make_visible(said), markup=False)


def _check(read: Paper, scale: float, within: float | None, only: tuple[str, ...]) -> None:
    if not 0 < scale <= 1:
        raise InputError(f"--scale {scale:g}: must be above 0 and at most 1")
    if within is not None and not within >= 0:
        raise InputError(f"--within {within:g}: must be US dollars, 0 or more")
    for number in only:
        if number not in read.numbers:
            raise UnknownName("table or figure", number, read.numbers, where="--only")


def _tell_plan(read: Paper, planned: PlannedPaper, wanted: Wanted) -> None:
    """Say which studies run, what speaks in whose place, and what is left out."""
    out = console(err=True)
    told = f"{read.title}: {format_things(len(planned.studies), 'study')} on {wanted.model}"
    if planned.replaced:
        told += f", which replaces {', '.join(planned.replaced)}"
    lines = [told]
    lines += filter(None, [planned.stand_ins])
    lines += planned.followed
    lines += [f"left out: {study}: {why}" for study, why in planned.absent.items()]
    for line in lines:
        out.print(make_visible(line), markup=False, soft_wrap=True)


async def _estimate(planned: PlannedPaper, store: str | None) -> float | None:
    """Say what each study will take; return what all will cost, None where that is unknown."""
    costs = []
    async with open_lab(store, as_allowed=True) as lab:
        for study, each in planned.studies.items():
            estimate = await estimate_run(each.plan, lab)
            say(make_visible(f"{study}: {summarise_estimate(estimate)}"), err=True)
            costs.append(estimate.likely_cost)
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _confirm(cost: float | None, *, yes: bool) -> None:
    """Ask where it costs much. Raises ``InputError`` where it may not start."""
    if yes or cost is None or cost <= _ASK_ABOVE:
        return
    if not sys.stdin.isatty():
        raise InputError(
            f"the estimate of {format_dollars(cost)} is above {format_dollars(_ASK_ABOVE)}: give "
            "--yes to start all the same; nothing was called"
        )
    if not click.confirm(f"Start at an estimated {format_dollars(cost)}?"):
        raise InputError("not started; nothing was called")


async def _run(
    read: Paper, planned: PlannedPaper, wanted: Wanted, within: float | None, store: str | None
) -> tuple[RepeatedPaper, str, int]:
    """Run the studies one after another within the cap, and report them.

    Returns:
        The report; why it stopped before the end, or an empty text; how many debates failed.
    """
    keys: dict[str, str] = {}
    spent, stopped, failed = 0.0, "", 0
    for study, each in planned.studies.items():
        outcome = await _run_study(
            each, None if within is None else max(0.0, within - spent), store
        )
        keys[study] = outcome.run
        spent += sum(cap.spent for cap in outcome.caps if cap.of == "cost")
        failed += outcome.failed
        if outcome.failed:
            reason = next(iter(outcome.reasons), "")
            told = f"{study}: {format_things(outcome.failed, 'debate')} failed: {reason}"
            say(make_visible(told), err=True)
        if outcome.stopped:
            stopped = f"{study} stopped: {outcome.stopped}; the same command goes on from there"
            break
    async with open_lab(store, readonly=True) as lab:
        return repeat(read, PaperRuns(lab, planned, keys), planned, wanted), stopped, failed


async def _run_study(each: PlannedStudy, left: float | None, store: str | None) -> Outcome:
    study = each.plan.study
    say(f"{study.name}: {format_things(each.plan.size, 'debate')}", err=True)
    async with show_progress(quiet=False) as display:
        return await moot.run(study, store=store, max_cost=left, watch=display.watch)


class _Folder(NamedTuple):
    """The folder of a paper: a page, LaTeX of every table, and figures as PDF.

    Attributes:
        path: of the folder.
    """

    path: Path

    def check(self) -> None:
        """Check that nothing of others is written over. Raises ``InputError``."""
        if self.path.is_file():
            raise InputError(f"--out {self.path}: it is a file; name a folder")
        if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / _MARK).is_file():
            raise InputError(
                f"--out {self.path}: it has files that are not of this command; name another folder"
            )

    def write(self, made: RepeatedPaper) -> None:
        """Write all files, and print their paths."""
        self._give("json", _MARK, made.report)
        self._give("html", "index.html", made.report)
        for number, part in made.parts.items():
            self._give("latex", f"{_slug(number)}.tex", part)
        if made.report.charts:
            try:
                ReportOutput("pdf", self.path / "figures", force=True).give(made.report)
            except InputError as error:
                say(f"without figures as PDF: {error}", err=True)
        self._write_document(made)

    def _give(self, form: str, file: str, report: moot.Report) -> None:
        ReportOutput(form, self.path / file, force=True).give(report)

    def _write_document(self, made: RepeatedPaper) -> None:
        """Write a document that shows every table and figure."""
        figures = {
            each.name: each.title
            for each in made.report.charts
            if (self.path / "figures" / f"{each.name}.pdf").is_file()
        }
        path = self.path / "all.tex"
        parts = [*map(_slug, made.parts)]
        path.write_text(_set_document(made.title, parts, figures), "utf-8")
        say(str(path))


def _slug(number: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", number.lower()).strip("-")


def _set_document(title: str, tables: list[str], figures: Mapping[str, str]) -> str:
    """Return a LaTeX document of files of tables and of figures."""
    shown = [
        rf"{{\let\scriptsize\normalsize\input{{{each}}}}}"
        if each == SUMMARY
        else rf"\input{{{each}}}"
        for each in tables
    ]
    shown += [r"\clearpage"] * bool(figures)
    for name in figures:
        size = r"width=\linewidth,height=.9\textheight,keepaspectratio"
        shown += [
            r"\begin{figure}",
            r"\centering",
            rf"\includegraphics[{size}]{{figures/{name}.pdf}}",
            r"\end{figure}",
        ]
    return "\n".join(
        [
            "% pdflatex all.tex, three times: long tables find their widths step by step",
            r"\documentclass[a4paper]{article}",
            r"\usepackage[T1]{fontenc}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage[margin=2cm]{geometry}",
            r"\usepackage{adjustbox,array,booktabs,graphicx,longtable,pdflscape}",
            r"\usepackage{caption}",
            r"\captionsetup{labelformat=empty,labelsep=none}  % captions have the paper's numbers",
            r"\makeatletter  % floats stand near their place",
            r"\def\fps@table{htbp}\def\fps@figure{htbp}",
            r"\makeatother",
            rf"\title{{Repeated: {title}}}",
            r"\author{}",
            r"\date{}",
            r"\begin{document}",
            r"\maketitle",
            *shown,
            r"\end{document}",
            "",
        ]
    )
