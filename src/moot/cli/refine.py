"""``moot refine``: the hard questions of datasets, as files that any study can use."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moot.cli.console import (
    DONE,
    FAILED,
    console,
    drive,
    exiting,
    guarded,
    json_option,
    print_json,
    store_option,
    wait_option,
)
from moot.cli.estimates import too_dear
from moot.cli.replaced import tell_kept
from moot.core.errors import InputError

if TYPE_CHECKING:
    from moot.studies.estimate import Estimate
    from moot.studies.refined import Refined
    from moot.studies.study import Study


@click.command()
@click.argument("study")
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
@click.option("--limit", type=int, help="The most questions of each dataset that are looked at.")
@click.option("--model", help="The model of arms that name none.")
@click.option("--max-cost", type=float, help="The most each of the two runs may cost, in dollars.")
@click.option("--yes", is_flag=True, help="Start whatever the estimate.")
@wait_option
@store_option
@json_option
@guarded
def refine(
    study: str,
    keep: int,
    combinations: int,
    seed: int,
    out: Path,
    limit: int | None,
    model: str | None,
    max_cost: float | None,
    yes: bool,  # noqa: FBT001
    wait: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Keep the questions of STUDY's datasets that models find hardest.

    Each arm of protocol single is a model: what all have right is dropped. Of the
    other arms some combinations of protocol and opening are drawn and debate the
    rest. Stopped, it goes on where it was: what was paid for is kept.
    """
    from moot.studies.lab import default_model
    from moot.studies.study import load

    read = load(study, model=model or default_model())
    tell_kept(read.arms, model)
    found = drive(
        _refine(
            read,
            out,
            keep=keep,
            combinations=combinations,
            seed=seed,
            limit=limit,
            max_cost=max_cost,
            store=store,
            wait=wait,
            asked=yes,
            quiet=as_json,
        )
    )
    with exiting(FAILED if found.failed else DONE):
        if as_json:
            print_json(found)
        else:
            _print(found, out)


async def _refine(
    study: "Study",
    out: Path,
    *,
    asked: bool,
    quiet: bool,
    **options: Any,  # noqa: ANN401 -- as they are given on
) -> "Refined":
    from moot.cli.progress import displayed
    from moot.studies import refine as refining

    def accepted(estimate: "Estimate") -> bool:
        if not asked and (why := too_dear(study, estimate)):
            raise InputError(why)
        return True

    async with displayed(quiet=quiet, timed=False) as display:
        return await refining.refine(study, out, confirm=accepted, watch=display.watch, **options)


def _print(found: "Refined", out: Path) -> None:
    from moot.core.plain import count, many, plain

    shown = console()
    if found.simulated:
        shown.print("SIMULATED: some or all of these models are no language models.", style="bold")
    drawn = "; ".join(f"{each.protocol}, {each.opening}" for each in found.combinations)
    shown.print(plain(f"{many(len(found.models), 'model')}; combinations: {drawn}"), markup=False)
    for each in found.datasets:
        words = (
            f"{each.dataset}: {many(each.asked, 'question')}, {count(each.dropped)} that all have "
            f"right, {count(len(each.questions))} kept: {out / each.stem}.jsonl"
        )
        shown.print(plain(words), markup=False, soft_wrap=True)
    if found.failed:
        words = (
            f"{many(found.failed, 'debate')} failed and counted as not right; run again to retry"
        )
        shown.print(words, style="red")
