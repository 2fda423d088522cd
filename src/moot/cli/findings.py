"""What commands share that find something in one run and show it in one of several forms."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from moot.cli.console import console, drive, print_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from moot.core.stored import RunRow, StudyRow
    from moot.ledger.store import Store

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def format_option(more: str = "", *, latex: bool = True) -> Callable[[F], F]:
    """Text for the terminal, Markdown or LaTeX; ``more`` is what else its help says."""
    forms = click.Choice(("text", "markdown", "latex") if latex else ("text", "markdown"))
    told = f"text is the default{more}."
    return click.option("--format", "form", type=forms, default="text", help=told)


def find_in(run: str, store: str | None, find: "Callable[[Store, RunRow, StudyRow], T]") -> T:
    """Look at a run, by its name, in a store that is only read; nothing is asked."""
    return drive(_found(run, store, find))


async def _found(run: str, store: str | None, find: "Callable[[Store, RunRow, StudyRow], T]") -> T:
    from moot.studies.lab import open_lab
    from moot.studies.run import about

    async with open_lab(store, readonly=True) as lab:
        row = lab.store.run_named(run)
        return find(lab.store, row, about(row))


def print_found(
    found: T,
    form: str,
    view: "Callable[[T], RenderableType]",
    **written: Callable[[T], str],
) -> None:
    """Print it in one of the forms it is written in; in any other, as the terminal shows it."""
    from moot.core.plain import plain

    if form in written:
        print_text(plain(written[form](found)))
    else:
        console().print(view(found))
