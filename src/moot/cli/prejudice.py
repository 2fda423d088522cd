"""``moot prejudice``: what the first agent's opening makes of debates."""

from typing import TYPE_CHECKING

import click

from moot.cli.console import console, drive, guarded, json_option, print_json, store_option

if TYPE_CHECKING:
    from moot.studies.prejudice import Prejudice


@click.command()
@click.argument("run")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "latex")),
    default="text",
    help="text is the default; the others have the paper's tables too.",
)
@store_option
@json_option
@guarded
def prejudice(
    run: str,
    form: str,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how far the opening decides what debates in RUN come to.

    Arms that differ in opening alone are compared: accuracy by opening, how much it
    varies, and how often the verdict is the value that was put forward, against the
    open debates. Nothing is asked.
    """
    found = drive(_prejudice(run, store))
    if as_json:
        print_json(found)
        return
    from moot.reports.prejudice import prejudice_latex, prejudice_markdown, prejudice_view

    if form == "text":
        console().print(prejudice_view(found))
    else:
        written = prejudice_markdown if form == "markdown" else prejudice_latex
        click.echo(written(found), nl=False)


async def _prejudice(run: str, store: str | None) -> "Prejudice":
    from moot.studies.lab import open_lab
    from moot.studies.opened import outcomes
    from moot.studies.prejudice import prejudice as found
    from moot.studies.run import about

    async with open_lab(store, readonly=True) as lab:
        row = lab.store.run_named(run)
        study = about(row)
        return found(
            outcomes(lab.store.debates(row.id)),
            arms=study.arms,
            run=row.key,
            name=row.name,
            simulated=study.simulated,
        )
