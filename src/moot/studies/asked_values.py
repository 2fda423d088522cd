"""The metric values of a run: those in the store, and others, measured when they are asked for.

A run measures what its end shows. Whoever needs more has it measured from the transcripts, once:
all metrics in one pass, and the values are kept, unless the store may only be read. Stored values
are measured again where the code of their metrics is another. Those of records of an older moot,
which do not say what has measured them, stay as they are.
"""

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from msgspec.structs import replace

from moot.core.errors import StoreError
from moot.core.stored import DebateRow, DebateValues, RunRow
from moot.ledger.stored_records import encode_values, parse_values
from moot.ledger.values import StoredDebate, Update
from moot.metrics.metric import MetricPlan
from moot.studies.lab import Lab
from moot.studies.measured_record import measure_record
from moot.studies.metric_code import (
    Measurers,
    MetricPart,
    find_parts,
    find_run_end,
    split_measurers,
)

GROUP = 256
"""Debates that are read, measured and written together."""

_AHEAD = 4
"""Groups that may wait to be written."""

DebateKey = tuple[str, str, str, int]  # arm, dataset, question, replicate

log = logging.getLogger("moot.studies")


class _Missing(NamedTuple):
    """What a record lacks.

    Attributes:
        plan: the metrics to measure.
        measured_by: what the record says of its measurers then.
    """

    plan: MetricPlan
    measured_by: bytes


class _Writing(NamedTuple):
    """A group of values, by debate, and the promise that they are written; None: they are not."""

    measured: Mapping[DebateKey, Update]
    written: "Future[int] | None"


class AskedValues:
    """The values of a run's debates.

    Args:
        lab: has the store.
        row: the run.
    """

    def __init__(self, lab: Lab, row: RunRow) -> None:
        self._lab, self._row = lab, row
        self._unkept: dict[DebateKey, bytes] = {}

    def read_shown(self) -> Iterator[DebateValues]:
        """Yield the values that the end of a run shows, with those that are there besides."""
        for _ in self.measure_shown():
            pass
        return self._read()

    def read(self) -> Iterator[DebateValues]:
        """Yield the values of all metrics, in the order of ``Store.debates``."""
        for _ in self.measure():
            pass
        return self._read()

    def _read(self) -> Iterator[DebateValues]:
        rows = self._lab.store.values(self._row.id)
        if not self._unkept:
            return rows
        return (each._replace(values=self._find(each[:4], each.values)) for each in rows)

    def complete(self, debates: Iterable[DebateRow]) -> Iterator[DebateRow]:
        """Yield debates with the values that were measured and could not be kept."""
        if not self._unkept:
            return iter(debates)
        return (
            replace(each, values=dict(self._find(_key_of(each), each.values))) for each in debates
        )

    def _find(
        self, key: DebateKey, stored: Mapping[str, float | None]
    ) -> Mapping[str, float | None]:
        unkept = self._unkept.get(key)
        return stored if unkept is None else parse_values(unkept, f"the values of {key}")

    def measure_shown(self) -> Iterator[int]:
        """Measure what the end of a run shows where it lacks; yield the number of each group."""
        return self._measure((find_run_end(),), None)

    def measure(self, question: str | None = None) -> Iterator[int]:
        """Measure all metrics that a debate lacks; yield the number of debates of each group.

        Args:
            question: of this question alone.

        Raises:
            InputError: a metric fails.
            StoreError: the store cannot be read, or could not be written.
        """
        return self._measure(find_parts(), question)

    def _measure(self, parts: Sequence[MetricPart], question: str | None) -> Iterator[int]:
        stored, run = self._lab.store.debate_values, self._row.id
        missing = {
            measured_by: found
            for measured_by in stored.list_measurers(run)
            if (found := _find_missing(measured_by, parts)) is not None
        }
        if not missing:
            return
        numbers = stored.find_rows(run, missing, question)
        store, writing = self._lab.open_to_keep(), deque[_Writing]()
        keeper = None if store is None else store.debate_values
        for start in range(0, len(numbers), GROUP):
            debates = stored.read_rows(numbers[start : start + GROUP])
            measured = {
                each.key: update
                for each in debates
                if each.key not in self._unkept
                and (update := self._measure_one(each, missing)) is not None
            }
            written = keeper.queue([*measured.values()]) if keeper else None
            writing.append(_Writing(measured, written))
            if len(writing) > _AHEAD:
                self._end(writing.popleft())
            yield len(debates)
        while writing:
            self._end(writing.popleft())

    def _end(self, writing: _Writing) -> None:
        """Wait until values are written; remember those that cannot be."""
        try:
            if writing.written is not None:
                writing.written.result()
                return
        except StoreError as error:
            log.warning("%s; what was measured is not kept", error)
        self._unkept |= {key: each.after for key, each in writing.measured.items()}

    def _measure_one(
        self, debate: StoredDebate, missing: Mapping[bytes | None, _Missing]
    ) -> Update | None:
        """Return the values of a debate with those that it lacked; None where a newer moot has."""
        if (found := missing.get(debate.measured_by)) is None:
            return None  # measured meanwhile, or not what was sealed
        before, after, _ = measure_record(self._row.key, debate, found.plan)
        if before.surplus:
            return None
        values = encode_values({**before, **after})
        return Update(debate.number, debate.stored, values, found.measured_by)


def _find_missing(measured_by: bytes | None, parts: Sequence[MetricPart]) -> _Missing | None:
    """Return what debates lack of these metrics; None for nothing.

    Args:
        measured_by: what their records say of who has measured them.
        parts: the metrics that the end of a run shows, or all.
    """
    known = split_measurers(measured_by)
    if known is None:
        return None
    run_end, *others = parts
    lacking = [each for each in others if each.digest not in known.others]
    if known.run_end != run_end.digest:
        lacking.insert(0, run_end)
    if not lacking:
        return None
    # What no metric here has measured is of old code, or will be measured again where it is known.
    then = frozenset(each.digest for each in others) if others else known.others
    plan = MetricPlan(
        (metric for each in lacking for metric in each.plan.metrics),
        parts=lacking[0] is run_end,
    )
    return _Missing(plan, Measurers(run_end.digest, then).join())


def _key_of(row: DebateRow) -> DebateKey:
    return row.arm, row.dataset, row.question, row.replicate
