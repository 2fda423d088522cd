"""The two tables: a row a debate, and a row a turn."""

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import msgspec

from moot.core.events import Turn
from moot.metrics.debaters import find_right
from moot.reports.export.outline import ExportedDebate
from moot.reports.export.row_files import ExportKind

What = Literal["debates", "turns"]

ExportRow = list[Any]


class ExportTable(NamedTuple):
    """A table to be written.

    Attributes:
        columns: their kinds by name, in order.
        rows: those of one debate.
    """

    columns: dict[str, ExportKind]
    rows: Callable[[ExportedDebate], Iterator[ExportRow]]


_KEY: dict[str, tuple[ExportKind, Callable[[ExportedDebate], Any]]] = {
    "run": ("text", lambda each: each.run.key),
    "study": ("text", lambda each: each.run.name),
    "dataset": ("text", lambda each: each.row.dataset),
    "question_id": ("text", lambda each: each.row.question),
    "arm": ("text", lambda each: each.row.arm),
    "replicate": ("whole", lambda each: each.row.replicate),
    "simulated": ("truth", lambda each: each.transcript.opened.simulated),
}
_DEBATE: dict[str, tuple[ExportKind, Callable[[ExportedDebate], Any]]] = _KEY | {
    "protocol": ("text", lambda each: each.transcript.opened.protocol),
    "settings": ("text", lambda each: _json(each.transcript.opened.settings)),
    "kind": ("text", lambda each: each.transcript.question.kind),
    "question": ("text", lambda each: each.transcript.question.text),
    "choices": ("texts", lambda each: each.transcript.question.choices),
    "correct_answers": ("texts", lambda each: each.transcript.question.answers),
    "verdict": ("text", lambda each: (v := each.transcript.verdict) and v.answer),
    "decided_by": ("text", lambda each: (v := each.transcript.verdict) and v.by),
    "failed_kind": ("text", lambda each: (f := each.transcript.failed) and f.kind),
    "failed_reason": ("text", lambda each: (f := each.transcript.failed) and f.reason),
}
_TURN: dict[str, tuple[ExportKind, Callable[[Turn], Any]]] = {
    "turn": ("whole", attrgetter("id")),
    "node": ("text", lambda turn: turn.node or None),
    "agent": ("text", attrgetter("agent")),
    "seat": ("whole", attrgetter("seat")),
    "role": ("text", attrgetter("role")),
    "round": ("whole", attrgetter("round")),
    "step": ("text", attrgetter("step")),
    "model": ("text", attrgetter("model")),
    "text": ("text", attrgetter("text")),
    "thought": ("text", lambda turn: turn.thought or None),
    "answer": ("text", attrgetter("answer")),
    "parser": ("text", lambda turn: turn.parser or None),
    "reading": ("text", lambda turn: None if turn.reading is None else _json(turn.reading)),
    "reads": ("wholes", attrgetter("reads")),
    "order": ("wholes", attrgetter("order")),
    "removed": ("whole", attrgetter("removed")),
    "finish": ("text", attrgetter("finish")),
    "prompt_tokens": ("whole", attrgetter("prompt_tokens")),
    "completion_tokens": ("whole", attrgetter("completion_tokens")),
    "reasoning_tokens": ("whole", attrgetter("reasoning_tokens")),
    "cached_tokens": ("whole", attrgetter("cached_tokens")),
    "prefix_share": ("real", attrgetter("prefix_share")),
    "seconds": ("real", attrgetter("seconds")),
    "cost": ("real", attrgetter("cost")),
    "retries": ("whole", attrgetter("retries")),
    "replayed": ("truth", attrgetter("replayed")),
    "batch": ("real", attrgetter("batch")),
    "call": ("text", attrgetter("call")),
}


def make_export_table(what: What, metrics: list[str]) -> ExportTable:
    """Return the table of debates, with these metrics as columns, or the one of turns."""
    return _turns() if what == "turns" else _debates(metrics)


def _debates(metrics: list[str]) -> ExportTable:
    readers = [read for _, read in _DEBATE.values()]

    def rows(debate: ExportedDebate) -> Iterator[ExportRow]:
        values = debate.row.values
        yield [read(debate) for read in readers] + [values.get(name) for name in metrics]

    columns: dict[str, ExportKind] = {name: kind for name, (kind, _) in _DEBATE.items()}
    # A metric of a plug-in may have the name of a column.
    columns |= {f"{name} (metric)" if name in columns else name: "real" for name in metrics}
    return ExportTable(columns, rows)


def _turns() -> ExportTable:
    keys = [read for _, read in _KEY.values()]
    readers = [read for _, read in _TURN.values()]

    def rows(debate: ExportedDebate) -> Iterator[ExportRow]:
        key = [read(debate) for read in keys]
        known = find_right(debate.transcript)
        debates = {seat.number: seat.debater for seat in debate.transcript.seats}
        for turn in debate.transcript.turns:
            correct = None if known is None else known[turn.answer]
            yield [*key, *(read(turn) for read in readers), debates.get(turn.seat, True), correct]

    columns: dict[str, ExportKind] = {name: kind for name, (kind, _) in (_KEY | _TURN).items()}
    return ExportTable(columns | {"debater": "truth", "right": "truth"}, rows)


def _json(value: object) -> str:
    plain = msgspec.to_builtins(value, str_keys=True)  # sorted keys have to be texts
    return msgspec.json.encode(plain, order="sorted").decode()
