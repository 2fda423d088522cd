"""``moot rejudge``: recorded debates before their judges again, the labels of the sides swapped."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from moot.cli.console import (
    DONE,
    FAILED,
    complete_run,
    end_command,
    json_option,
    run_async,
    say,
    store_option,
    wait_option,
)
from moot.cli.described_models import load_described_models
from moot.cli.estimates import show_estimate
from moot.cli.setting_options import parse_prices, price_option
from moot.core.display_text import format_dollars, format_things, make_visible
from moot.runtime.budget import Budget
from moot.studies.estimate import Estimate
from moot.studies.lab import default_model, open_lab
from moot.studies.rejudge_estimate import estimate_rejudging
from moot.studies.rejudging import Rejudged
from moot.studies.rejudging import rejudge as judge_again
from moot.studies.study_file import load


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@click.option("--prompts", type=click.Path(path_type=Path), help="The run's own prompts, if any.")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The study's file, if it has prompts, [models.NAME] or few-shot styles.",
)
@price_option
@click.option("--dry-run", is_flag=True, help="Show what it will take; call nothing.")
@wait_option
@store_option
@json_option
def rejudge(
    run: str,
    max_cost: float | None,
    prompts: Path | None,
    file: Path | None,
    priced: tuple[str, ...],
    *,
    dry_run: bool,
    wait: bool,
    store: str | None,
    as_json: bool,
) -> None:
    """Put the debates of RUN to their judges again, with the sides' labels swapped.

    Of debates with two sides before a judge or moderator. What the debaters said
    comes from the ledger: only the judges' calls are made. The new run has the
    recorded debates, too: "moot analyse judge-bias" tells what a label alone is worth.
    """
    study = None if file is None else load(file, model=default_model())
    given: dict[str, Any] = {"prompts": prompts, "study": study, "prices": parse_prices(priced)}

    async def judge() -> Estimate | Rejudged:
        tables = load_described_models(file)
        async with open_lab(store, readonly=dry_run, tables=tables, wait=wait) as lab:
            if dry_run:
                return await estimate_rejudging(lab, run, **given)
            return await judge_again(lab, run, budget=Budget().lower(cost=max_cost), **given)

    done = run_async(judge())
    if isinstance(done, Estimate):
        show_estimate(done, as_json=as_json)
        return
    end_command(done, partial(_print, done), FAILED if done.failed else DONE, as_json=as_json)


def _print(done: Rejudged) -> None:

    told = (
        f"{make_visible(done.of)}: {format_things(done.debates, 'debate')} judged again, labels "
        "swapped"
    )
    say(f"{told}: {format_things(done.calls, 'call')} paid for, {format_dollars(done.cost)}")
    say(f"  {format_things(done.turned, 'verdict')} for another side than before")
    if done.forced:
        say(
            f"  {format_things(done.forced, 'debate')} left open by the judge: asked for a last "
            "word"
        )
    if done.failed:
        say(f"  {format_things(done.failed, 'debate')} failed")
    if done.left_out:
        say(f"  {format_things(done.left_out, 'debate')} left out: failed, or of secret questions")
    say(f"what a label is worth: moot analyse judge-bias {done.run}")
