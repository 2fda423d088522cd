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
from moot.parsing.ballots import FORMS, Ballot, parse_ballot

NUMBER = Question(id="n", kind="number", text="?")
PICK = Question(id="p", kind="choice", text="?", choices=("x", "y", "z"))
SHOWN = {"A": "45", "B": "35", "C": "12"}
OPTIONS = {"1": "C", "2": "A"}


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
    "developed": 0.97,
    "held-out": 0.88,
    "held-out-invented": 0.95,
    "held-out-last": 0.9,
}


@pytest.mark.parametrize(("split", "share"), SHARES.items())
def test_moot_reads_what_a_reader_reads(split, share):
    rows = [row for row in ROWS if row.split == split]
    assert sum(row.is_right() for row in rows) / len(rows) >= share


def read(reply, question=NUMBER, shown=SHOWN, *, finished=True):
    return parse_ballot(reply, question, finished, shown).reading or Ballot()


@pytest.mark.parametrize(
    ("reply", "vote"),
    [
        ('{"vote": "B"}', "35"),
        ('{"vote": "Answer B"}', "35"),
        ('{"vote": "(b)"}', "35"),
        ('{"vote": "B: 35"}', "35"),
        ('{"vote": "B (35)"}', "35"),
        ('{"vote": "B (45)"}', None),  # which of the two?
        ('{"vote": 35}', "35"),
        ('{"vote": "35.0"}', "35"),
        ('{"my_vote": "B"}', "35"),
        ('{"vote": "D"}', None),
        ('{"vote": ["B"]}', None),
        ('{"vote": true}', None),
        ("I weighed them.\nVote: B", "35"),
        ("Vote: **B**.", "35"),
        ("My vote is: B", "35"),
        ("I vote for: B", "35"),
        ("Vote: A\n\nNo, wait.\nVote: B", "35"),
        ("That is right. Voted: B", "35"),
        ("17 + 18 is 35. Final answer: 35", "35"),
        ("Final answer: 45\nFinal answer: 35", None),
        ("A:\n17 + 28. Final answer: 45\n\nB:\nFinal answer: 45", None),
        ("Final answer: 99", None),
        ("Vote:", None),
        ("Vote: some other time", None),
        ("", None),
    ],
)
def test_what_a_reply_votes_for(reply, vote):
    assert read(reply).vote == vote


def test_options_may_be_named_by_number_or_by_their_own_letter():
    assert read('{"vote": "1"}', PICK, OPTIONS).vote == "C"
    assert read('{"vote": 1}', PICK, OPTIONS).vote == "C"
    named = read(
        '{"vote": "A", "ranking": ["A", "B", "C"], "points": {"A": 7, "C": 3}}', PICK, OPTIONS
    )
    assert (named.vote, named.ranking, named.points) == ("A", ("A", "C"), {"A": 7, "C": 3})


@pytest.mark.parametrize(
    ("form", "value", "found"),
    [
        ("ranking", ["B", "A", "B", "Z"], ("35", "45")),
        ("ranking", "B > A > C", ("35", "45", "12")),
        ("ranking", {"A": 2, "B": 1, "C": 3}, ("35", "45", "12")),
        ("ranking", [35, "45"], ("35", "45")),
        ("ranking", [["B"], None, "A"], ("35", "45")),
        ("ranking", ["B", ["A", "C"]], ("35",)),  # up to the first tie
        ("ranking", "B > A = C", ("35",)),
        ("ranking", {"A": 1, "B": 2, "C": 2}, ("45",)),
        ("ranking", [{"label": "B", "why": "carried"}, {"label": "A"}], ("35", "45")),
        ("approved", "B, C", ("35", "12")),
        ("approved", {"A": False, "B": True}, ("35",)),
        ("points", {"A": 3, "B": 7}, {"45": 3, "35": 7}),
        ("points", {"A": "3", "B": 7.0, "Z": 0}, {"45": 3, "35": 7}),
        ("points", {"A": 2.5, "B": 7.5}, {}),
        ("points", {"A": -1, "B": 11}, {}),
        ("points", [3, 7], {}),
        ("scores", {"A": 6.5, "B": 11, "C": None}, {"45": 6.5}),
        ("scores", {"A": 1e999}, {}),
        ("scores", {"A": "6/10", "B": "90%", "C": {"score": 2}}, {"45": 6, "12": 2}),
        ("points", "A: 3, B: 7", {"45": 3, "35": 7}),
        ("points", [{"label": "A", "points": 3}, {"label": "B", "points": 7}], {"45": 3, "35": 7}),
        ("scores", {"Answer A": 6, "A": 9}, {"45": 6.0}),
    ],
)
def test_each_form(form, value, found):
    assert getattr(read(json.dumps({form: value}).replace("Infinity", "1e999")), form) == found


def test_a_ballot_in_lines():
    found = read(
        "- **Vote**: B\n- **Ranking**: B, A, C\nApproved: B and nothing else\n"
        "Points: A: 3, B: 7\nScores: A: 6, B: 8.5"
    )
    assert (found.vote, found.ranking) == ("35", ("35", "45", "12"))
    assert found.points == {"45": 3, "35": 7}
    assert found.scores == {"45": 6.0, "35": 8.5}


def test_of_a_reply_that_was_cut_off_the_last_line_does_not_count():
    assert read("Vote: B", finished=False).vote is None
    assert read("Vote: B\nRanking: B, A", finished=False) == Ballot(vote="35", labels=SHOWN)


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
