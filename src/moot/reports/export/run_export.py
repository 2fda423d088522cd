"""Runs of the store, written to a file or a folder."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar

from moot.contrib.inspect.inspect_logs import inspect_logs
from moot.core.errors import InputError
from moot.core.stored import RunRow
from moot.ledger.store import Store
from moot.reports.export.export_tables import What, make_export_table
from moot.reports.export.jsonl_file import jsonl_file
from moot.reports.export.outline import ExportedDebate, Outline
from moot.reports.export.row_files import ROW_WRITERS
from moot.reports.export.whole import write_whole

T = TypeVar("T")

Format = Literal["parquet", "csv", "jsonl", "inspect"]

_OFTEN = 64
"""After so many debates an interrupt is let through."""


async def export_runs(
    store: Store,
    runs: Sequence[str],
    *,
    form: Format,
    out: Path,
    what: What | None = None,
) -> int:
    """Write the debates of runs, and return their number. Memory does not grow with it.

    It does by about 700 bytes a debate for Inspect logs, whose files end in a list of all their
    entries.

    Args:
        store: where the runs are.
        runs: as ``Store.find_run`` takes them; each is written once.
        form: ``inspect`` makes a folder with a log for every arm on every dataset, the others make
            a file.
        out: the file or folder; there must be none yet.
        what: a row for each debate or for each turn, in a table; debates if not given.

    Raises:
        InputError: there is nothing to write, it cannot be written, or a run went on meanwhile.
            Then nothing is left of it.
    """
    if what is not None and form in {"jsonl", "inspect"}:
        raise InputError(f"--what {what}: {form} holds whole debates; leave --what out")
    found = list({row.id: row for row in map(store.find_run, runs)}.values())
    with write_whole(out) as path:
        outline = Outline()
        for run in found:
            async for values in _interruptible(store.values(run.id)):
                outline.add(run, values)
        total = sum(part.debates for part in outline.parts.values())
        if not total:
            raise InputError(f"run {', '.join(run.key for run in found)}: no debate was held yet")
        done = 0
        with _writing(path, form, what or "debates", outline) as write:
            async for debate in _interruptible(_debates(store, found)):
                if not outline.covers(debate.row.values):
                    raise _went_on(debate.run)
                write(debate)
                done += 1
            if done != total:
                raise _went_on(*found)
    return done


def _debates(store: Store, runs: Iterable[RunRow]) -> Iterator[ExportedDebate]:
    for run in runs:
        for row in store.debates(run.id):
            yield ExportedDebate(run, row)


@contextmanager
def _writing(
    path: Path, form: Format, what: What, outline: Outline
) -> Iterator[Callable[[ExportedDebate], None]]:
    if form == "jsonl":
        with jsonl_file(path) as write:
            yield write
    elif form == "inspect":
        with inspect_logs(path, outline.parts) as write:
            yield write
    else:
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
