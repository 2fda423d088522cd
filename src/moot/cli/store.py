"""``moot store``: whether a store is whole, and what to do where it is not."""

import sys
from typing import TYPE_CHECKING

import click

from moot.cli.console import DONE, FAILED, guarded, json_option, print_json, store_option

if TYPE_CHECKING:
    from moot.ledger.repairing import Repair

_SHOWN = 20
"""Damages that are told one by one; all are in the JSON."""


@click.group()
def store() -> None:
    """Check and repair a store."""


@store.command()
@store_option
@json_option
@guarded
def check(store: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Look at all that a store holds, and change nothing.

    The file and its log, every reply against the digests of request and reply, every
    debate, run and ranking. The exit code is 1 where something is damaged.
    """
    from moot.core.plain import many, plain
    from moot.ledger.checking import check as walk
    from moot.ledger.place import FILE, store_path

    found = walk(store_path(store) / FILE)
    if as_json:
        print_json(found)
    else:
        held = ", ".join(many(number, kind) for kind, number in found.records.items())
        click.echo(plain(f"{found.store}: {held or 'no record could be read'}"))
        for kind, number in found.damaged.items():
            click.echo(f"{kind}: {number:,} damaged")
        for each in found.damage[:_SHOWN]:
            name = each.kind if each.number is None else f"{each.kind} {each.number}"
            end = " (can be put right)" if each.restorable else ""
            click.echo(plain(f"  {name}: {each.why}{end}"))
        if len(found.damage) > _SHOWN:
            click.echo(f"  … {len(found.damage) - _SHOWN:,} more, see --json")
        if found.set_aside:
            click.echo(f"{found.set_aside:,} were set aside by an earlier repair")
        if found.damage:
            click.echo("moot store repair puts right what can be, and sets the rest aside")
        else:
            click.echo("nothing is damaged")
    sys.exit(FAILED if found.damage else DONE)


@store.command()
@click.option(
    "--accept-loss", is_flag=True, help="Go on without what is missing and cannot be brought back."
)
@store_option
@json_option
@guarded
def repair(accept_loss: bool, store: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Put a damaged store right, as far as can be.

    Nothing is thrown away: the files are copied before they are written anew, and a
    record that cannot be put right is set aside in a table of the store. A reply that
    was set aside is asked again, and paid again, when a run needs it.

    The exit code is 1 where something is missing whose loss was not accepted.
    """
    from moot.ledger.place import FILE, store_path
    from moot.ledger.repairing import repair as put_right

    done = put_right(store_path(store) / FILE, accept_loss=accept_loss)
    if as_json:
        print_json(done)
    else:
        _print(done)
    sys.exit(FAILED if done.missing else DONE)


def _print(done: "Repair") -> None:
    from moot.core.plain import plain

    told = []
    if done.log:
        told.append(f"{done.log:,} changes were brought back from a damaged log")
    if done.rebuilt:
        told.append("the file was written anew out of every record that could be read")
    told += [f"{kind}: {number:,} put right" for kind, number in done.restored.items()]
    told += [f"{kind}: {number:,} set aside" for kind, number in done.set_aside.items()]
    if done.unreadable:
        told.append(f"replies of which nothing is left: {done.unreadable:,}")
    again = done.set_aside.get("reply", 0) + done.unreadable
    if again:
        told.append(
            f"runs that need them will ask, and pay, {again:,} replies again: {_paid(done)}"
        )
    if done.kept:
        told.append(f"the files as they were are in {done.kept}")
    if done.missing:
        told.append(
            f"still missing: {done.missing}; put the right files back, or go on without them "
            "with --accept-loss"
        )
    if done.accepted:
        told.append(f"accepted as lost: {done.accepted}; runs go on without them")
    for line in told or ["nothing had to be done"]:
        click.echo(plain(line))


def _paid(done: "Repair") -> str:
    """What the replies that are asked again had cost, as far as that is known."""
    unknown = done.unpriced + done.unreadable
    known = done.set_aside.get("reply", 0) - done.unpriced
    if not known:
        return "what they had cost is not known"
    more = f"; what {unknown:,} others had cost is not known" if unknown else ""
    return f"{known:,} of them had cost ${done.cost:.4f}{more}"
