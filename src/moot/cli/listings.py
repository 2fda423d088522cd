"""``moot protocols | datasets | models | metrics``: everything registered."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from moot.cli.console import console, guarded, json_option, print_json

if TYPE_CHECKING:
    from moot.core.registry import Registry

Row = dict[str, Any]


def _list(rows: Iterable[Row], registry: "Registry[Any]", *, as_json: bool) -> None:
    """One row a thing: its name and summary, or all that is known of it as JSON."""
    rows = list(rows)
    for name, why in registry.broken.items():
        click.echo(f"moot: {registry.what} {name!r} cannot be loaded: {why}", err=True)
    if as_json:
        print_json(rows)
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, show_header=False, pad_edge=False)
    for row in rows:
        table.add_row(f"[bold]{escape(row['name'])}[/bold]", escape(row["summary"]))
    console().print(table)


@click.command()
@click.argument("name", required=False)
@json_option
@guarded
def protocols(name: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the protocols, or show NAME in full."""
    from moot.debate.protocol import registry

    if name is None:
        _list((_protocol(each) for each in registry), registry, as_json=as_json)
        return
    row = _protocol(registry.get(name))
    if as_json:
        print_json(row)
        return
    click.echo(f"{row['name']}: {row['summary']}\nsource: {row['paper']}\ncalls: {row['calls']}")
    for setting in row["settings"]:
        default = f"{setting.name} = {setting.default!r}"
        click.echo(f"  {default:<28} {setting.type:<24} {setting.help}")


def _protocol(protocol: Any) -> Row:  # noqa: ANN401 -- imported at use
    same = protocol.fewest == protocol.calls
    return {
        "name": protocol.name,
        "summary": protocol.summary,
        "paper": protocol.paper,
        "calls": protocol.calls if same else f"{protocol.fewest} to {protocol.calls}",
        "settings": protocol.described,
    }


@click.command()
@json_option
@guarded
def datasets(as_json: bool) -> None:  # noqa: FBT001
    """List the datasets."""
    from moot.datasets.dataset import registry

    _list(
        (
            {
                "name": each.name,
                "summary": each.summary,
                "kinds": each.kinds,
                "rows": each.rows,
                "licence": each.licence,
                "paper": each.paper,
                "parameters": each.parameters,
            }
            for each in registry
        ),
        registry,
        as_json=as_json,
    )


@click.command()
@json_option
@guarded
def models(as_json: bool) -> None:  # noqa: FBT001
    """List the providers of models, and how each is named."""
    from moot.models.names import describe, registry

    rows = ({"name": name, "summary": summary} for name, summary in describe())
    _list(rows, registry, as_json=as_json)


@click.command()
@json_option
@guarded
def metrics(as_json: bool) -> None:  # noqa: FBT001
    """List the metrics."""
    from moot.metrics.metric import registry

    _list(
        (
            {
                "name": each.name,
                "summary": each.help,
                "unit": each.unit,
                "range": each.range,
                "better": each.better,
                "source": each.source,
            }
            for each in registry
        ),
        registry,
        as_json=as_json,
    )
