"""``moot measure``: what metrics say now of debates that are recorded already."""

import click

from moot.cli.console import complete_run, json_option, print_json, run_async, say, store_option
from moot.core.display_text import format_things
from moot.studies.lab import open_lab
from moot.studies.measuring import Remeasured, measure_again


@click.command()
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, shell_complete=complete_run)
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    help="How many measure; as many as there are cores, if not given.",
)
@store_option
@json_option
def measure(
    runs: tuple[str, ...],
    *,
    dry_run: bool,
    processes: int | None,
    store: str | None,
    as_json: bool,
) -> None:
    """Measure the recorded debates of every RUN again.

    For metrics that were added or changed since, by moot or by a plug-in. Nothing
    is called: a debate is measured by its transcript. Values that nothing here
    measures stay, and so do those that need the texts of secret questions, which
    are not kept.
    """
    measured = []

    async def work() -> None:
        async with open_lab(store, readonly=dry_run) as lab:
            # By its id, once, by which name it was given: all are checked before any is written.
            for run in dict.fromkeys(lab.store.find_run(run).key for run in runs):
                measured.append(await measure_again(lab, run, dry=dry_run, processes=processes))
                if not as_json:
                    _print(measured[-1], dry=dry_run)

    run_async(work())
    if as_json:
        print_json(measured)


def _print(found: Remeasured, *, dry: bool) -> None:
    debates = format_things(found.debates, "debate")
    done = f"{found.changed:,} would change" if dry else f"{found.written:,} changed"
    say(f"{found.run}: {debates} measured, {done}")
    for name, change in found.values.items():
        came = {"added": change.added, "changed": change.changed, "now unknown": change.lost}
        told = ", ".join(f"{what} in {number:,}" for what, number in came.items() if number)
        say(f"  {name}: {told}")
    for name, number in found.kept.items():
        say(f"  {name}: stays in {number:,}; no metric of this name is here")
    if found.withheld:
        values = format_things(found.withheld, "value")
        say(f"  {values} of secret questions: as known before, since no texts are kept")
    if found.newer:
        debates = format_things(found.newer, "debate")
        say(f"  {debates} as they were: a newer moot has measured them")
