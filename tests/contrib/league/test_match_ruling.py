"""A juror's ruling is read where it names a winner and a margin, and else not at all."""

from moot.contrib.league.match_ruling import MatchRuling, parse_match_ruling
from moot.core.questions import Question

MOTION = Question(id="m", kind="text", text="Homework should be abolished")
SIDES = {"A": "CON", "B": "PRO"}


def test_grades_stand_by_side_and_only_whole_ones_from_1_to_5_count():
    said = (
        '{"decisive": "The last answer.", "grades": {"A": {"reasons": 4, "evidence": 9}, '
        '"B": {"Reasons": 2, "answers": 2.5}}, "winner": "A", "margin": 2}'
    )
    ruling = parse_match_ruling(said, MOTION, heard=SIDES).reading
    assert ruling.grades == {"CON": {"reasons": 4}, "PRO": {"reasons": 2}}
    assert ruling.in_words().startswith("**CON by 2 of 5.** The last answer.")


def test_a_margin_towards_a_side_has_its_sign():
    ruling = MatchRuling(winner="PRO", margin=3.0, first="CON")
    assert (ruling.margin_of("PRO"), ruling.margin_of("CON")) == (3.0, -3.0)
    tied = MatchRuling(winner="tie", margin=0.0, first="CON")
    assert (tied.margin_of("PRO"), tied.margin_of("CON")) == (0.0, 0.0)
