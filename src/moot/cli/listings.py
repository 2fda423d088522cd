"""``moot protocols | datasets | models | metrics``: everything registered."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from moot.cli.console import console, drive, guarded, json_option, print_json
from moot.cli.settings import parsed
from moot.core.errors import InputError

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
        needs = f" (pip install '{row['needs']}')" if row.get("needs") else ""
        table.add_row(f"[bold]{escape(row['name'])}[/bold]", escape(row["summary"] + needs))
    console().print(table)


@click.command()
@click.argument("name", required=False)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Drawn with it.")
@json_option
@guarded
def protocols(name: str | None, settings: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001
    """List the protocols, or show NAME in full.

    In full there is a drawing of who reads whom in a debate, at default settings or with those
    given. No model is asked for it.
    """
    from msgspec import to_builtins

    from moot.debate.protocol import registry
    from moot.reports.portrait import as_data, as_text, portrait

    if name is None:
        if settings:
            raise InputError(f"--set {settings[0]}: name the protocol that is to be drawn with it")
        rows = (to_builtins(portrait(each)) for each in registry)
        _list(rows, registry, as_json=as_json)
        return
    from moot.studies.rehearsal import rehearse, small

    protocol = registry.get(name)
    given = small(protocol, parsed(settings))
    rehearsed = drive(rehearse(protocol, protocol.check(given)))
    if as_json:
        print_json(as_data(portrait(protocol), rehearsed, given))
    else:
        click.echo(as_text(portrait(protocol), rehearsed, given))


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
