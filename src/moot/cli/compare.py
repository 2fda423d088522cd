"""``moot compare``: two runs, or two arms of one, on the same questions."""

from collections.abc import Sequence

import click

from moot.cli.console import console, drive, guarded, json_option, print_json, store_option


@click.command()
@click.argument("run_a")
@click.argument("run_b", required=False)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    metavar="A=B",
    help="Compare arm A of the first with arm B of the second; may be repeated.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="The most questions named that only one has right.",
)
@store_option
@json_option
@guarded
def compare(
    run_a: str,
    run_b: str | None,
    arms: tuple[str, ...],
    limit: int,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Compare RUN_A with RUN_B on the questions both have debated.

    Arms of the same name are compared, or those that --arm names. Without RUN_B
    two arms of RUN_A, as in --arm single=society-of-minds.
    """
    drive(_compare(run_a, run_b, arms, limit, store, as_json=as_json))


async def _compare(
    run_a: str,
    run_b: str | None,
    arms: Sequence[str],
    limit: int,
    store: str | None,
    *,
    as_json: bool,
) -> None:
    from msgspec.structs import replace

    from moot.analyses.compare import compare as compared
    from moot.reports.compare import comparison
    from moot.studies.lab import open_lab

    async with open_lab(store, readonly=True) as lab:
        found = compared(lab, run_a, run_b, arms=arms)
    if as_json:
        print_json(
            [
                replace(
                    each,
                    only_first=each.only_first[:limit],
                    only_second=each.only_second[:limit],
                )
                for each in found
            ]
        )
    else:
        console().print(comparison(found, limit=limit))
