"""The rules held against real replies, labelled by a reader: see bench/extraction.py."""

from pathlib import Path

import msgspec
import pytest

from moot.core.questions import KINDS, Kind, Question
from moot.parsing.extract import extract
from moot.parsing.same import is_same


class Row(msgspec.Struct, frozen=True):
    id: str
    split: str
    kind: Kind
    question: str
    choices: tuple[str, ...]
    finished: bool
    reply: str
    answer: str | None

    def agrees(self) -> bool:
        question = Question(id=self.id, kind=self.kind, text=self.question, choices=self.choices)
        found = extract(self.reply, question, self.finished)
        return is_same(found, self.answer, self.kind) or (found is None and self.answer is None)


READ = [kind for kind in KINDS if kind != "math"]
"""Mathematics is read by marks alone: tests/parsing/mathematics."""
LINES = (Path(__file__).parent / "replies.jsonl").read_bytes().splitlines()
ROWS = [msgspec.json.decode(line, type=Row) for line in LINES]


def test_there_are_replies_of_every_kind() -> None:
    assert len(ROWS) >= 2300
    assert {row.kind for row in ROWS} == {*READ}
    assert len({row.id for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("split", "share"), [("developed", 0.96), ("held-out", 0.95)])
def test_moot_reads_what_a_reader_reads(split: str, share: float) -> None:
    rows = [row for row in ROWS if row.split == split]
    assert sum(row.agrees() for row in rows) / len(rows) >= share


@pytest.mark.parametrize("kind", READ)
def test_moot_reads_every_kind(kind: Kind) -> None:
    rows = [row for row in ROWS if row.kind == kind]
    assert sum(row.agrees() for row in rows) / len(rows) >= 0.95
