"""A transcript's events as those of an Inspect log, each with its place in time.

A transcript records how long every reply took, and not at which moment it was asked for. The times
here are reconstructed: a turn begins when all that it reads, and its agent's turn before, are
there; a debate begins when its run was created. Real turns begin later where calls had to wait.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import msgspec

from moot import Event, Transcript, Turn
from moot.extend.records import NodeFinished, Noted, Searched

Json = dict[str, Any]


class TurnTimes:
    """When each turn of a debate begins and ends, in seconds after the debate's beginning.

    Attributes:
        begins: by the turn's id.
        ends: the same.
        length: of the whole debate: its wall time where that is recorded, and at least as long as
            its turns take one after the other.
    """

    def __init__(self, transcript: Transcript, created: float) -> None:
        """Lay the turns of a debate out in time, from ``created``, in Unix seconds, on."""
        self._created = datetime.fromtimestamp(created, UTC)
        self.begins: dict[int, float] = {}
        self.ends: dict[int, float] = {}
        newest: dict[int, float] = {}
        for turn in sorted(transcript.turns, key=lambda turn: turn.id):
            seen = [self.ends[read] for read in turn.reads if read in self.ends]
            begins = max([0.0, newest.get(turn.seat, 0.0), *seen])
            self.begins[turn.id] = begins
            self.ends[turn.id] = newest[turn.seat] = begins + turn.seconds
        told = getattr(transcript.events[-1], "seconds", 0.0)
        self.length = max([told, *self.ends.values()])

    def moment(self, seconds: float) -> str:
        """Return a moment, so many seconds after the beginning, as Inspect writes it."""
        return (self._created + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")


def list_events(
    made: Json, transcript: Transcript, times: TurnTimes, outputs: Mapping[int, Json]
) -> list[Json]:
    """Return the events of a debate: its question, rounds, turns, notes, error and scores.

    Args:
        made: the sample, complete but for its events.
        transcript: the debate.
        times: when each turn begins and ends.
        outputs: each turn's reply as Inspect has an output, by the turn's id.
    """
    events: list[Json] = []
    now = 0.0

    def add(kind: str, at: float, span: str | None = None, **told: Any) -> None:  # noqa: ANN401 -- JSON
        events.append(
            {
                "uuid": f"{made['uuid']}-{len(events)}",
                "span_id": span,
                "timestamp": times.moment(at),
                "working_start": at,
                "event": kind,
                **told,
            }
        )

    shown = {key: made[key] for key in ("input", "choices", "target", "id", "metadata")}
    add("sample_init", 0.0, sample=shown)
    said = {message["id"]: message for message in made["messages"]}
    for name, part in _group_rounds(transcript):
        inside = [event for event in part if isinstance(event, Turn)]
        now = min([times.begins[turn.id] for turn in inside], default=now)
        span = f"{made['uuid']}-{name}-{len(events)}"
        if inside:
            add("span_begin", now, span, id=span, type="round", name=name)
        for event in part:
            if isinstance(event, Turn):
                now = max(now, times.ends[event.id])
                call = _describe_call(event, times, made, said)
                output = outputs[event.id]
                add("model", times.begins[event.id], span, **call, output=output)
            else:
                add("info", now, span if inside else None, source="moot", data=_encode_event(event))
        if inside:
            add("span_end", now, span, id=span)
    if error := made.get("error"):
        add("error", times.length, error=error)
    for scorer, score in made["scores"].items():
        add("score", times.length, score=score, target=made["target"], scorer=scorer)
    return events


def _group_rounds(transcript: Transcript) -> Iterator[tuple[str, list[Event]]]:
    """Yield the turns of each round of each sub-debate, with what was settled after them."""
    kept = Turn | Noted | Searched | NodeFinished
    name = "before"
    named: list[tuple[str, Event]] = []
    for event in transcript.events:
        if isinstance(event, Turn):
            name = f"{event.node} · round {event.round}" if event.node else f"round {event.round}"
        if isinstance(event, kept):
            named.append((name, event))
    for key, group in groupby(named, key=lambda each: each[0]):
        yield key, [event for _, event in group]


def _describe_call(turn: Turn, times: TurnTimes, made: Json, said: Mapping[str, Json]) -> Json:
    """Return what is to be said of a turn's call, without its output.

    The input is the question, the turns that the prompt showed, and a line that names the prompt:
    its text is in the ledger, and not in the transcript.
    """
    read = [said[f"{made['uuid']}-turn-{each}"] for each in turn.reads if each in times.begins]
    shown = ", ".join(f"#{each}" for each in turn.reads) or "nothing"
    line = f"[{turn.agent} · round {turn.round} · prompt {turn.step!r} · shown: {shown}]"
    asked = {"id": f"{made['uuid']}-asked-{turn.id}", "role": "user", "content": line}
    return {
        "model": turn.model,
        "role": turn.role,
        "input": [made["messages"][0], *read, asked],
        "tools": [],
        "tool_choice": "none",
        "config": {},
        "retries": turn.retries or None,
        "cache": "read" if turn.replayed else None,
        "completed": times.moment(times.ends[turn.id]),
        "working_time": turn.seconds,
    }


def _encode_event(event: Event) -> Json:
    data: Json = msgspec.to_builtins(event, str_keys=True)
    return data
