"""Ballots: real replies labelled by a reader (see bench/ballots.py), and odd ones."""

import json
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.questions import Kind, Question
from moot.core.thought import split_thought
from moot.parsing.ballot import FORMS, Ballot
from moot.parsing.ballots import parse_ballot

NUMBER = Question(id="n", kind="number", text="?")
SHOWN = {"A": "45", "B": "35", "C": "12"}


class BallotRow(msgspec.Struct, frozen=True):
    id: str
    split: str
    kind: Kind
    choices: tuple[str, ...]
    forms: str
    shown: dict[str, str]
    finished: bool
    reply: str
    vote: str | None
    ranking: tuple[str, ...]
    approved: tuple[str, ...]
    points: dict[str, int]
    scores: dict[str, float]

    def is_right(self) -> bool:
        question = Question(id=self.id, kind=self.kind, text="", choices=self.choices)
        _, text = split_thought(self.reply)
        keys = FORMS if self.forms == "all" else tuple(self.forms.split(","))
        found = (
            parse_ballot(text, question, self.finished, self.shown, keys=keys).reading or Ballot()
        )
        return all(getattr(found, form) == getattr(self, form) for form in FORMS)


LINES = (Path(__file__).parent / "ballots.jsonl").read_bytes().splitlines()
ROWS = [msgspec.json.decode(line, type=BallotRow) for line in LINES]


SHARES = {
    "developed": 0.97, "held-out": 0.88, "held-out-invented": 0.95, "held-out-last": 0.9,
}  # fmt: skip


@pytest.mark.parametrize(("split", "share"), SHARES.items())
def test_moot_reads_what_a_reader_reads(split, share):
    rows = [row for row in ROWS if row.split == split]
    assert sum(row.is_right() for row in rows) / len(rows) >= share


def read(reply, question=NUMBER, shown=SHOWN, *, finished=True):
    return parse_ballot(reply, question, finished, shown).reading or Ballot()


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([*"ABCZ", "35", "Answer B"])
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*"ABZ", "45"]), inner, max_size=4)
    ),
    max_leaves=12,
)


def check(found):
    """Whatever a reply says, a ballot is for what was shown, in whole points and marks in range."""
    answers = {*SHOWN.values()}
    assert found.vote in answers | {None}
    for listed in (found.ranking, found.approved):
        assert len(set(listed)) == len(listed)
        assert set(listed) <= answers
    assert found.points.keys() <= answers
    assert all(isinstance(each, int) and each >= 0 for each in found.points.values())
    assert found.scores.keys() <= answers
    assert all(0 <= each <= 10 for each in found.scores.values())


@given(st.dictionaries(st.sampled_from([*FORMS, "note"]), ODD), st.booleans())
def test_odd_json_is_read_or_left_out(fields, finished):
    check(read(json.dumps(fields), finished=finished))


@given(
    st.lists(
        st.sampled_from(
            [*FORMS, ":", "A", "B", "35", "final answer", "\n", " ", "{", "}", '"', ","]
        )
    ),
    st.booleans(),
)
def test_odd_texts_are_read_or_left_out(parts, finished):
    check(read("".join(parts), finished=finished))


@given(st.sampled_from([row for row in ROWS if row.vote]), st.data())
def test_a_reply_cut_anywhere_votes_for_nothing_else(row, data):
    end = data.draw(st.integers(0, len(row.reply)))
    question = Question(id=row.id, kind=row.kind, text="", choices=row.choices)
    cut = (
        parse_ballot(row.reply[:end], question, finished=False, heard=row.shown).reading or Ballot()
    )
    assert cut.vote in {*row.shown.values(), None}


@pytest.mark.parametrize(
    "piece", [" ", "\n", "A > ", "- [x] B\n", "1. A\n", "{", ". vote: A", "| A |\n"]
)
def test_a_long_reply_takes_no_long_time(piece):
    shown, keys = SHOWN, ("ranking",)
    spent = time.process_time()
    parse_ballot(piece * (30_000 // len(piece)), NUMBER, finished=True, heard=shown, keys=keys)
    assert time.process_time() - spent < 2


TABLES = [
    "| Rank | Answer |\n|---|---|\n| 1 | B |\n| 2 | A |\n| 3 | C |",
    "| Answer | Rank |\n|---|---|\n| A | 2 |\n| B | 1 |\n| C | 3 |",
    "| Rank | Response | Why |\n|:-:|---|---|\n| 1st | **B** | |\n| 2nd | A | |\n| 3rd | C | |",
    "RANKING:\n\n| Position | Response |\n|---|---|\n| 1 | Response B |\n| 2 | A |\n| 3 | C |",
    "Rank | Answer\n---|---\n1 | B\n2 | A\n3 | C",
    "Rank | Answer\n:--- | ---:\n1 | B\n2 | A\n3 | C\n\nB is best | by far",
]


@pytest.mark.parametrize("table", TABLES)
def test_a_ranking_may_be_a_table(table):
    assert read(table).ranking == ("35", "45", "12")
