"""What a shell completes: names of protocols, settings, datasets, studies and runs."""

from collections.abc import Callable, Iterable
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from moot.cli.console import run_async
from moot.core.errors import MootError
from moot.datasets.dataset import registry as datasets
from moot.debate.protocol import registry as protocols
from moot.studies.lab import open_lab
from moot.studies.sources import list_shipped_names

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
"""As click's ``shell_complete``."""


def _complete_with(list_names: Callable[[], Iterable[tuple[str, str]]]) -> Complete:
    """Return a completion from names, each with what it is in a line."""

    def complete(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
        with suppress(MootError):
            return [
                CompletionItem(name, help=about)
                for name, about in list_names()
                if name.startswith(begun)
            ]
        return []

    return complete


def _list_protocols() -> Iterable[tuple[str, str]]:
    return [(each.name, each.summary) for each in protocols]


def _list_settings() -> Iterable[tuple[str, str]]:
    found = {each.name: each.help for one in protocols for each in one.described_settings}
    return [(f"{name}=", about) for name, about in found.items()]


def _list_datasets() -> Iterable[tuple[str, str]]:
    return [(each.name, each.summary) for each in datasets]


def _list_studies() -> Iterable[tuple[str, str]]:
    return [(each, "a study that comes with moot") for each in list_shipped_names()]


def _list_runs() -> Iterable[tuple[str, str]]:
    async def read() -> list[tuple[str, str]]:
        async with open_lab(None, readonly=True) as lab:
            return [(row.key, row.described_status) for row in lab.store.runs()]

    return run_async(read())


complete_protocol = _complete_with(_list_protocols)
complete_setting = _complete_with(_list_settings)
complete_dataset = _complete_with(_list_datasets)
complete_study = _complete_with(_list_studies)
complete_run = _complete_with(_list_runs)
