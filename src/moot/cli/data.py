"""``moot data``: datasets and their files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from moot.cli.console import complete_dataset, json_option, print_json, run_async, say
from moot.cli.setting_options import parse_settings
from moot.cli.waiting import show_download
from moot.core.errors import InputError, MootError
from moot.datasets import library
from moot.datasets.dataset import registry
from moot.studies.study_file import StudySource


@click.group()
def data() -> None:
    """Fetch, add, list and look into datasets."""


_studies = click.option(
    "--study",
    "studies",
    multiple=True,
    metavar="STUDY",
    help="All datasets of a study, shipped or a file; may be repeated.",
)


@data.command()
@click.argument("name", required=False, default="", shell_complete=complete_dataset)
@_studies
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter.")
def fetch(name: str, studies: tuple[str, ...], settings: tuple[str, ...]) -> None:
    """Download NAME's files and check them, or those of all datasets of a study.

    Of the Hugging Face hub: NAME is hub, with --set repo=OWNER/NAME --set file=FILE and, unless it
    is main, --set revision=REVISION.
    """
    if bool(name) == bool(studies):
        raise InputError("name a dataset, or a study with --study; moot data list names datasets")
    if studies and settings:
        raise InputError("--set is for one dataset; a study has its own parameters")
    wanted = _list_datasets(studies) if studies else [(name, parse_settings(settings))]
    missing = []
    with show_download() as progress:
        for each, parameters in wanted:
            try:
                kept = run_async(library.fetch(each, progress, **parameters))
            except MootError as error:
                if not studies:
                    raise
                missing.append(str(error))
                continue
            for file in kept:
                say(str(file.path))
            if studies and not kept:
                say(f"{each}: needs no download")
    if missing:
        listed = "".join(f"\n  {each}" for each in missing)
        raise MootError(f"{len(missing)} of {len(wanted)} datasets are not here:{listed}")


def _list_datasets(studies: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the datasets of studies with their parameters, each once."""
    found: list[tuple[str, dict[str, Any]]] = []
    for study in studies:
        for each in StudySource.read(study, where="--study").list_datasets():
            # Other parameters choose among the same files.
            own = each.parameters if registry.get(each.name).obtain else {}
            if (each.name, own) not in found:
                found.append((each.name, own))
    return found


@data.command()
@click.argument("name", shell_complete=complete_dataset)
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Take it although it is another version.")
def add(name: str, path: Path, *, force: bool) -> None:
    """Take a local copy of NAME's files from PATH."""
    for each in library.add(name, path, force=force):
        note = "" if each.published else " (another version than the published one, by --force)"
        say(f"{each.path}{note}")


@data.command("list")
@_studies
@json_option
def list_(studies: tuple[str, ...], *, as_json: bool) -> None:
    """List the datasets, all or those of a study, and whether their files are here."""
    rows = library.list_entries()
    if studies:
        names = {name for name, _ in _list_datasets(studies)}
        rows = [row for row in rows if row.name in names]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        needs = f" (needs pip install '{row.needs}')" if row.needs else ""
        if studies and row.training in {"missing", "damaged"}:
            needs += f" (training part {row.training})"
        say(f"{row.name:<20} {row.state:<12} {row.summary}{needs}")


@data.command()
@click.argument("name", shell_complete=complete_dataset)
@click.option("--limit", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="A parameter.")
@json_option
def peek(name: str, limit: int, settings: tuple[str, ...], *, as_json: bool) -> None:
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
