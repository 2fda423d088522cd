"""Reviews: rankings and scores under labels, in JSON or in lines, at any place and damaged."""

import msgspec
import pytest

from moot.core.questions import Question
from moot.parsing.approval_ruling import parse_approval_ruling
from moot.parsing.review import parse_review, parse_rubric_review, weigh_marks

SUM = Question(id="q", kind="number", text="2+2?", answer="4")
HEARD = {"Response A": "member-2", "Response B": "member-3", "Response C": "member-1"}
BAC = ("member-3", "member-2", "member-1")


def read(text, *, finished=True):
    return parse_review(text, SUM, finished, HEARD).reading


@pytest.mark.parametrize(
    "text",
    [
        '{"ranking": ["Response B", "Response A", "Response C"]}',
        'Good.\n```json\n{"ranking": ["B", "A", "C"], "scores": {}}\n```\nThat is all.',
        'The set {1, 2} is wrong in A.\n{"ranking": ["Response B", "Response A", "Response C"]}',
        'First {"ranking": ["C", "B", "A"]}, no:\n{"ranking": ["B", "A", "C"]}',
        '{"Ranking": ["response b", "RESPONSE A", "Response C"]}',
        '{"ranking": ["Response B", "Response A", "Response C"',
        '{"ranking": "Response B > Response A > Response C"}',
        'Final ranking: ["Response B", "Response A", "Response C"]\nScores: {"Response B": 10}',
        "FINAL RANKING: Response B > Response A > Response C",
        "**Ranking:** B > A > C",
        '{"ranking": {"Response A": 2, "Response C": 3, "Response B": 1}}',
        "FINAL RANKING:\n1. Response B\n2. Response A\n3. Response C",
        "So.\n\n**Final Ranking:**\n\n1. **Response B** - exact\n2) Response A\n3: Response C",
        "FINAL RANKING (best to worst):\n1. Response B\n1. Response A\n1. Response C\n",
        "final ranking:\n1. C\n2. B\n\nNo, wait.\nFINAL RANKING:\n1. B\n2. A\n3. C",
        '{"ranking": ["Response B", "Response Z", "Response A", "Response B", "Response C"]}',
    ],
)
def test_rankings_that_are_read(text):
    assert read(text).ranking == BAC
    assert read(text).labels == HEARD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot rank these responses.",
        "Response B is best, then A, then C.",
        '{"ranking": []}',
        '{"ranking": ["Response X", "Response Y"], "scores": {"Response X": 0}}',
        '{"verdict": "B"}',
        "FINAL RANKING:\nnone of them",
        "{" * 5000,
        '{"ranking": {"Response A": "first"}}',
        '{"ranking": 7}',
    ],
)
def test_reviews_that_say_no_ranking(text):
    assert read(text) is None


def test_scores_from_zero_to_ten_are_read_and_others_are_not():
    text = '{"ranking": ["B"], "scores": {"B": 9, "Response A": 7.5, "C": 11, "D": 3}}'
    assert read(text).scores == {"member-3": 9.0, "member-2": 7.5}


def test_a_ranking_and_scores_that_stand_apart_are_both_read():
    """As Qwen2.5-Coder-1.5B closes a review now and then."""
    ranked = 'Final ranking: ["Response B", "Response A", "Response C"]'
    text = f'Response A: Good.\n\n{ranked}\nScores: {{"Response B": 10, "Response A": 9}}'
    assert read(text).ranking == BAC
    assert read(text).scores == {"member-3": 10.0, "member-2": 9.0}


def test_a_review_that_was_cut_off_keeps_what_it_had_said():
    assert read('{"ranking": ["B", "A", "C', finished=False).ranking == BAC[:2]
    assert read("FINAL RANKING:\n1. Response B\n2. Response A", finished=False).ranking == BAC[:1]


MARKS = {"accuracy": 8, "completeness": 6, "clarity": 10, "conciseness": 4, "relevance": 10}


def test_marks_by_a_rubric_are_weighed_and_low_accuracy_caps_them():
    assert weigh_marks(MARKS) == pytest.approx(0.35 * 8 + 0.2 * 6 + 0.2 * 10 + 0.15 * 4 + 1)
    assert weigh_marks(dict.fromkeys(MARKS, 10) | {"accuracy": 6}) == 7.0
    assert weigh_marks(dict.fromkeys(MARKS, 10) | {"accuracy": 4}) == 4.0
    assert weigh_marks(dict.fromkeys(MARKS, 1)) == 1.0


def test_a_review_by_a_rubric_keeps_its_marks():
    row = msgspec.json.encode({"Response B": MARKS, "Response A": {"accuracy": 9}}).decode()
    said = f'{{"ranking": ["Response B", "Response A"], "scores": {row}}}'
    ballot = parse_rubric_review(said, SUM, heard=HEARD).reading
    assert ballot.ranking == BAC[:2]
    assert ballot.scores == {"member-3": pytest.approx(7.6)}
    assert ballot.marks == {"Response B": {name: float(mark) for name, mark in MARKS.items()}}


YES_NO = Question(id="b", kind="boolean", text="Merge it?")
OPEN = Question(id="o", kind="text", text="Merge it.")


@pytest.mark.parametrize(
    ("text", "approved", "confidence", "boolean"),
    [
        ('{"verdict": "approved", "confidence": 0.9, "rationale": "Fine."}', True, 0.9, "true"),
        ('So:\n{"verdict": "Rejected", "confidence": "80%"}', False, 0.8, "false"),
        ('{"verdict": "not approved"}', False, None, "false"),
        ('{"verdict": "approved or rejected", "confidence": 7}', None, None, None),
        ("I see no fault.\n\nFINAL VOTE: VETO", False, None, "false"),
        ("**Final vote: ACCEPT.**", True, None, "true"),
        ("Vote: accept\nOn second thought:\nMy vote is REJECT", False, None, "false"),
        ("FINAL VOTE: ACCEPT or VETO", None, None, None),
        ("I vetoed it once. The vote was close.", None, None, None),
        ("approved", None, None, None),
        ("", None, None, None),
    ],
)
def test_rulings(text, approved, confidence, boolean):
    parsed = parse_approval_ruling(text, YES_NO)
    said = parsed.reading
    assert (said.approved if said else None) is approved
    assert (said.confidence if said else None) == confidence
    assert parsed.answer == boolean
    word = {True: "approved", False: "rejected", None: None}[approved]
    assert parse_approval_ruling(text, OPEN).answer == word
    assert parse_approval_ruling(text, SUM).answer is None
