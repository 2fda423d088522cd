"""The lines of ``moot export --format jsonl``: one debate of moot each, with its events."""

from collections.abc import Iterator
from typing import Any

import msgspec

from moot import Transcript
from moot.contrib.imports.debate_log import (
    LoggedAgent,
    LoggedDebate,
    LoggedQuestion,
    LoggedTurn,
    LoggedVerdict,
)
from moot.contrib.imports.log_files import Log
from moot.contrib.imports.log_format import Unread, log_format
from moot.contrib.imports.log_parts import some_fit, split_files
from moot.extend.faults import DamagedError
from moot.extend.records import decode_transcript


class _Line(msgspec.Struct):
    run: str
    arm: str
    dataset: str
    question: str
    replicate: int
    events: list[Any]


_KEYS = set(_Line.__struct_fields__)


def _is_debate(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(value, dict) and value.keys() >= _KEYS


def _fits(head: Any) -> bool:  # noqa: ANN401 -- any JSON
    return isinstance(head, list) and any(map(_is_debate, head))


def _look(log: Log) -> str:
    return "" if some_fit(log, _fits) else "no line with run, arm … events"


@log_format("jsonl", look=_look)
def own_lines(log: Log) -> Iterator[LoggedDebate | Unread]:
    """JSON lines of moot export --format jsonl."""
    for file in split_files(log, _fits):
        for key, value in file.iterate_items():
            place = file.place(key)
            try:
                line = msgspec.convert(value, _Line)
                encoded = msgspec.json.encode({"events": line.events})
                yield _make_debate(line, decode_transcript(encoded, place), place)
            except msgspec.ValidationError as error:
                yield Unread(place, f"is no line of moot: {error}")
            except DamagedError as error:
                yield Unread(place, error.why)


def _make_debate(line: _Line, transcript: Transcript, place: str) -> LoggedDebate:
    question, opened = transcript.question, transcript.opened
    right = question.answer
    end = transcript.verdict
    verdict = LoggedVerdict(answer=end.answer, text=end.text, by=end.by) if end else None
    arm = {"name": line.arm, "protocol": opened.protocol, "settings": opened.settings}
    return LoggedDebate(
        id=line.question,
        question=LoggedQuestion(
            text=question.text,
            kind=question.kind,
            choices=tuple(question.choices),
            context=question.context or "",
            answer=tuple(right) if isinstance(right, list | tuple) else right,
        ),
        agents=tuple(
            LoggedAgent(name=seat.agent, model=seat.model, role=seat.role, answers=seat.debater)
            for seat in transcript.seats
        ),
        turns=tuple(
            LoggedTurn(agent=turn.agent, text=turn.text, round=turn.round, step=turn.step)
            for turn in transcript.turns
        ),
        dataset=line.dataset,
        method=opened.protocol,
        replicate=line.replicate,
        verdict=verdict,
        settings=dict(opened.settings),
        place=place,
        moot={
            "run": line.run,
            "arm": arm,
            "simulated": opened.simulated,
            "events": line.events,
        },
    )
