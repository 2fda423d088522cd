"""``moot models``: the providers of models, and where a model goes."""

from pathlib import Path

import click
from rich.markup import escape

from moot.cli.console import console, json_option, print_json
from moot.cli.described_models import load_described_models
from moot.cli.listings import new_table, print_rows
from moot.core.errors import InputError
from moot.models.about import about_model, describe_facts
from moot.models.model_names import describe, model_registry
from moot.models.providers import PROVIDERS
from moot.models.tables import load_model_with


@click.command()
@click.argument("name", required=False)
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    help="A study's or a server's file whose [models.NAME] tables count.",
)
@json_option
def models(name: str | None, file: Path | None, *, as_json: bool) -> None:
    """List the providers of models, or show where NAME goes.

    Of NAME it shows the address, what decided it, which variable holds the key and whether that
    is set, limits, price, and how effort is sent. Nothing is sent anywhere, and no key is shown.
    """
    if name is not None or file is not None:
        _show_models(name, file, as_json=as_json)
        return
    rows = [
        {"name": name, "summary": summary + _describe_override(name)}
        for name, summary in describe()
    ]
    print_rows(rows, model_registry.what, model_registry.broken, as_json=as_json)


def _describe_override(name: str) -> str:
    """Return the address of a provider if a variable sets it, else the variable of a local one."""
    if name not in PROVIDERS:
        return ""
    try:
        base, variable = PROVIDERS[name].address()
    except InputError as error:
        return f" ({error})"
    if variable is not None:
        return f" Now at {base}, by {variable}."
    here = any(place in base for place in ("localhost", "127.0.0.1"))
    return f" Another address: {PROVIDERS[name].variables[0]}=…" if here else ""


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
