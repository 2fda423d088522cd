"""What commands share that find something in one run and print it in one of several forms."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from moot.cli.console import console, print_text, run_async
from moot.core.display_text import make_visible
from moot.core.stored import RunRow, StudyRow
from moot.core.table import Report
from moot.ledger.sqlite_store import Store
from moot.reports.latex import write_latex
from moot.reports.markdown import write_markdown
from moot.reports.terminal import show_report
from moot.studies.lab import open_lab
from moot.studies.study_run import read_study

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

WRITERS = {"markdown": write_markdown, "latex": write_latex}
"""What is written as a text, by the name of its form."""


def format_option(note: str = "") -> Callable[[F], F]:
    """Make the option for the form of tables; ``note`` is what else its help says."""
    forms = click.Choice(("text", *WRITERS))
    help_text = f"text is the default{note}."
    return click.option("--format", "form", type=forms, default="text", help=help_text)


def find_in(run: str, store: str | None, find: Callable[[Store, RunRow, StudyRow], T]) -> T:
    """Look at a run, by its name, in a store that is only read; nothing is asked."""

    async def read() -> T:
        async with open_lab(store, readonly=True) as lab:
            row = lab.store.find_run(run)
            return find(lab.store, row, read_study(row))

    return run_async(read())


def print_report(report: Report, form: str) -> None:
    """Print tables as the terminal shows them, or as a text of this form."""
    if form in WRITERS:
        print_text(make_visible(WRITERS[form](report)))
    else:
        console().print(show_report(report))
