"""``moot prejudice``: what the first agent's opening makes of debates."""

import click

from moot.cli.console import guarded, json_option, print_json, store_option
from moot.cli.findings import find_in, format_option, print_found


@click.command()
@click.argument("run")
@format_option("; the others have the paper's tables too")
@store_option
@json_option
@guarded
def prejudice(
    run: str,
    form: str,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Tell how far the opening decides what debates in RUN come to.

    Arms that differ in opening alone are compared: accuracy by opening, how much it
    varies, and how often the verdict is the value that was put forward, against the
    open debates. Nothing is asked.
    """
    from moot.analyses.anchoring import outcomes
    from moot.analyses.prejudice import prejudice as compared

    found = find_in(
        run,
        store,
        lambda kept, row, study: compared(
            outcomes(kept.debates(row.id)),
            arms=study.arms,
            run=row.key,
            name=row.name,
            simulated=study.simulated,
        ),
    )
    if as_json:
        print_json(found)
        return
    from moot.reports.prejudice import prejudice_latex, prejudice_markdown, prejudice_view

    print_found(found, form, prejudice_view, markdown=prejudice_markdown, latex=prejudice_latex)
