"""A juror's ruling is read where it names a winner and a margin, and else not at all."""

import pytest

from moot.core.questions import Question
from moot.parsing.match_ruling import MatchRuling, match_schema, parse_match_ruling

MOTION = Question(id="m", kind="text", text="Homework should be abolished")
SIDES = {"A": "CON", "B": "PRO"}


def read(text, *, finished=True):
    return parse_match_ruling(text, MOTION, finished, SIDES).reading


@pytest.mark.parametrize(
    ("text", "winner", "margin"),
    [
        ('{"winner": "A", "margin": 3}', "CON", 3),
        ('{"winner": "B", "margin": 2.5}', "PRO", 2.5),
        ('{"Winner": "Side B", "Margin": "4/5"}', "PRO", 4),
        ('{"winner": "the side a", "margin": "1 out of 5"}', "CON", 1),
        ('{"winner": "tie", "margin": 4}', "tie", 0),
        ('{"winner": "Neither"}', "tie", 0),
        ('{"winner": "B", "margin": 0}', "PRO", 0),
        (
            'I weighed {both}.\n```json\n{"decisive": "x", "winner": "B", "margin": 5}\n```',
            "PRO",
            5,
        ),
        (
            '{"winner": "A", "margin": 1}\nOn second thought:\n{"winner": "B", "margin": 2}',
            "PRO",
            2,
        ),
    ],
)
def test_the_winner_is_a_side_by_its_name(text, winner, margin):
    ruling = read(text)
    assert (ruling.winner, ruling.margin, ruling.first) == (winner, margin, "CON")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Side A was better.",
        '{"winner": "A"}',
        '{"winner": "A", "margin": 6}',
        '{"winner": "A", "margin": -1}',
        '{"winner": "A", "margin": true}',
        '{"winner": "A", "margin": "much"}',
        '{"winner": "A or B", "margin": 2}',
        '{"winner": "A, B or tie", "margin": 0}',
        '{"winner": 1, "margin": 2}',
        '{"margin": 3}',
        '["winner", "A"]',
    ],
)
def test_what_names_no_winner_with_a_margin_is_no_ruling(text):
    assert read(text) is None


def test_a_margin_that_was_cut_off_does_not_count():
    assert read('{"winner": "A", "margin": 3', finished=False) is None
    assert read('{"winner": "A", "margin": 3', finished=True).margin == 3


def test_grades_stand_by_side_and_only_whole_ones_from_1_to_5_count():
    ruling = read(
        '{"decisive": "The last answer.", "grades": {"A": {"reasons": 4, "evidence": 9}, '
        '"B": {"Reasons": 2, "answers": 2.5}}, "winner": "A", "margin": 2}'
    )
    assert ruling.grades == {"CON": {"reasons": 4}, "PRO": {"reasons": 2}}
    assert ruling.in_words().startswith("**CON by 2 of 5.** The last answer.")


def test_a_margin_towards_a_side_has_its_sign():
    ruling = MatchRuling(winner="PRO", margin=3.0, first="CON")
    assert (ruling.margin_of("PRO"), ruling.margin_of("CON")) == (3.0, -3.0)
    tied = MatchRuling(winner="tie", margin=0.0, first="CON")
    assert (tied.margin_of("PRO"), tied.margin_of("CON")) == (0.0, 0.0)


def test_the_schema_holds_a_model_to_what_is_read():
    assert match_schema(MOTION)["properties"]["winner"]["enum"] == ["A", "B", "tie"]
