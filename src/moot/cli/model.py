"""``moot model``: the weights of embedded models."""

from pathlib import Path

import click

from moot.cli.console import json_option, print_json, run_async, say
from moot.cli.waiting import show_download
from moot.models import weights


@click.group()
def model() -> None:
    """Fetch, add and list the weights of embedded models."""


@model.command()
@click.argument("source")
@click.option("--name", help="What to call it; its file's name if not given.")
def fetch(source: str, name: str | None) -> None:
    """Obtain weights from SOURCE.

    SOURCE is smollm2, or hf:OWNER/REPO/FILE.gguf[@REVISION] on the Hugging Face hub.
    """
    with show_download() as progress:
        kept = run_async(weights.fetch(source, progress, name=name))
    say(f"local/{kept.name}: {kept.path}")


@model.command()
@click.argument("name")
@click.argument("path", type=click.Path(path_type=Path))
def add(name: str, path: Path) -> None:
    """Take PATH, a GGUF file, as local/NAME."""
    kept = weights.add(name, path)
    say(f"local/{kept.name}: {kept.path}")


@model.command("list")
@json_option
def list_(*, as_json: bool) -> None:
    """List the weights moot knows of."""
    rows = weights.entries()
    if as_json:
        print_json(rows)
        return
    for row in rows:
        say(f"local/{row.name:<24} {row.origin}")
