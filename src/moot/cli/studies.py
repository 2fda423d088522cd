"""``moot studies``: those that come with moot."""

import click
from rich.markup import escape

from moot.cli.console import console, json_option, print_json, print_text
from moot.cli.listings import new_table
from moot.studies.sources import get_shipped_study, list_shipped_studies


@click.command()
@click.argument("name", required=False)
@json_option
def studies(name: str | None, *, as_json: bool) -> None:
    """List the studies that come with moot, or print NAME to copy from.

    They are run by name, and a study file takes one over with extends = "NAME".
    """
    found = list_shipped_studies() if name is None else [get_shipped_study(name)]
    if as_json:
        print_json(found if name is None else found[0])
        return
    if name is not None:
        print_text(found[0].toml)
        return
    table = new_table()
    for each in found:
        table.add_row(f"[bold]{escape(each.name)}[/bold]", escape(each.summary))
    console().print(table)
