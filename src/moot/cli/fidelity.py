"""``moot fidelity``: what more agents, rounds, calls, tokens and money are worth."""

import click

from moot.cli.console import guarded, json_option, print_json, store_option
from moot.cli.findings import find_in, format_option, print_found


@click.command()
@click.argument("run")
@click.option(
    "--margin",
    type=float,
    default=2.0,
    show_default=True,
    help="Percentage points of accuracy that count for nothing.",
)
@format_option()
@store_option
@json_option
@guarded
def fidelity(
    run: str,
    margin: float,
    form: str,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how accuracy in RUN goes with agents, rounds, calls, tokens and money.

    Arms of one protocol that differ in their number of agents, samples or rounds
    alone make a curve: whether it rises, and from where on it no longer does. Also
    what temperatures do, and how many debates ended early. Nothing is asked.
    """
    from moot.analyses.fidelity import fidelity as measured

    found = find_in(
        run,
        store,
        lambda kept, row, study: measured(
            kept.values(row.id), study, run=row.key, margin=margin / 100
        ),
    )
    if as_json:
        print_json(found)
        return
    from moot.reports.fidelity import fidelity_latex, fidelity_markdown, fidelity_view

    print_found(found, form, fidelity_view, markdown=fidelity_markdown, latex=fidelity_latex)
