"""``moot datasets``: all of them."""

import click

from moot.cli.console import json_option
from moot.cli.listings import print_rows
from moot.datasets.dataset import registry

SHOWN = ("name", "summary", "kinds", "rows", "licence", "paper", "parameters")


@click.command()
@json_option
def datasets(*, as_json: bool) -> None:
    """List the datasets."""
    rows = [{key: getattr(each, key) for key in SHOWN} for each in registry]
    print_rows(rows, registry.what, registry.broken, as_json=as_json)
