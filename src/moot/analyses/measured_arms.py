"""The arms of recorded runs with what was measured of them, and what tables and charts call them.

Arms are told apart by what differs between them: an arm with a short name of its own keeps it; the
others have their protocol and the settings in which the arms of that protocol differ, unless their
whole name is shorter.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

import msgspec

from moot.analyses.analysis import check_found
from moot.analyses.ladders import describe_differences
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.chart import Chart, DataRow
from moot.core.display_text import format_things, on_one_line
from moot.core.recorded_settings import SizeSettings, read_settings
from moot.core.results import ArmResult, Mean
from moot.core.stored import Arm
from moot.core.table import Cell, Column, Report, ResultTable, TableRow, Value
from moot.core.table_text import SIMULATED
from moot.debate.agent_config import models_in
from moot.debate.protocol import DEBATES, kind_of_arm

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

OWN_NAME = 32
"""Characters of a name that an arm keeps."""


@dataclass(frozen=True)
class MeasuredArm:
    """An arm on a dataset, with its results.

    Attributes:
        result: what was measured, on this dataset.
        arm: its protocol and settings.
        label: what it is called; no two of a model on a dataset are called the same.
        baseline: the arm it is compared with, on the same dataset.
    """

    result: ArmResult
    arm: Arm
    label: str = ""
    baseline: ArmResult | None = None

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self.result.dataset

    @property
    def protocol(self) -> str:
        """The protocol's name."""
        return self.arm.protocol

    @property
    def model(self) -> str:
        """The model that speaks, or several names."""
        return name_models(self.arm)

    @property
    def accuracy(self) -> float:
        """The share of debates with a right verdict."""
        return self.result.accuracy.mean or 0.0

    @property
    def may_go_on(self) -> bool:
        """Whether its agents can speak more than once: they did, or its settings have rounds."""
        rounds = read_settings(self.arm.settings, SizeSettings).rounds or 1
        return self.result.flips is not None or (rounds > 1 and kind_of_arm(self.arm) in DEBATES)

    @property
    def row(self) -> dict[str, str | float | bool | None]:
        """Its names and its accuracy, as fields of a chart."""
        names = {"arm": self.label, "protocol": self.protocol, "model": self.model}
        return {**names, **read_mean("accuracy", self.result.accuracy)}


def read_mean(field: str, mean: Mean) -> dict[str, float | None]:
    """Return a mean, its interval and its counts as fields of a chart's row."""
    ends = {field: mean.mean, "low": mean.low, "high": mean.high}
    return {**ends, "n": mean.n, "questions": mean.questions}


def name_models(arm: Arm) -> str:
    """Return the model that speaks in an arm, or several names; empty where it is not known."""
    return " + ".join(models_in(arm.settings)) if "model" in arm.settings else ""


def gather_arms(runs: RecordedRuns) -> list[MeasuredArm]:
    """Return the arms that have an accuracy, in the order of datasets and arms.

    Raises:
        NothingToAnalyse: there is none.
    """
    arms = {arm.name: arm for arm in runs.arms}
    results = runs.joined.arms
    measured = {(each.dataset, each.arm): each for each in results}
    known = [each for each in results if each.accuracy.mean is not None]
    check_found(known, runs, "no method has an accuracy yet")
    labels = label_arms([arms[name] for name in dict.fromkeys(each.arm for each in known)])
    mixed = len({each.simulated for each in known}) > 1
    return [
        MeasuredArm(
            each,
            arms[each.arm],
            labels[each.arm] + " (simulated)" * (mixed and each.simulated),
            measured.get((each.dataset, each.baseline or ""))
            if each.baseline != each.arm
            else None,
        )
        for each in known
    ]


def label_arms(arms: Sequence[Arm]) -> dict[str, str]:
    """Return what arms are called, by name; see the module's text."""
    labels: dict[str, str] = {}
    for alike in group_by(arms, lambda arm: arm.protocol).values():
        kept = [{k: v for k, v in arm.factors.items() if k != "model"} for arm in alike]
        for arm, words in zip(alike, describe_differences(kept), strict=True):
            name = on_one_line(arm.name, 10_000)
            made = f"{arm.protocol} {words.replace(', ', ' ')}".strip()
            is_own = len(name) <= OWN_NAME and "=" not in name
            given = name if is_own else name.replace(",", " ")
            labels[arm.name] = given if is_own or len(given) < len(made) else made
    times = Counter((labels[arm.name], name_models(arm)) for arm in arms)
    return {
        arm.name: labels[arm.name]
        if times[labels[arm.name], name_models(arm)] == 1
        else on_one_line(arm.name, 10_000)
        for arm in arms
    }


def group_by(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items of each key, in the order in which keys first come."""
    grouped: dict[K, list[T]] = {}
    for each in items:
        grouped.setdefault(key(each), []).append(each)
    return grouped


def by_dataset(arms: Iterable[MeasuredArm]) -> dict[str, list[MeasuredArm]]:
    """Return the arms on each dataset."""
    return group_by(arms, lambda arm: arm.dataset)


def panel_of_models(arms: Iterable[MeasuredArm]) -> str:
    """Return the field ``model`` where several models speak, for a panel each; else nothing."""
    return "model" if len({arm.model for arm in arms}) > 1 else ""


def make_slug(*parts: str) -> str:
    """Return a name for a file: lower case letters, digits and hyphens."""
    short = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:40] for part in parts)
    return "-".join(part for part in short if part)


def note_arms(arms: Sequence[MeasuredArm]) -> tuple[str, ...]:
    """Return what stands in the picture of these arms: what is simulated, how many questions."""
    counts = [arm.result.accuracy.questions for arm in arms]
    return note_questions(counts, simulated=any(arm.result.simulated for arm in arms))


def name_left_out(shown: Collection[MeasuredArm], every: Iterable[MeasuredArm]) -> str:
    """Return the names of arms that are not among those shown; protocols where all of theirs are.

    Args:
        shown: arms that are shown.
        every: all arms.
    """
    kept = {id(arm) for arm in shown}
    named: dict[str, None] = {}
    for protocol, own in group_by(every, lambda arm: arm.protocol).items():
        left = [arm for arm in own if id(arm) not in kept]
        named |= dict.fromkeys([protocol] if len(left) == len(own) else [a.label for a in left])
    return ", ".join(named)


def note_questions(
    counts: Iterable[int], *, simulated: bool, thing: str = "question"
) -> tuple[str, ...]:
    """Return the notes of a picture: what is simulated, and how many questions were asked."""
    least, *_, most = sorted([*counts] * 2)
    asked = format_things(most, thing)
    shown = asked if least == most else f"{least} to {asked}"
    return (SIMULATED, shown) if simulated else (shown,)


_COUNTS = ("calls", "datasets", "debaters", "debates", "questions", "tokens")
_COLUMNS = {
    "arm": Column("arm", head="method"),
    "accuracy": Column("accuracy %", "percent"),
    "cost": Column("cost", "money"),
    "value": Column("value", "number"),
    **{name: Column(name, "count") for name in _COUNTS},
    "arms": Column("arms", "count", head="variants"),
}
"""The columns of fields of charts; all other fields are text under their own name."""
_COUNTED = ("n", "questions")
_NO_COLUMNS: Mapping[str, Column] = MappingProxyType({})


def report_charts(
    runs: RecordedRuns,
    title: str,
    charts: Iterable[Chart],
    fields: Sequence[str],
    own: Mapping[str, Column] = _NO_COLUMNS,
    *,
    lacking: str,
    notes: Sequence[str] = (),
) -> Report:
    """Return a report of charts, with a table of the rows behind each.

    Args:
        runs: of which they are.
        title: what they show.
        charts: in order; no two of one name.
        fields: of the rows, in the order of the columns of the tables.
        own: the columns of fields that are not the usual ones.
        lacking: what the runs would need to have one, for the error.
        notes: what a reader must know to read all of them.

    Raises:
        NothingToAnalyse: there is no chart.
    """
    drawn, taken = [], Counter[str]()
    for chart in charts:  # the short names of two may be the same
        taken[chart.name] += 1
        number = taken[chart.name]
        drawn.append(chart._replace(name=f"{chart.name}-{number}") if number > 1 else chart)
    check_found(drawn, runs, lacking)
    return Report(
        title=f"{title}: {runs.name}",
        about=runs.key,
        tables=[tabulate_chart(chart, fields, own) for chart in drawn],
        charts=tuple(drawn),
        notes=tuple(dict.fromkeys(notes)),
    )


def tabulate_chart(
    chart: Chart, fields: Sequence[str], own: Mapping[str, Column] = _NO_COLUMNS
) -> ResultTable:
    """Return the table of the rows behind a chart: of these fields, in columns of its own or usual.

    A field that is in no row has no column.
    """
    usual = _COLUMNS | dict(own)
    known = {
        field: usual.get(field, Column(field))
        for field in fields
        if any(row.get(field) not in (None, "") for row in chart.rows)
    }
    rows = [TableRow([_cell(row, field) for field in known]) for row in chart.rows]
    return ResultTable(chart.title, tuple(known.values()), rows, note=chart.caption, wide=True)


def _cell(row: DataRow, field: str) -> Cell | Value:
    if field == "accuracy" and row.get(field) is not None:
        counted = {"mean": row[field], **{name: row[name] for name in ("low", "high", *_COUNTED)}}
        return msgspec.convert(counted, Mean)
    return row.get(field)
