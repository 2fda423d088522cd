"""``moot essays``: how diverse, how long and how persuasive the essays of a run are."""

from pathlib import Path
from typing import NamedTuple

import click

from moot import Budget, InputError, Price, RecordedRuns
from moot.cli.analyse import form_options, put_out
from moot.cli.console import (
    BUDGET,
    DONE,
    FAILED,
    catch_errors,
    console,
    exit_after,
    json_option,
    run_async,
    store_option,
    wait_option,
)
from moot.cli.estimates import confirm_estimate, show_estimate, summarise_estimate
from moot.cli.progress_line import show_progress
from moot.cli.setting_options import parse_prices, parse_settings
from moot.core.display_text import make_visible
from moot.core.texts import replace_surrogates
from moot.essays.assess.assessment import Assessment, assess, models_asked
from moot.essays.assess.embeddings import Embedder, add_embeddings, find_embedder, name_prices
from moot.essays.assess.model_judge import PROTOCOL, EssayJudge, Judging
from moot.essays.run_essays import read_essays
from moot.studies.estimate import Estimate
from moot.studies.lab import open_lab
from moot.studies.rehearsal import estimate_run


@click.command()
@click.argument("run")
@click.option("--judge", metavar="MODEL", help="Who lists points and compares essays.")
@click.option("--judge-protocol", metavar="NAME", help="How it compares them; single if not given.")
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A setting of it.")
@click.option("--pairs", type=int, help="Essays of each arm compared on a proposition; 1.")
@click.option(
    "--prompts", type=click.Path(path_type=Path), help="Prompts laid over moot's for essays."
)
@click.option(
    "--embedder",
    default="embedded",
    show_default=True,
    help="Who makes embeddings: moot itself, or an endpoint's model, as in openai/NAME.",
)
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@click.option("--max-calls", type=int, help="The most calls that may be paid for.")
@click.option(
    "--price",
    "priced",
    multiple=True,
    metavar="MODEL=INPUT,OUTPUT",
    help="What judge or embedder costs, in US dollars for a million tokens.",
)
@click.option("--dry-run", is_flag=True, help="Show what it would be asked; call nothing.")
@click.option("--yes", is_flag=True, help="Start without asking, whatever the estimate.")
@wait_option
@form_options
@store_option
@json_option
@catch_errors
def essays(
    run: str,
    judge: str | None,
    judge_protocol: str | None,
    settings: tuple[str, ...],
    pairs: int | None,
    prompts: Path | None,
    embedder: str,
    max_cost: float | None,
    max_calls: int | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001 -- click gives flags by position or name
    yes: bool,  # noqa: FBT001
    wait: bool,  # noqa: FBT001
    form: str,
    out: Path | None,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how diverse, how long and how persuasive the essays of RUN are.

    Without a judge no model is asked but an endpoint's embedder. A judge lists the points of every
    essay and compares those of any two arms on a proposition by relevance and by
    preference, in both orders. What it says is kept in a run of its own; a stopped
    one goes on when it is called again, and nothing is paid for twice. --max-cost
    and --max-calls count judge and embeddings together.
    """
    terms = AssessmentTerms(
        find_embedder(embedder), Budget(cost=max_cost, calls=max_calls), parse_prices(priced)
    )
    judging: Judging | None = None
    if judge is None:
        if judge_protocol or settings or pairs is not None or prompts or dry_run:
            raise InputError("there is no judge: say who judges with --judge MODEL")
    else:
        judged = EssayJudge(
            model=replace_surrogates(judge),
            protocol=judge_protocol or PROTOCOL,
            settings=parse_settings(settings),
            pairs=1 if pairs is None else pairs,
            prompts=prompts,
        )
        judging, expected = run_async(_plan(run, judged, terms, store))
        if dry_run:
            _show_plan(judging, expected, as_json=as_json)
            return
        if not as_json:
            text = f"{judging.key}: {summarise_estimate(expected)}"
            console(err=True).print(text, markup=False, soft_wrap=True)
        if not yes:
            run_async(confirm_estimate(judging.study, expected))
    found = run_async(_assess(run, judging, terms, store, wait=wait, quiet=as_json))
    with exit_after(BUDGET if found.stopped else FAILED if found.failed else DONE):
        put_out(found.report, "json" if as_json else form, out)


class AssessmentTerms(NamedTuple):
    """Who makes embeddings, the most that it all may cost, and the prices that are stated."""

    embed: Embedder
    budget: Budget
    prices: dict[str, Price]


async def _plan(
    run: str, judge: EssayJudge, terms: AssessmentTerms, store: str | None
) -> tuple[Judging, Estimate]:
    """Return what a judge would be asked, and what that and the embeddings take."""
    async with open_lab(store, readonly=True) as lab:
        runs = RecordedRuns(lab, [run])
        judging = Judging(runs.rows[0], read_essays(runs).essays, judge, budget=terms.budget)
        known = name_prices(models_asked(lab, judging, terms.embed), terms.prices)
        alone = await estimate_run(judging, lab, known)
        return judging, add_embeddings(alone, judging.essays, terms.embed.model, known)


async def _assess(
    run: str,
    judging: Judging | None,
    terms: AssessmentTerms,
    store: str | None,
    *,
    wait: bool,
    quiet: bool,
) -> Assessment:
    """Assess the essays of a run, with the progress of the judge on standard error."""
    quiet |= judging is None
    async with (
        show_progress(quiet=quiet, timed=judging is not None) as display,
        open_lab(store, readonly=judging is None and terms.embed.model is None, wait=wait) as lab,
    ):
        return await assess(
            RecordedRuns(lab, [run]),
            embed=terms.embed,
            judging=judging,
            budget=terms.budget,
            prices=terms.prices,
            watch=display.watch,
        )


def _show_plan(judging: Judging, expected: Estimate, *, as_json: bool) -> None:
    show_estimate(expected, as_json=as_json, run=judging.key)
    for arm in () if as_json else judging.study.arms:
        asked = sum(task.arm is arm for task in judging.own_tasks)
        text = f"  {arm.name}: {asked:,} by {arm.protocol}, {arm.settings['model']}"
        console().print(make_visible(text), markup=False, soft_wrap=True)
