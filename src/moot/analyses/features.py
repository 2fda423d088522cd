"""What the protocols of runs do, as their transcripts show (arXiv:2311.17371, table 1)."""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from moot.analyses.analysis import analysis
from moot.analyses.recorded_runs import RecordedRuns
from moot.core.display_text import format_things
from moot.core.events import Transcript
from moot.core.table import Report, ResultTable, TableRow, make_columns

LOOKED_AT = 20
"""Debates of each arm whose transcripts are read."""


class Feature(NamedTuple):
    """What one debate has of what tells protocols apart."""

    rounds: int
    calls: int
    helpers: frozenset[str]
    in_turn: bool
    roles: frozenset[str]


@analysis(source="arXiv:2311.17371, table 1", group="settings", place=10, finds=False)
def features(runs: RecordedRuns) -> Report:
    """Tell the protocols apart by what their debates do: rounds, helpers, order, calls, roles."""
    known: dict[str, list[Feature]] = {}
    for arm in runs.arms:
        read = islice(runs.debates(arm.name), LOOKED_AT)
        known.setdefault(arm.protocol, []).extend(_look(row.transcript) for row in read)
    rows = [
        TableRow(
            [
                protocol,
                _span(each.rounds for each in found),
                _list_names(each.helpers for each in found),
                "yes" if any(each.in_turn for each in found) else "–",
                _span(each.calls for each in found),
                _list_names(each.roles for each in found if len(each.roles) > 1),
            ]
        )
        for protocol, found in known.items()
        if found
    ]
    columns = make_columns(
        "text", "protocol", "rounds", "who does not debate", "in turn", "calls", "unlike agents"
    )
    note = (
        f"As the transcripts of up to {LOOKED_AT} debates of each method show. Rounds and calls: "
        "the fewest and the most. Who does not debate: the roles that judge, sum up, recruit or "
        "plan. In turn: an agent reads what another said in the same round. Unlike agents: the "
        "roles of the debaters, where there are several."
    )
    return Report(
        title=f"Features of protocols: {runs.name}",
        about=f"{runs.key}: {format_things(len(rows), 'protocol')}",
        tables=[ResultTable("Features", tuple(columns), rows, note=note)],
    )


def _look(transcript: Transcript) -> Feature:
    turns = {turn.id: turn for turn in transcript.turns}
    in_turn = any(
        read in turns and turns[read].round == turn.round and turns[read].seat != turn.seat
        for turn in turns.values()
        for read in turn.reads
    )
    seats = list(transcript.seats)
    return Feature(
        rounds=len({turn.round for turn in turns.values()}),
        calls=len(turns),
        helpers=frozenset(seat.role for seat in seats if not seat.debater),
        in_turn=in_turn,
        roles=frozenset(seat.role for seat in seats if seat.debater),
    )


def _span(values: Iterable[int]) -> str:
    least, *_, most = sorted((*values,) * 2)
    return f"{least}" if least == most else f"{least} to {most}"


def _list_names(found: Iterable[Iterable[str]]) -> str:
    return ", ".join(sorted({name for each in found for name in each})) or "–"
