"""``moot judge``: people compare the essays of a run, and what they came to."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moot.cli.console import (
    drive,
    guarded,
    json_option,
    print_json,
    print_text,
    say,
    store_option,
)
from moot.cli.findings import find_in, format_option, print_found
from moot.cli.serve import address_options, token_option
from moot.cli.streams import ReaderGone
from moot.core.errors import InputError

if TYPE_CHECKING:
    from moot.core.stored import RunRow
    from moot.essays.rate.human_ranking import Human
    from moot.ledger.store import Store


@click.command()
@click.argument("run")
@click.option("--arms", metavar="ARM,…", help="Whose essays; those of every arm if not given.")
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="The most propositions, drawn from all.",
)
@click.option(
    "--replicate",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Which of an arm's essays on a proposition.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Of that draw.",
)
@click.option("--raters", metavar="NAME,…", help="Who may rank; prints a link for each.")
@address_options(8643)
@token_option
@click.option("--results", is_flag=True, help="Tell what raters came to so far; serves nothing.")
@format_option(", of --results")
@click.option(
    "--export",
    "file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all that was entered to a new .csv or .json; serves nothing.",
)
@store_option
@json_option
@guarded
def judge(
    run: str,
    arms: str | None,
    sample: int,
    replicate: int,
    seed: int,
    raters: str | None,
    host: str,
    port: int,
    token_env: str | None,
    results: bool,  # noqa: FBT001
    form: str,
    file: Path | None,
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Have people rank the essays of RUN, or tell how they ranked them.

    Serves a page on which raters order the essays of several arms on one proposition by
    persuasiveness and by overall quality, without being told which is whose. Whatever is
    entered is in the store at once. Where other machines reach HOST, browsers ask for the
    token as a password. Ctrl-C ends it; the next time it goes on where it was.
    """
    wanted = _listed(arms, "--arms")
    if results or file is not None:
        _tell(run, wanted, form, file, store, as_json=as_json, results=results or as_json)
        return
    if as_json or form != "text":
        raise InputError("--json and --format are for what was found: add --results")
    try:
        from moot.essays.rate.rating import Plan
        from moot.essays.rate.rating_server import judge as judged
    except ModuleNotFoundError as error:
        raise InputError(
            f"moot judge needs {error.name}, which is not installed: pip install 'moot[serve]'"
        ) from None
    from moot.server.config import of, owner

    plan = Plan(run, wanted, replicate, sample, seed, _listed(raters, "--raters"))
    config = owner(of(), token_env=token_env)
    drive(
        judged(config, plan, host=host, port=port, store=store, told=_told, links=_link),
    )


def _tell(
    run: str,
    arms: tuple[str, ...],
    form: str,
    file: Path | None,
    store: str | None,
    *,
    as_json: bool,
    results: bool,
) -> None:
    """What raters came to, and all that they entered in a file."""
    if file is not None:
        from moot.core.plain import many
        from moot.essays.rate.human_ranking import exported
        from moot.essays.rate.ranking_export import export_places

        entered = find_in(run, store, lambda kept, row, _: kept.rankings.entered(row.id))
        say(f"{many(export_places(exported(entered), file), 'place')} written", err=True)
        say(str(file))
    if not results:
        return
    found = find_in(run, store, lambda kept, row, _: _found(kept, row, arms))
    if as_json:
        print_json(found)
        return
    from moot.essays.rate.ranking_tables import human_latex, human_markdown, human_view

    print_found(found, form, human_view, markdown=human_markdown, latex=human_latex)


def _found(kept: "Store", row: "RunRow", arms: tuple[str, ...]) -> "Human":
    from moot.essays.rate.human_ranking import human

    return human(kept, row, arms=arms)


def _listed(text: str | None, option: str) -> tuple[str, ...]:
    """Names separated by commas. Raises ``InputError`` where one is missing."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{option} {text}: a name is missing: write {option} NAME,NAME")
    return names


def _told(text: str) -> None:
    """What the server has to say of itself, on standard error."""
    sys.stderr.write(f"{text}\n")


def _link(text: str) -> None:
    """A rater's name and link, on standard output, so that they can be sent on."""
    with suppress(ReaderGone):  # the page is served all the same
        print_text(f"{text}\n")
