"""``moot studies``: those that come with moot."""

import click

from moot.cli.console import console, guarded, json_option, print_json, print_text


@click.command()
@click.argument("name", required=False)
@json_option
@guarded
def studies(name: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the studies that come with moot, or print NAME to copy from.

    They are run by name, and a study file takes one over with extends = "NAME".
    """
    from moot.studies.sources import shipped, shipped_named

    found = shipped() if name is None else [shipped_named(name)]
    if as_json:
        print_json(found if name is None else found[0])
        return
    if name is not None:
        print_text(found[0].toml)
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for each in found:
        table.add_row(f"[bold]{escape(each.name)}[/bold]", escape(each.summary))
    console().print(table)
