"""The state of a run, in words."""

from typing import NamedTuple

import msgspec

from moot.core.display_text import format_count
from moot.core.stored import RunRow, decode_record
from moot.ledger.reader import RunProgress
from moot.studies.study_run import read_study

QUIET = 120.0
"""Seconds without a reply after which the process of a running run may have ended."""


class RunState(NamedTuple):
    """The state of a run.

    Attributes:
        name: ``running``, ``quiet``, ``stopped`` or ``done``.
        words: the same for people.
        more: a hint; empty for none.
        total: the number of debates it will have; None if unknown.
    """

    name: str
    words: str
    more: str
    total: int | None

    @property
    def going(self) -> bool:
        """Whether more debates may be recorded."""
        return self.name in {"running", "quiet"}


class _Planned(msgspec.Struct):
    """The size of a study, as its row may have it."""

    debates: int | None = None


_planned = msgspec.json.Decoder(_Planned).decode


def run_state(row: RunRow, standing: RunProgress, now: float) -> RunState:
    """Return the state of a run at a time, in Unix seconds."""
    total = decode_record(_planned, row.study, f"the study of run {row.key}").debates
    if row.status != "running":
        more = "" if row.status == "done" else "moot run goes on with it where it stopped."
        return RunState(row.status, row.status, more, total)
    who = f"It is run by {row.session.process}." if row.session else ""
    silent = now - max(row.created, standing.replied or 0.0)
    if silent < QUIET:
        return RunState("running", "running", who, total)
    words = f"running, no reply for {_span(silent)}"
    unknown = "If its process has ended, moot run goes on with it where it stopped."
    return RunState("quiet", words, who or unknown, total)


def simulated_label(row: RunRow) -> str:
    """Return ``simulated``, ``partly simulated``, or an empty text if no arm is."""
    study = read_study(row)
    if not study.simulated:
        return ""
    return "simulated" if len(study.simulated) == len(study.arms) else "partly simulated"


def _span(seconds: float) -> str:
    for unit, length in (("days", 86_400), ("hours", 3_600)):
        if seconds >= 2 * length:
            return f"{format_count(int(seconds / length))} {unit}"
    return f"{format_count(int(seconds / 60))} min"
