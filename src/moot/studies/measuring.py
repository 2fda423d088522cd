"""Measuring recorded debates again: what metrics say now of transcripts that are there already.

For metrics that were added or changed since a run, by moot or by a plug-in. A debate is measured by
its stored transcript, so nothing is called and nothing is paid for.
"""

import asyncio
import gc
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import aclosing
from functools import cache, partial
from multiprocessing import get_context
from os import cpu_count
from typing import NamedTuple

import msgspec

from moot.core.children import begin_child
from moot.core.errors import InputError, MootError
from moot.core.stored import RunRow
from moot.ledger.store import Store
from moot.ledger.store_place import StorePlace
from moot.ledger.stored_records import encode_values
from moot.ledger.values import StoredDebate, StoredValues, Update
from moot.metrics.metric import MetricPlan, plan_measures, registry
from moot.runtime.collector import SELDOM
from moot.studies.lab import Lab
from moot.studies.measured_record import measure_record
from moot.studies.metric_code import name_all

GROUP = 256
"""Places of the store that are read, measured and written together."""

FEW = 2_000
"""Debates that one process has measured before others have begun."""

AHEAD = 8
"""Groups for each process that are handed out together."""

_NEWER = ("", "newer")
"""What is counted of a debate that a newer moot has measured."""


class MetricChange(msgspec.Struct, frozen=True, kw_only=True):
    """How often one value changed, in debates.

    Attributes:
        added: it was not there, or was unknown.
        changed: it was another.
        lost: it was known and is unknown now.
    """

    added: int = 0
    changed: int = 0
    lost: int = 0


class Remeasured(msgspec.Struct, frozen=True, kw_only=True):
    """The result of measuring a run again.

    Attributes:
        run: its id.
        debates: measured.
        changed: debates of which any value was to be changed.
        written: those of them that were; none in a dry run. Fewer where a run that went on
            meanwhile has measured them itself.
        values: what came of each value that changed anywhere, by name.
        kept: values of names that nothing here measures, such as those of a plug-in that is not
            installed, by name: in how many debates they stay as they are.
        withheld: values that depend on the texts of secret questions and stay as they are.
        newer: debates that a newer moot has measured; they stay as they are, since some of their
            values have names that are not known here.
    """

    run: str
    debates: int
    changed: int
    written: int
    values: dict[str, MetricChange]
    kept: dict[str, int]
    withheld: int
    newer: int = 0


class _GroupResult(NamedTuple):
    """The result of one group.

    Attributes:
        debates: measured.
        updates: the debates whose values have changed.
        sealed: those whose values are the same, by metrics that are not.
        came: how often each kind of change occurred, by the name of a value and the kind.
    """

    debates: int
    updates: list[Update]
    sealed: list[Update]
    came: Counter[tuple[str, str]]


async def measure_again(
    lab: Lab, run: str, *, dry: bool = False, processes: int | None = None
) -> Remeasured:
    """Measure every recorded debate of a run anew and keep the values.

    Memory does not grow with the number of debates. Values are written in groups, each durable
    before the next: where this is interrupted, it can simply be done again.

    Args:
        lab: with the store, open for writing unless ``dry``.
        run: its id, the beginning of it, or a study's name.
        dry: write nothing.
        processes: how many measure, 1 or more; 1 measures in this process. By default as many as
            there are cores, and 1 where there are few debates.

    Raises:
        InputError: ``processes`` is below 1, a metric fails, or a metric is registered in this
            process alone and there are several.
        UnknownName: there is no such run.
        StoreError: the store cannot be read or written.
    """
    if processes is not None and processes < 1:
        raise InputError(f"processes = {processes}: must be at least 1")
    row = lab.store.find_run(run)
    values = lab.store.debate_values
    span = values.find_span(row.id)
    if processes is None:
        processes = 1 if span.debates <= FEW else cpu_count() or 1
    groups = [(start, start + GROUP - 1) for start in range(span.first, span.last + 1, GROUP)]
    debates = changed = written = 0
    came: Counter[tuple[str, str]] = Counter()
    async with aclosing(_measure_groups(lab, row, groups, min(processes, len(groups)))) as measured:
        async for found in measured:
            debates += found.debates
            changed += len(found.updates)
            came += found.came
            if not dry:
                written += await _write(values, found)
    return _report(row, debates, changed, written, came)


async def _write(values: StoredValues, found: _GroupResult) -> int:
    """Write the values of a group, and what has measured them; return how many have changed."""
    if found.sealed:
        await values.replace(found.sealed)
    return await values.replace(found.updates) if found.updates else 0


def _report(
    row: RunRow, debates: int, changed: int, written: int, came: Mapping[tuple[str, str], int]
) -> Remeasured:
    counts: dict[str, dict[str, int]] = {}
    for (name, what), number in sorted(came.items()):
        counts.setdefault(name, {})[what] = number
    fields = MetricChange.__struct_fields__
    return Remeasured(
        run=row.key,
        debates=debates,
        changed=changed,
        written=written,
        values={
            name: MetricChange(**{what: each.get(what, 0) for what in fields})
            for name, each in counts.items()
            if each.keys() & {*fields}
        },
        kept={name: each["kept"] for name, each in counts.items() if "kept" in each},
        withheld=sum(each.get("withheld", 0) for each in counts.values()),
        newer=came.get(_NEWER, 0),
    )


_DebateRange = tuple[int, int]


async def _measure_groups(
    lab: Lab, row: RunRow, groups: Sequence[_DebateRange], processes: int
) -> AsyncGenerator[_GroupResult]:
    """Measure every group; yield the results in no fixed order."""
    measured_by = name_all()
    if processes <= 1:
        for first, last in groups:
            debates = lab.store.debate_values.read_span(row.id, first, last)
            yield _measure_group(row.key, measured_by, debates)
            await asyncio.sleep(0)
        return
    loop = asyncio.get_running_loop()
    # Spawned and not forked: the store's writer is a thread, which no fork can take along.
    pool = ProcessPoolExecutor(
        processes, mp_context=get_context("spawn"), initializer=_begin_measuring
    )
    measure_one = partial(
        _measure_in_child, lab.place, row.id, row.key, registry.names(), measured_by
    )
    under_way: list[asyncio.Future[_GroupResult]] = []
    try:
        for start in range(0, len(groups), AHEAD * processes):
            some = groups[start : start + AHEAD * processes]
            under_way = [loop.run_in_executor(pool, measure_one, *group) for group in some]
            for each in asyncio.as_completed(under_way):
                yield await each
    except BrokenProcessPool:
        raise MootError(
            "a process that measured has ended before its time; what was written is kept, and one "
            "process needs less memory: --processes 1"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        await asyncio.gather(*under_way, return_exceptions=True)  # their errors are known


_open = cache(partial(Store.open, readonly=True))


def _begin_measuring() -> None:
    """Make a process ready to measure."""
    begin_child()
    gc.freeze()
    gc.set_threshold(*SELDOM)


def _measure_in_child(
    place: StorePlace,
    run: int,
    key: str,
    metrics: Iterable[str],
    measured_by: bytes,
    first: int,
    last: int,
) -> _GroupResult:
    """Measure one group, in a process of its own."""
    if alone := sorted({*metrics} - {*registry.names()}):
        raise InputError(
            f"metric {alone[0]!r} is registered in one process alone: bring it by an entry "
            "point in moot.metrics, or measure in one process"
        )
    debates = _open(place).debate_values.read_span(run, first, last)
    return _measure_group(key, measured_by, debates)


def _measure_group(run: str, measured_by: bytes, debates: Iterable[StoredDebate]) -> _GroupResult:
    updates: list[Update] = []
    sealed: list[Update] = []
    came: Counter[tuple[str, str]] = Counter()
    number, plan = 0, plan_measures(registry.all())
    for number, debate in enumerate(debates, 1):  # noqa: B007 -- how many is told at the end
        after, changes = _remeasure(run, debate, plan)
        came.update(changes)
        update = Update(debate.number, debate.stored, after, measured_by)
        if after != debate.values:
            updates.append(update)
        elif debate.measured_by != measured_by and changes != [_NEWER]:
            sealed.append(update)
    return _GroupResult(number, updates, sealed, came)


def _remeasure(
    run: str, debate: StoredDebate, plan: MetricPlan
) -> tuple[bytes, list[tuple[str, str]]]:
    """Return the values of a debate as they are now, as JSON, and each change of a value.

    The JSON is the old one where no value has changed.
    """
    before, after, withheld = measure_record(run, debate, plan)
    if before.surplus:
        return debate.values, [_NEWER]
    came = [(name, "withheld") for name in withheld]
    stays = {name: value for name, value in before.items() if name not in after}
    came += [(name, "kept") for name in stays]
    changed = [
        (name, "added" if was is None else "lost" if value is None else "changed")
        for name, value in after.items()
        if value != (was := before.get(name))
    ]
    lacking = after.keys() - before.keys()  # those of them that have no value
    values = encode_values(after | stays) if changed or lacking else debate.values
    return values, came + changed
