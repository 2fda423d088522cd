"""``moot rejudge``: recorded debates before their judges again, the labels of the sides swapped."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.console import (
    DONE,
    FAILED,
    drive,
    exiting,
    guarded,
    json_option,
    print_json,
    say,
    store_option,
    wait_option,
)
from moot.cli.estimates import show_estimate
from moot.cli.settings import described_models, price_option, prices

if TYPE_CHECKING:
    from moot.studies.estimate import Estimate
    from moot.studies.rejudge import Rejudged
    from moot.studies.study import Study


@click.command()
@click.argument("run")
@click.option("--max-cost", type=float, help="The most it may cost, in US dollars.")
@click.option("--prompts", type=click.Path(path_type=Path), help="The run's own prompts, if any.")
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="The study's file, if it has [models.NAME] or few-shot styles.",
)
@price_option
@click.option("--dry-run", is_flag=True, help="Show what it will take; call nothing.")
@wait_option
@store_option
@json_option
@guarded
def rejudge(
    run: str,
    max_cost: float | None,
    prompts: Path | None,
    file: Path | None,
    priced: tuple[str, ...],
    dry_run: bool,  # noqa: FBT001 -- click gives flags by position or name
    wait: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001 -- click gives flags by position or name
) -> None:
    """Put the debates of RUN to their judges again, with the sides' labels swapped.

    Of debates with two sides before a judge or moderator. What the debaters said
    comes from the ledger: only the judges' calls are made. The new run has the
    recorded debates, too: "moot judge-bias" tells what a label alone is worth.
    """
    if dry_run:
        estimate = drive(_foreseen(run, prompts, file, priced, store))
        show_estimate(estimate, as_json=as_json)
        return
    done = drive(_rejudge(run, max_cost, prompts, file, priced, store, wait=wait))
    with exiting(FAILED if done.failed else DONE):
        if as_json:
            print_json(done)
        else:
            _print(done)


async def _foreseen(
    run: str, prompts: Path | None, file: Path | None, priced: tuple[str, ...], store: str | None
) -> "Estimate":
    from moot.studies.lab import open_lab
    from moot.studies.rejudge_estimate import foresee

    study, stated = _study(file), prices(priced)
    async with open_lab(store, readonly=True, tables=described_models(file)) as lab:
        return await foresee(lab, run, prompts=prompts, study=study, prices=stated)


def _study(file: Path | None) -> "Study | None":
    from moot.studies.lab import default_model
    from moot.studies.study import load

    return None if file is None else load(file, model=default_model())


async def _rejudge(
    run: str,
    max_cost: float | None,
    prompts: Path | None,
    file: Path | None,
    priced: tuple[str, ...],
    store: str | None,
    *,
    wait: bool,
) -> "Rejudged":
    from moot.runtime.budget import Budget
    from moot.studies.lab import open_lab
    from moot.studies.rejudge import rejudge as judge_again

    tables, study = described_models(file), _study(file)
    async with open_lab(store, tables=tables, wait=wait) as lab:
        return await judge_again(
            lab,
            run,
            prompts=prompts,
            study=study,
            budget=Budget(cost=max_cost),
            prices=prices(priced),
        )


def _print(done: "Rejudged") -> None:
    from moot.core.plain import dollars, many, plain

    told = f"{plain(done.of)}: {many(done.debates, 'debate')} judged again, labels swapped"
    say(f"{told}: {many(done.calls, 'call')} paid for, {dollars(done.cost)}")
    say(f"  {many(done.turned, 'verdict')} for another side than before")
    if done.forced:
        say(f"  {many(done.forced, 'debate')} left open by the judge: asked for a last word")
    if done.failed:
        say(f"  {many(done.failed, 'debate')} failed")
    if done.left_out:
        say(f"  {many(done.left_out, 'debate')} left out: failed, or of secret questions")
    say(f"what a label is worth: moot judge-bias {done.run}")
