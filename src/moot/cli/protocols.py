"""``moot protocols``: all of them in a line each, or one in full."""

import click

from moot.cli.console import complete_protocol, json_option, say
from moot.cli.listings import print_rows
from moot.cli.outlines import list_outlines
from moot.core.errors import InputError
from moot.protocols import DEFAULT, GROUPS


@click.command()
@click.argument("name", required=False, shell_complete=complete_protocol)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Drawn with it.")
@click.option("--prompts", is_flag=True, help="Its prompts, as a file to lay your own words in.")
@json_option
def protocols(
    name: str | None,
    settings: tuple[str, ...],
    *,
    prompts: bool,
    as_json: bool,
) -> None:
    """List the protocols, or show NAME in full.

    NAME may be a file of yours, as in mymethod.py:second_thoughts.

    With --prompts the file has every prompt with its slots; change the words, and give it to
    moot ask --prompts FILE, or write prompts = "FILE" into a study.

    In full there is a drawing of who reads whom in a debate, at default settings or with those
    given. No model is asked for it.
    """
    if name is None and settings:
        raise InputError(f"--set {settings[0]}: name the protocol that is to be drawn with it")
    if prompts and (name is None or as_json):
        raise InputError("--prompts: name the one protocol whose prompts you want, without --json")
    if name is None and not as_json:
        _print_groups()
        return
    from moot.cli import portraits  # it runs a debate: a list imports no protocol

    if name is None:
        portraits.print_all()
    elif prompts:
        portraits.print_prompts(name, settings)
    else:
        portraits.print_one(name, settings, as_json=as_json)


def _print_groups() -> None:
    """Print the protocols in a line each, by what they are for."""
    outlines, broken = list_outlines()
    rest = {each.name: each._asdict() for each in outlines}
    groups = {
        title: [rest.pop(name) for name in names.split() if name in rest]
        for title, names in GROUPS.items()
    }
    groups["Of other packages"] = [*rest.values()]
    say(f"To begin with: {DEFAULT}, beside a vote, self-consistency.")
    for title, rows in groups.items():
        if rows:
            say(f"\n{title}")
            print_rows(rows, "protocol", broken)
            broken = {}
