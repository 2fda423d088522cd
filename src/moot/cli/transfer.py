"""``moot transfer``: how well settings chosen on some questions serve others."""

from collections.abc import Iterable

import click

from moot.cli.console import guarded, json_option, print_json, store_option
from moot.cli.findings import find_in, format_option, print_found
from moot.core.errors import InputError


@click.command()
@click.argument("run")
@click.option(
    "--folds", type=int, default=5, show_default=True, help="Parts the questions are dealt into."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the dealing.")
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="NAME=DATASET[,…]",
    help="Datasets that belong together; without any, medical and other.",
)
@format_option("; markdown has also each dataset and choice", latex=False)
@store_option
@json_option
@guarded
def transfer(
    run: str,
    folds: int,
    seed: int,
    domains: tuple[str, ...],
    form: str,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Choose each protocol's best arm on some questions of RUN, and score it on others.

    Others are the rest of the dataset, fold by fold; the domain's other datasets; or
    those of other domains. --domain can be repeated. Nothing is asked.
    """
    from moot.analyses.transfer import transfer as transferred

    named = _named(domains)
    found = find_in(
        run,
        store,
        lambda kept, row, study: transferred(
            kept.values(row.id),
            arms=study.arms,
            run=row.key,
            name=row.name,
            simulated=bool(study.simulated),
            domains=named,
            folds=folds,
            seed=seed,
        ),
    )
    if as_json:
        print_json(found)
        return
    from moot.reports.transfer import transfer_markdown, transfer_view

    print_found(found, form, transfer_view, markdown=transfer_markdown)


def _named(domains: Iterable[str]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for each in domains:
        name, _, members = each.partition("=")
        found = [member.strip() for member in members.split(",") if member.strip()]
        if not name.strip() or not found:
            raise InputError(f"--domain {each}: write NAME=DATASET,DATASET")
        named.setdefault(name.strip(), []).extend(found)
    return named
