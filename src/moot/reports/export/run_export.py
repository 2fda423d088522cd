"""Runs of the store, written to a file or a folder."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias, TypeVar

from moot.core.errors import InputError, check_known
from moot.core.stored import RunRow
from moot.reports.export.export_tables import What, make_export_table
from moot.reports.export.jsonl_file import jsonl_file
from moot.reports.export.outline import ExportedDebate, Outline
from moot.reports.export.row_files import ROW_WRITERS
from moot.reports.export.whole import write_whole
from moot.studies.asked_values import AskedValues
from moot.studies.lab import Lab

T = TypeVar("T")

WriteDebate: TypeAlias = Callable[[ExportedDebate], None]

GROUP = "moot.exports"
"""The group of entry points that adds formats of whole debates.

Each names a function of a path, at which nothing is yet, and the ``Outline`` of what will be
written. It returns a context manager of a function that writes one debate; those of an arm on a
dataset follow each other.
"""
JSONL = "jsonl"

_OFTEN = 64
"""After so many debates an interrupt is let through."""


def list_formats() -> list[str]:
    """Return the names of all formats: of tables, of whole debates, of other packages."""
    return [*ROW_WRITERS, JSONL, *sorted(entry_points(group=GROUP).names)]


async def export_runs(
    lab: Lab,
    runs: Sequence[str],
    *,
    form: str,
    out: Path,
    what: What | None = None,
) -> int:
    """Write the debates of runs, and return their number. Memory does not grow with it.

    It may for a format of another package: by about 700 bytes a debate for Inspect logs, whose
    files end in a list of all their entries.

    Args:
        lab: whose store has the runs.
        runs: as ``Store.find_run`` takes them; each is written once.
        form: one of ``list_formats``; ``inspect`` makes a folder, the others of moot a file.
        out: the file or folder; there must be none yet.
        what: a row for each debate or for each turn, in a table; debates if not given.

    Raises:
        InputError: there is nothing to write, it cannot be written, or a run went on meanwhile.
            Then nothing is left of it.
        UnknownName: there is no such format.
    """
    check_known("format", [form], list_formats())
    if what is not None and form not in ROW_WRITERS:
        raise InputError(f"--what {what}: {form} holds whole debates; leave --what out")
    found = list({row.id: row for row in map(lab.store.find_run, runs)}.values())
    asked = {run.id: AskedValues(lab, run) for run in found}
    with write_whole(out) as path:
        outline = Outline()
        for run in found:
            for _ in asked[run.id].measure():
                await asyncio.sleep(0)
            async for values in _interruptible(asked[run.id].read()):
                outline.add(run, values)
        total = sum(part.debates for part in outline.parts.values())
        if not total:
            raise InputError(f"run {', '.join(run.key for run in found)}: no debate was held yet")
        done = 0
        with _writing(path, form, what or "debates", outline) as write:
            async for debate in _interruptible(_debates(lab, asked, found)):
                if not outline.covers(debate.row.values):
                    raise _went_on(debate.run)
                write(debate)
                done += 1
            if done != total:
                raise _went_on(*found)
    return done


def _debates(
    lab: Lab, asked: Mapping[int, AskedValues], runs: Iterable[RunRow]
) -> Iterator[ExportedDebate]:
    for run in runs:
        for row in asked[run.id].complete(lab.store.debates(run.id)):
            yield ExportedDebate(run, row)


def _writing(
    path: Path, form: str, what: What, outline: Outline
) -> AbstractContextManager[WriteDebate]:
    if form in ROW_WRITERS:
        return _writing_rows(path, form, what, outline)
    if form == JSONL:
        return jsonl_file(path)
    [entry] = entry_points(group=GROUP, name=form)
    made: AbstractContextManager[WriteDebate] = entry.load()(path, outline)
    return made


@contextmanager
def _writing_rows(path: Path, form: str, what: What, outline: Outline) -> Iterator[WriteDebate]:
    made = make_export_table(what, outline.metrics)
    with path.open("xb") as file, ROW_WRITERS[form](file, made.columns) as write_row:

        def write_rows(debate: ExportedDebate) -> None:
            for row in made.rows(debate):
                write_row(row)

        yield write_rows


async def _interruptible(rows: Iterable[T]) -> AsyncIterator[T]:
    for number, row in enumerate(rows):
        if number % _OFTEN == 0:
            await asyncio.sleep(0)
        yield row


def _went_on(*runs: RunRow) -> InputError:
    keys = ", ".join(run.key for run in runs)
    return InputError(f"run {keys} went on while it was exported: export it once it has ended")
