"""``moot judge``: people compare the essays of a run, or it is shown what they made of them."""

from pathlib import Path

import click

from moot import InputError
from moot.contrib.essays.rate.places_export import export_places
from moot.contrib.essays.rate.rankings import Rankings, RecordedChoice
from moot.contrib.server.server_options import address_options, token_option
from moot.extend.studies import open_lab
from moot.extend.terminal import run_async, say, store_option
from moot.extend.words import format_things

try:
    from moot.contrib.essays.rate.rating_server import serve_rating
    from moot.contrib.essays.rate.sheets import RatingPlan
    from moot.contrib.server.config import config_from, with_options
except ModuleNotFoundError as error:  # the extra "serve", which results do not need
    missing = error.name
else:
    missing = None


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
@click.option("--seed", type=int, default=0, show_default=True, help="Of that draw.")
@click.option("--raters", metavar="NAME,…", help="Who may rank; prints a link for each.")
@address_options(8643)
@token_option
@click.option(
    "--export",
    "file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write all that was entered to a new .csv or .json; serves nothing.",
)
@store_option
def judge(
    run: str,
    arms: str | None,
    raters: str | None,
    host: str,
    port: int,
    token_env: str | None,
    file: Path | None,
    store: str | None,
    **drawn: int,
) -> None:
    """Have people rank the essays of RUN.

    Serves a page on which raters order the essays of several arms on one proposition by
    persuasiveness and by overall quality, without being told which is whose. Each entry
    is in the store at once. Where other machines reach HOST, browsers ask for the
    token as a password. Ctrl-C ends it; the next time it goes on where it was. How they
    ranked them tells "moot analyse essay-rankings RUN".
    """
    wanted = _names_in(arms, "--arms")
    if file is not None:
        _export(run, file, store)
        return
    if missing is not None:
        raise InputError(
            f"moot judge needs {missing}, which is not installed: pip install 'moot[serve]'"
        )
    plan = RatingPlan(run, wanted, raters=_names_in(raters, "--raters"), **drawn)
    config = with_options(config_from(), token_env=token_env)
    run_async(serve_rating(config, plan, host=host, port=port, store=store))


def _export(run: str, file: Path, store: str | None) -> None:
    """Write every place that raters entered to a file."""

    async def read() -> list[RecordedChoice]:
        async with open_lab(store, readonly=True) as lab:
            return Rankings(lab.store).choices_about(lab.store.find_run(run).id)

    places = run_async(read())
    export_places(places, file)
    say(f"{format_things(len(places), 'place')} written", err=True)


def _names_in(text: str | None, option: str) -> tuple[str, ...]:
    """Return names separated by commas. Raises ``InputError`` where one is missing."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"{option} {text}: a name is missing: write {option} NAME,NAME")
    return names
