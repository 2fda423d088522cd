"""``moot fidelity``: what more agents, rounds, calls, tokens and money are worth."""

from typing import TYPE_CHECKING

import click

from moot.cli.console import console, drive, guarded, json_option, print_json, store_option

if TYPE_CHECKING:
    from moot.studies.fidelity import Fidelity


@click.command()
@click.argument("run")
@click.option(
    "--margin",
    type=float,
    default=2.0,
    show_default=True,
    help="Percentage points of accuracy that count for nothing.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "latex")),
    default="text",
    help="text is the default.",
)
@store_option
@json_option
@guarded
def fidelity(
    run: str,
    margin: float,
    form: str,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how accuracy in RUN goes with agents, rounds, calls, tokens and money.

    Arms of one protocol that differ in their number of agents, samples or rounds
    alone make a curve: whether it rises, and from where on it no longer does. Also
    what temperatures do, and how many debates ended early. Nothing is asked.
    """
    found = drive(_fidelity(run, margin / 100, store))
    if as_json:
        print_json(found)
        return
    from moot.reports.fidelity import fidelity_latex, fidelity_markdown, fidelity_view

    if form == "text":
        console().print(fidelity_view(found))
    else:
        written = fidelity_markdown if form == "markdown" else fidelity_latex
        click.echo(written(found), nl=False)


async def _fidelity(run: str, margin: float, store: str | None) -> "Fidelity":
    from moot.studies.fidelity import fidelity as measured
    from moot.studies.lab import open_lab
    from moot.studies.run import about

    async with open_lab(store, readonly=True) as lab:
        row = lab.store.run_named(run)
        return measured(lab.store.values(row.id), about(row), run=row.key, margin=margin)
