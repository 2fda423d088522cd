"""``moot data``: datasets and their files."""

from pathlib import Path

import click

from moot.cli.console import complete_dataset, json_option, print_json, run_async, say
from moot.cli.setting_options import parse_settings
from moot.cli.waiting import show_download
from moot.datasets import library


@click.group()
def data() -> None:
    """Fetch, add, list and look into datasets."""


@data.command()
@click.argument("name", shell_complete=complete_dataset)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter.")
def fetch(name: str, settings: tuple[str, ...]) -> None:
    """Download NAME's files and check them.

    Of the Hugging Face hub: NAME is hub, with --set repo=OWNER/NAME --set file=FILE and, unless it
    is main, --set revision=REVISION.
    """
    with show_download() as progress:
        kept = run_async(library.fetch(name, progress, **parse_settings(settings)))
    for each in kept:
        say(str(each.path))


@data.command()
@click.argument("name", shell_complete=complete_dataset)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Take it although it is another version.")
def add(name: str, path: Path, force: bool) -> None:  # noqa: FBT001
    """Take a local copy of NAME's files from PATH."""
    for each in library.add(name, path, force=force):
        note = "" if each.published else " (another version than the published one, by --force)"
        say(f"{each.path}{note}")


@data.command("list")
@json_option
def list_(as_json: bool) -> None:  # noqa: FBT001
    """List the datasets and whether their files are here."""
    rows = library.list_entries()
    if as_json:
        print_json(rows)
        return
    for row in rows:
        needs = f" (needs pip install '{row.needs}')" if row.needs else ""
        say(f"{row.name:<20} {row.state:<12} {row.summary}{needs}")


@data.command()
@click.argument("name", shell_complete=complete_dataset)
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter.")
@json_option
def peek(name: str, limit: int, settings: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001
    """Show the first questions of NAME."""
    for question in (
        each.redacted for each in library.peek(name, limit, **parse_settings(settings))
    ):
        if as_json:
            print_json(question, lines=True)
            continue
        say(f"{question.id}: {question.text}")
        for letter, choice in zip(question.letters, question.choices, strict=True):
            say(f"  ({letter}) {choice}")
        if question.documents:
            say(f"  {len(question.documents)} documents")
        say(f"  → {' or '.join(question.answers) or 'no known answer'}")
