"""``moot metrics``: all of them."""

import click

from moot.cli.console import json_option
from moot.cli.listings import print_rows
from moot.metrics.metric import registry

SHOWN = ("unit", "range", "better", "source")


@click.command()
@json_option
def metrics(*, as_json: bool) -> None:
    """List the metrics."""
    rows = [
        {"name": each.name, "summary": each.help} | {key: getattr(each, key) for key in SHOWN}
        for each in registry
    ]
    print_rows(rows, registry.what, registry.broken, as_json=as_json)
