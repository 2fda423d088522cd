"""``moot judge-bias``: whom the judges of a run favour."""

import click

from moot.cli.console import guarded, json_option, print_json, say, store_option
from moot.cli.findings import find_in, format_option, print_found


@click.command("judge-bias")
@click.argument("run")
@format_option(latex=False)
@click.option(
    "--figures",
    "folder",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="Also draw the figures, as SVG, into this folder.",
)
@store_option
@json_option
@guarded
def judge_bias(
    run: str,
    form: str,
    folder: str | None,
    store: str | None,
    as_json: bool,  # noqa: FBT001 -- click gives flags by position or name
) -> None:
    """Tell whom the judges of RUN favour: a label, a persona, or a place.

    Of debates with an affirmative and a negative side. Nothing is asked.
    """
    from moot.analyses.judge_bias import judge_bias as biases

    found = find_in(
        run,
        store,
        lambda kept, row, study: biases(
            kept.values(row.id),
            arms=study.arms,
            run=row.key,
            name=row.name,
            simulated=bool(study.simulated),
        ),
    )
    if folder is not None:
        from pathlib import Path

        from moot.reports.charts.files import write
        from moot.reports.charts.sides import draw

        for chart in draw(found):
            write(chart, Path(folder) / f"{chart.name}.svg")
            say(f"{Path(folder) / chart.name}.svg", err=True)
    if as_json:
        print_json(found)
        return
    from moot.reports.judge_bias import judge_bias_markdown, judge_bias_view

    print_found(found, form, judge_bias_view, markdown=judge_bias_markdown)
