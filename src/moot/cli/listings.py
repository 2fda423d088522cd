"""``moot protocols | datasets | models | metrics``: everything registered."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from moot.cli.console import console, drive, guarded, json_option, print_json, say
from moot.cli.settings import described_models, parsed
from moot.core.errors import InputError

if TYPE_CHECKING:
    from moot.core.registry import Registry

Row = dict[str, Any]


def _list(rows: Iterable[Row], registry: "Registry[Any]", *, as_json: bool) -> None:
    """One row a thing: its name and summary, or all that is known of it as JSON."""
    rows = list(rows)
    for name, why in registry.broken.items():
        say(f"moot: {registry.what} {name!r} cannot be loaded: {why}", err=True)
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
    from moot.studies.dry_run import rehearse, small

    protocol = registry.get(name)
    given = small(protocol, parsed(settings))
    rehearsed = drive(rehearse(protocol, protocol.check(given)))
    if as_json:
        print_json(as_data(portrait(protocol), rehearsed, given))
    else:
        say(as_text(portrait(protocol), rehearsed, given))


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
@click.argument("name", required=False)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="A study's or a server's file whose [models.NAME] tables count.",
)
@json_option
@guarded
def models(name: str | None, file: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """List the providers of models, or show where NAME goes.

    Of NAME it shows the address, what decided it, which variable holds the key and whether that
    is set, limits, price, and how effort is sent. Nothing is sent anywhere, and no key is shown.
    """
    from moot.models.names import describe, registry

    if name is not None or file is not None:
        _show_models(name, file, as_json=as_json)
        return
    rows = ({"name": name, "summary": summary + _moved(name)} for name, summary in describe())
    _list(rows, registry, as_json=as_json)


def _moved(name: str) -> str:
    """Where a provider is now, where an environment variable says so."""
    from moot.models.providers import PROVIDERS

    if name not in PROVIDERS:
        return ""
    try:
        base, variable = PROVIDERS[name].address()
    except InputError as error:
        return f" ({error})"
    return "" if variable is None else f" Now at {base}, by {variable}."


def _show_models(name: str | None, file: Path | None, *, as_json: bool) -> None:
    """Where one model goes, or all that a file describes."""
    from rich.markup import escape
    from rich.table import Table

    from moot.models.about import about_model, in_words
    from moot.models.tables import load_with

    tables = described_models(file)
    if name is None and not tables:
        raise InputError(f"{file}: it has no [models.NAME] tables")
    told = [about_model(load_with(tables, each)) for each in ([name] if name else tables)]
    if as_json:
        print_json(told[0] if name else told)
        return
    for known in told:
        table = Table(box=None, show_header=False, pad_edge=False)
        for title, text in in_words(known):
            table.add_row(f"[bold]{title}[/bold]", escape(text))
        console().print(table)


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
