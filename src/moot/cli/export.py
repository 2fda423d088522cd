"""``moot export``: runs in the formats of other programs."""

from pathlib import Path

import click

from moot.cli.console import complete_run, run_async, say, store_option
from moot.core.display_text import format_things
from moot.reports.export.export_tables import What
from moot.reports.export.run_export import export_runs, list_formats
from moot.studies.lab import open_lab


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_run)
@click.option(
    "--format",
    "form",
    type=click.Choice(list_formats()),
    required=True,
    help="Tables, whole transcripts a line, or logs for Inspect.",
)
@click.option(
    "--what",
    type=click.Choice(["debates", "turns"]),
    help="A row of a table for each; debates if not given.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The file to write; for inspect, the folder. It must not exist.",
)
@store_option
def export(
    runs: tuple[str, ...], form: str, what: What | None, out: Path, store: str | None
) -> None:
    """Write the debates of each RUN for other programs and print where they are."""

    async def write() -> int:
        async with open_lab(store, readonly=True) as lab:
            return await export_runs(lab, runs, form=form, what=what, out=out)

    done = run_async(write())
    say(f"{format_things(done, 'debate')} written", err=True)
    say(str(out))
