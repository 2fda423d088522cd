"""What the protocols of runs do, as their transcripts show (arXiv:2311.17371, table 1)."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from moot.analyses.analysis import analysis
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_things
from moot.core.events import Transcript, Turn
from moot.core.table import Column, Report, ResultTable, TableRow, make_columns

LOOKED_AT = 20
"""Debates of each arm whose transcripts are read."""


class Feature(NamedTuple):
    """What one debate has of what tells protocols apart."""

    rounds: int
    calls: int
    judges: frozenset[str]
    scribes: frozenset[str]
    sequential: bool
    roles: frozenset[str]


@analysis(source="arXiv:2311.17371, table 1", group="settings", place=10, finds=False)
def features(runs: RecordedRuns) -> Report:
    """Tell the protocols apart by what their debates do: rounds, judges, order, calls, roles."""
    known: dict[str, list[Feature]] = {}
    for arm in runs.arms:
        read = islice(runs.debates(arm.name), LOOKED_AT)
        known.setdefault(arm.protocol, []).extend(_look(row.transcript) for row in read)
    columns = (
        Column("protocol"),
        Column("rounds"),
        Column("calls"),
        *make_columns("tick", "flexible rounds", "judge", "summariser", "sequential"),
        *make_columns("tick", "several calls", "unlike agents"),
        Column("roles"),
    )
    rows = [TableRow([protocol, *_describe(found)]) for protocol, found in known.items() if found]
    note = (
        f"As the transcripts of up to {LOOKED_AT} debates of each method show. Rounds and calls: "
        "the fewest and the most; rounds are flexible where debates have unlike numbers of them. "
        "Judge and summariser: an agent that does not debate reads what others said, and answers "
        "or rates, or does neither. Sequential: a call waits for a reply that its prompt shows. "
        "Unlike agents: debaters of several roles. Roles: those behind these ticks."
    )
    return Report(
        title=f"Features of protocols: {runs.name}",
        about=f"{runs.key}: {format_things(len(rows), 'protocol')}",
        tables=[ResultTable("Features", columns, rows, note=note)],
    )


def _describe(found: Sequence[Feature]) -> list[str | bool]:
    """Return the cells of a protocol, but for its name."""
    rounds, calls = ({getattr(each, name) for each in found} for name in ("rounds", "calls"))
    judges = _join(each.judges for each in found)
    scribes = _join(each.scribes for each in found)
    unlike = _join(each.roles for each in found if len(each.roles) > 1)
    return [
        _span(rounds),
        _span(calls),
        len(rounds) > 1,
        bool(judges),
        bool(scribes),
        any(each.sequential for each in found),
        max(calls) > 1,
        bool(unlike),
        ", ".join(sorted(judges | scribes | unlike)) or "–",
    ]


def _look(transcript: Transcript) -> Feature:
    turns = {turn.id: turn for turn in transcript.turns}
    silent = {seat.number for seat in transcript.seats if not seat.debater}
    helping = [turn for turn in turns.values() if turn.reads and turn.seat in silent]
    judges = frozenset(turn.role for turn in helping if _judges(turn))
    return Feature(
        rounds=len({turn.round for turn in turns.values()}),
        calls=len(turns),
        judges=judges,
        scribes=frozenset(turn.role for turn in helping) - judges,
        sequential=any(read in turns for turn in turns.values() for read in turn.reads),
        roles=frozenset(seat.role for seat in transcript.seats if seat.debater),
    )


def _judges(turn: Turn) -> bool:
    """Return whether a turn answers or rates; a transcript of format 1 names no parser."""
    return turn.answer is not None or turn.parser not in {"", "text"}


def _span(values: Collection[int]) -> str:
    least, most = min(values), max(values)
    return f"{least}" if least == most else f"{least} to {most}"


def _join(found: Iterable[frozenset[str]]) -> set[str]:
    return {name for each in found for name in each}
