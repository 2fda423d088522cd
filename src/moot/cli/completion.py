"""What a shell completes: names of protocols, settings, datasets, studies and runs."""

from collections.abc import Callable
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

from moot.core.errors import MootError

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
"""As click's ``shell_complete``."""


def _complete_with(lister: str) -> Complete:
    """Return a completion from the names that a function of ``completed_names`` returns."""

    def complete(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
        from moot.cli import completed_names  # for a shell alone: a command asks for no names

        with suppress(MootError):
            return [
                CompletionItem(name, help=about)
                for name, about in getattr(completed_names, lister)()
                if name.startswith(begun)
            ]
        return []

    return complete


complete_protocol = _complete_with("list_protocols")
complete_setting = _complete_with("list_settings")
complete_dataset = _complete_with("list_datasets")
complete_study = _complete_with("list_studies")
complete_run = _complete_with("list_runs")
