"""``moot protocols | datasets | models | metrics``: everything registered."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins
from rich.markup import escape
from rich.table import Table

from moot.cli.completion import complete_protocol
from moot.cli.console import catch_errors, console, json_option, print_json, run_async, say
from moot.cli.setting_options import load_described_models, parse_settings
from moot.core.errors import InputError
from moot.core.registry import Registry
from moot.datasets.dataset import registry as dataset_registry
from moot.debate.protocol import registry as protocol_registry
from moot.metrics.metric import registry as metric_registry
from moot.models.about import about_model, describe_facts
from moot.models.model_names import describe, model_registry
from moot.models.providers import PROVIDERS
from moot.models.tables import load_model_with
from moot.reports.portrait import as_data, as_text, describe_protocol
from moot.studies.dry_run import rehearse_debate, shrink_settings

ListingRow = dict[str, Any]

DATASET_KEYS = ("name", "summary", "kinds", "rows", "licence", "paper", "parameters")
METRIC_KEYS = ("name", "summary", "unit", "range", "better", "source")


def print_registered(rows: Iterable[ListingRow], registry: Registry[Any], *, as_json: bool) -> None:
    """Print the name and summary of each thing, a row each, or everything about it as JSON.

    Args:
        rows: the things; each has a ``name`` and a ``summary``, and may have ``needs``.
        registry: where they are registered; its broken plug-ins are named on standard error.
        as_json: whether to print JSON.
    """
    rows = list(rows)
    for name, why in registry.broken.items():
        say(f"moot: {registry.what} {name!r} cannot be loaded: {why}", err=True)
    if as_json:
        print_json(rows)
        return
    table = new_table()
    for row in rows:
        needs = f" (pip install '{row['needs']}')" if row.get("needs") else ""
        table.add_row(f"[bold]{escape(row['name'])}[/bold]", escape(row["summary"] + needs))
    console().print(table)


def new_table() -> Table:
    """Return an empty table without lines and header."""
    return Table(box=None, show_header=False, pad_edge=False)


@click.command()
@click.argument("name", required=False, shell_complete=complete_protocol)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Drawn with it.")
@json_option
@catch_errors
def protocols(name: str | None, settings: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001
    """List the protocols, or show NAME in full.

    In full there is a drawing of who reads whom in a debate, at default settings or with those
    given. No model is asked for it.
    """
    if name is None:
        if settings:
            raise InputError(f"--set {settings[0]}: name the protocol that is to be drawn with it")
        rows = (to_builtins(describe_protocol(each)) for each in protocol_registry)
        print_registered(rows, protocol_registry, as_json=as_json)
        return
    protocol = protocol_registry.get(name)
    given = shrink_settings(protocol, parse_settings(settings))
    rehearsed = run_async(rehearse_debate(protocol, protocol.check(given)))
    if as_json:
        print_json(as_data(describe_protocol(protocol), rehearsed, given))
    else:
        say(as_text(describe_protocol(protocol), rehearsed, given))


@click.command()
@json_option
@catch_errors
def datasets(as_json: bool) -> None:  # noqa: FBT001
    """List the datasets."""
    rows = ({key: getattr(each, key) for key in DATASET_KEYS} for each in dataset_registry)
    print_registered(rows, dataset_registry, as_json=as_json)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="A study's or a server's file whose [models.NAME] tables count.",
)
@json_option
@catch_errors
def models(name: str | None, file: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """List the providers of models, or show where NAME goes.

    Of NAME it shows the address, what decided it, which variable holds the key and whether that
    is set, limits, price, and how effort is sent. Nothing is sent anywhere, and no key is shown.
    """
    if name is not None or file is not None:
        _show_models(name, file, as_json=as_json)
        return
    rows = (
        {"name": name, "summary": summary + _describe_override(name)}
        for name, summary in describe()
    )
    print_registered(rows, model_registry, as_json=as_json)


def _describe_override(name: str) -> str:
    """Return the address of a provider if an environment variable sets it, else an empty text."""
    if name not in PROVIDERS:
        return ""
    try:
        base, variable = PROVIDERS[name].address()
    except InputError as error:
        return f" ({error})"
    return "" if variable is None else f" Now at {base}, by {variable}."


def _show_models(name: str | None, file: Path | None, *, as_json: bool) -> None:
    """Print where one model goes, or all models that a file describes."""
    tables = load_described_models(file)
    if name is None and not tables:
        raise InputError(f"{file}: it has no [models.NAME] tables")
    found = [about_model(load_model_with(tables, each)) for each in ([name] if name else tables)]
    if as_json:
        print_json(found[0] if name else found)
        return
    for known in found:
        table = new_table()
        for title, text in describe_facts(known):
            table.add_row(f"[bold]{title}[/bold]", escape(text))
        console().print(table)


@click.command()
@json_option
@catch_errors
def metrics(as_json: bool) -> None:  # noqa: FBT001
    """List the metrics."""
    rows = (
        {key: each.help if key == "summary" else getattr(each, key) for key in METRIC_KEYS}
        for each in metric_registry
    )
    print_registered(rows, metric_registry, as_json=as_json)
