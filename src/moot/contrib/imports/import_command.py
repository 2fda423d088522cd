"""``moot import``: a log of debates that others held becomes a run of the store."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from moot.contrib.imports.import_run import ImportedRun, import_log
from moot.contrib.imports.log_check import LogCheck, check_log
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import LogFormat, Unread, find_format
from moot.extend.records import Kind
from moot.extend.studies import open_lab
from moot.extend.terminal import (
    ExitCode,
    OutputFile,
    exit_after,
    json_option,
    run_async,
    say,
    store_option,
)
from moot.extend.words import escape_json, format_count, format_things

_NAMED = 8
"""The most arms, or datasets, that are named."""


@click.command("import")
@click.argument("path", metavar="LOG", type=click.Path(path_type=Path))
@click.option("--as", "named", metavar="FORMAT", help="Its format; found by a look if not given.")
@click.option("--name", metavar="RUN", help="The name of the run; the log's if not given.")
@click.option("--source", help="What outputs call the log; its name if not given.")
@click.option("--kind", type=click.Choice(get_args(Kind)), help="Of all questions; else found.")
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="How a log of no known format is read: expressions of JMESPath, in TOML.",
)
@click.option("--mapping-draft", is_flag=True, help="Print a first mapping for the log, and end.")
@click.option("--check", is_flag=True, help="Check a log in the open format, line by line, alone.")
@store_option
@json_option
def import_(
    path: Path,
    named: str | None,
    name: str | None,
    source: str | None,
    kind: Kind | None,
    mapping: Path | None,
    mapping_draft: bool,  # noqa: FBT001
    check: bool,  # noqa: FBT001
    store: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Make a run of LOG: debates that others held, as they published them.

    LOG is a file, a folder or an archive. Nothing is asked of a model: every reply is read by
    moot's own reader, and beside the debate stand a single reply and the vote of each round. What
    cannot be read is counted. The same log is the same run.
    """
    log = Log(path)
    if mapping_draft:
        from moot.contrib.imports.mapping_draft import draft_mapping  # seldom used

        OutputFile(None, "").write(draft_mapping(log))
        return
    if check:
        _end_check(check_log(log), as_json=as_json)
        return
    form = find_format(log, named) if mapping is None else _read_mapping(mapping)

    async def work() -> ImportedRun:
        async with open_lab(store) as lab:
            return await import_log(lab, log, form, name=name, source=source, kind=kind)

    found = run_async(work())
    if as_json:
        _print_json(found)
        return
    for line in describe_import(found, form):
        say(line)


def _read_mapping(file: Path) -> LogFormat:
    from moot.contrib.imports.mapping import read_mapping

    return read_mapping(file)


def _print_json(found: ImportedRun | LogCheck) -> None:
    encoded = msgspec.json.format(msgspec.json.encode(_name_fields(found)))
    OutputFile(None, "").write(escape_json(encoded.decode()) + "\n")


def _name_fields(value: Any) -> Any:  # noqa: ANN401 -- a struct, a named tuple, or what is in one
    """Return a value with the fields of structs and named tuples by their names."""
    if isinstance(value, msgspec.Struct):
        return _name_fields(msgspec.structs.asdict(value))
    if hasattr(value, "_asdict"):
        return _name_fields(value._asdict())
    if isinstance(value, dict):
        return {key: _name_fields(each) for key, each in value.items()}
    return [_name_fields(each) for each in value] if isinstance(value, list | tuple) else value


def _end_check(found: LogCheck, *, as_json: bool) -> None:
    with exit_after(ExitCode.FAILED if found.faults else ExitCode.DONE):
        if as_json:
            _print_json(found)
            return
        for each in found.faults:
            say(f"{each.place}: {each.why}")
        wrong = format_things(len(found.faults), "fault") if found.faults else "no fault"
        say(f"{format_things(found.lines, 'line')} of {found.format}: {wrong}")


def describe_import(found: ImportedRun, form: LogFormat) -> Iterator[str]:
    """Yield in words what was taken for what, what could not be read, and what follows."""
    yield f"{found.source}: {form.about.rstrip('.')} ({form.name})"
    things = {"question": found.questions, "debate": found.debates, "turn": found.turns}
    yield f"  {', '.join(format_things(number, thing) for thing, number in things.items())}"
    for dataset, each in islice(found.kinds.items(), _NAMED):
        guessed = ", as the answers and texts have it" if each.guessed else ""
        yield f"  {dataset or found.source}: questions of kind {each.kind}{guessed}"
    if rest := Counter(each.kind for each in islice(found.kinds.values(), _NAMED, None)):
        of = ", ".join(f"{format_count(number)} of kind {kind}" for kind, number in rest.items())
        yield f"  and {format_things(rest.total(), 'further dataset')}: {of}"
    if found.is_known:
        yield "  the store has this log already: nothing was read again"
    else:
        yield from _describe_reading(found)
    yield from _list_parts("could not be read", found.unread_parts, found.unread)
    yield from _list_parts("with an odd right answer, now unknown", found.odd_answers, found.odd)
    yield from (f"  {note.place}: {note.what}" for note in found.notes)
    shown = [arm for arm in found.arms if arm not in found.rules]
    more = [f"{len(shown) - _NAMED} more"] if len(shown) > _NAMED else []
    more += [f"{format_things(len(found.rules), 'arm')} by other rules"] if found.rules else []
    yield f"arms: {', '.join([*shown[:_NAMED], *more])}"
    if found.merged:
        yield f"debates that differ in {', '.join(found.merged)} are of one arm: it has many values"
    if found.baseline is not None:
        yield f"baseline: {found.baseline}"
    yield f"run {found.run}, recorded elsewhere: {found.source}"
    yield f"next: moot show {found.run}, moot audit {found.run}, moot serve for its pages"


def _describe_reading(found: ImportedRun) -> Iterator[str]:
    of = format_things(found.read + found.unread_answers, "turn")
    read, stated = format_count(found.read), _count(found.stated)
    yield f"  answers: read in {read} of {of}; the log states {stated}"
    yield f"  verdicts: the log states {_count(found.verdicts)}; else the last answers vote"
    unknown = found.unknown_reads
    lost = f"not known of {format_things(unknown, 'turn')}" if unknown else "known of every turn"
    yield f"  who read whom: {lost}"
    if found.unanswered:
        yield f"  no right answer: {format_things(found.unanswered, 'debate')}"
    if found.failed:
        yield f"  ended in an error: {format_things(found.failed, 'debate')}"
    if found.repeated:
        yield f"  held again, as further replicates: {format_things(found.repeated, 'debate')}"


def _count(number: int) -> str:
    return format_count(number) if number else "none"


def _list_parts(what: str, number: int, first: list[Unread]) -> Iterator[str]:
    """Yield a number and the first of the parts that it counts."""
    if not number:
        return
    yield f"  {what}: {format_things(number, 'part')} of the log"
    yield from (f"    {each.place}: {each.why}" for each in first)
    if number > len(first):
        yield f"    and {format_count(number - len(first))} more"
