"""``moot refine``: the hard questions of datasets, as files that any study can use."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from moot.cli.console import (
    DONE,
    FAILED,
    console,
    run_async,
)
from moot.cli.estimates import explain_confirmation
from moot.cli.progress_line import show_progress
from moot.cli.study_options import StudyOptions
from moot.core.display_text import format_count, format_things, make_visible
from moot.core.errors import InputError
from moot.studies import refinement as refining
from moot.studies.estimate import Estimate
from moot.studies.refinement import Refined
from moot.studies.study import Study
from moot.studies.study_file import load


@click.command()
@StudyOptions.study
@click.option(
    "--keep", type=int, default=300, show_default=True, help="The most questions of each dataset."
)
@click.option(
    "--combinations",
    type=int,
    default=3,
    show_default=True,
    help="How many pairs of protocol and opening are drawn.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw, and of ties.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("refined"),
    show_default=True,
    help="The folder the files go to.",
)
@StudyOptions.flags(
    limit="The most questions of each dataset that are looked at.",
    yes="Start whatever the estimate.",
    dry_run=False,
)
def refine(
    study: str, keep: int, combinations: int, seed: int, out: Path, terms: StudyOptions
) -> None:
    """Keep the questions of STUDY's datasets that models find hardest.

    Each arm of protocol single is a model: what all have right is dropped. Of the
    other arms some combinations of protocol and opening are drawn and debate the
    rest. These are two runs, and caps hold for each of them. Stopped, it goes on
    where it was: what was paid for is kept.
    """
    read = terms.apply(load(study, model=terms.usual_model))
    terms.report_kept_models(read.arms)
    drawn = {"keep": keep, "combinations": combinations, "seed": seed}
    found = run_async(_refine(read, out, terms, **drawn))
    code = FAILED if found.failed else DONE
    terms.end(found, partial(_print, found, out), code)


async def _refine(study: Study, out: Path, terms: StudyOptions, **drawn: Any) -> Refined:  # noqa: ANN401 -- numbers, as they are passed on
    def accept(estimate: Estimate) -> bool:
        if not terms.yes and (why := explain_confirmation(study, estimate)):
            raise InputError(why)
        return True

    async with show_progress(quiet=terms.as_json, timed=False) as display:
        return await refining.refine(
            study,
            out,
            store=terms.store,
            limit=terms.limit,
            wait=terms.wait,
            confirm=accept,
            watch=display.watch,
            ray=terms.ray,
            workers=terms.workers,
            **drawn,
        )


def _print(found: Refined, out: Path) -> None:

    shown = console()
    if found.simulated:
        shown.print("SIMULATED: some or all of these models are no language models.", style="bold")
    drawn = "; ".join(f"{each.protocol}, {each.opening}" for each in found.combinations)
    shown.print(
        make_visible(f"{format_things(len(found.models), 'model')}; combinations: {drawn}"),
        markup=False,
    )
    for each in found.datasets:
        words = (
            f"{each.dataset}: {format_things(each.asked, 'question')}, "
            f"{format_count(each.dropped)} that all have "
            f"right, {format_count(len(each.questions))} kept: {out / each.stem}.jsonl"
        )
        shown.print(make_visible(words), markup=False, soft_wrap=True)
    if found.failed:
        words = (
            f"{format_things(found.failed, 'debate')} failed and counted as not right; run again "
            "to retry"
        )
        shown.print(words, style="red")
