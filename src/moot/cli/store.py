"""``moot store``: check a store, repair it, and copy runs to another one."""

import sys
from collections.abc import Sequence
from time import monotonic

import click

from moot.cli.console import (
    DONE,
    FAILED,
    json_option,
    print_json,
    run_async,
    say,
    store_option,
)
from moot.core.display_text import format_things, make_visible
from moot.core.errors import InputError
from moot.ledger.checking import check as check_store
from moot.ledger.repairing import Repair
from moot.ledger.repairing import repair as repair_store
from moot.ledger.store import Store
from moot.ledger.store_copy import CopyCount, StoreCopy
from moot.ledger.store_place import (
    STORE_FILE,
    StorePlace,
    describe_place,
    find_place,
    is_readonly,
    require_store,
    store_path,
)

_SHOWN = 20
"""Damages that are printed one by one; the JSON has all."""
_TOLD = 2.0  # seconds between two lines about a copy


@click.group()
def store() -> None:
    """Check, repair and copy stores."""


@store.command()
@store_option
@json_option
def check(store: str | None, *, as_json: bool) -> None:
    """Look at all that a store holds, and change nothing.

    The file and its log, every reply against the digests of request and reply, every
    debate, run and ranking. The exit code is 1 where something is damaged.
    """
    found = check_store(store_path(store) / STORE_FILE)
    if as_json:
        print_json(found)
    else:
        held = ", ".join(format_things(number, kind) for kind, number in found.records.items())
        click.echo(make_visible(f"{found.store}: {held or 'no record could be read'}"))
        for kind, number in found.damaged.items():
            click.echo(f"{kind}: {number:,} damaged")
        for each in found.damage[:_SHOWN]:
            name = each.kind if each.number is None else f"{each.kind} {each.number}"
            end = " (can be put right)" if each.restorable else ""
            click.echo(make_visible(f"  {name}: {each.why}{end}"))
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
def repair(*, accept_loss: bool, store: str | None, as_json: bool) -> None:
    """Put a damaged store right, as far as can be.

    Nothing is thrown away: the files are copied before they are written anew, and a
    record that cannot be put right is set aside in a table of the store. A reply that
    was set aside is asked again, and paid again, when a run needs it.

    The exit code is 1 where something is missing whose loss was not accepted.
    """
    done = repair_store(store_path(store) / STORE_FILE, accept_loss=accept_loss)
    if as_json:
        print_json(done)
    else:
        _print(done)
    sys.exit(FAILED if done.missing else DONE)


@store.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@json_option
def copy(source: str, target: str, runs: tuple[str, ...], *, as_json: bool) -> None:
    """Copy each RUN, or all that a store holds, to another store.

    FROM and TO are folders, or addresses of PostgreSQL. A run brings its debates and all
    replies in them: run again in TO it pays for nothing. Every record is read back and
    compared. What TO has already stays; a copy that was stopped goes on when it is
    started again. FROM loses nothing.

    The exit code is 1 where TO keeps a record of its own that differs.
    """
    counts = run_async(_copy(source, target, runs))
    if as_json:
        print_json(counts)
    else:
        _print_copy(counts)
    sys.exit(FAILED if any(each.unlike for each in counts) else DONE)


async def _copy(source: str, target: str, runs: Sequence[str]) -> list[CopyCount]:
    places = find_place(source), find_place(target)
    if describe_place(places[0]) == describe_place(places[1]):
        raise InputError(f"{describe_place(places[0])}: FROM and TO are the same store")
    told = monotonic()

    def report(count: CopyCount) -> None:
        nonlocal told
        if monotonic() > told + _TOLD:
            told = monotonic()
            say(f"{_name(count)}: {_describe(count)} so far", err=True)

    async with _open_source(places[0]) as read, Store.open(places[1]) as written:
        return await StoreCopy(read, written, report).copy(runs)


def _open_source(place: StorePlace) -> Store:
    """Open the store that is copied; a file of an older moot gets today's tables where it may."""
    if isinstance(place, str) or is_readonly(place):
        return Store.open(place, readonly=True)
    require_store(place / STORE_FILE)
    return Store.open(place)


def _print_copy(counts: Sequence[CopyCount]) -> None:
    for each in counts:
        if each.run or each.replies or each.unlike:
            say(f"{_name(each)}: {_describe(each)}")
        if each.unlike_replies:
            say(
                f"  {format_things(each.unlike_replies, 'call')} had another reply in TO, which it "
                "keeps: debates with them come out differently if they are run again there"
            )
        if each.unlike_debates:
            say(
                f"  {format_things(each.unlike_debates, 'debate')} of TO differ, in values or "
                "words, and stay; moot measure RUN measures the values again"
            )
    if not any(each.unlike for each in counts):
        say("every record was read back, and is equal in both stores")


def _name(count: CopyCount) -> str:
    return count.run or "of no run"


def _describe(count: CopyCount) -> str:
    return (
        f"{format_things(count.debates, 'debate')} ({count.new_debates:,} new), "
        f"{format_things(count.replies, 'reply')} ({count.new_replies:,} new)"
    )


def _print(done: Repair) -> None:
    lines = []
    if done.log:
        lines.append(f"{done.log:,} changes were brought back from a damaged log")
    if done.rebuilt:
        lines.append("the file was written anew out of every record that could be read")
    lines += [f"{kind}: {number:,} put right" for kind, number in done.restored.items()]
    lines += [f"{kind}: {number:,} set aside" for kind, number in done.set_aside.items()]
    if done.unreadable:
        lines.append(f"replies of which nothing is left: {done.unreadable:,}")
    again = done.set_aside.get("reply", 0) + done.unreadable
    if again:
        lines.append(
            f"runs that need them will ask, and pay, {again:,} replies again: {_cost_again(done)}"
        )
    if done.kept:
        lines.append(f"the files as they were are in {done.kept}")
    if done.missing:
        lines.append(
            f"still missing: {done.missing}; put the right files back, or go on without them "
            "with --accept-loss"
        )
    if done.accepted:
        lines.append(f"accepted as lost: {done.accepted}; runs go on without them")
    for line in lines or ["nothing had to be done"]:
        click.echo(make_visible(line))


def _cost_again(done: Repair) -> str:
    """Return the former cost of the replies that are asked again, as far as it is known."""
    unknown = done.unpriced + done.unreadable
    known = done.set_aside.get("reply", 0) - done.unpriced
    if not known:
        return "what they had cost is not known"
    more = f"; what {unknown:,} others had cost is not known" if unknown else ""
    return f"{known:,} of them had cost ${done.cost:.4f}{more}"
