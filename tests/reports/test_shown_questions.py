"""Which questions a report shows, and what is read for that."""

import pytest

from moot.core.display_text import natural_sort_key
from moot.reports.shown_questions import REPLY, choose_questions, shorten_text


@pytest.fixture
def drawn(rows):
    """Draws from questions of two arms, and notes which debates were fetched."""

    def draws(questions, fetched=None, **options):
        made = rows(questions, text=options.pop("text", "It is 4."))

        def fetch(arm, question, dataset):
            if fetched is not None:
                fetched.append((arm, question, dataset))
            return [row for row in made if (row.arm, row.question) == (arm, question)]

        return choose_questions(made, fetch, ["society", "single"], **options)

    return draws


def test_only_what_is_shown_is_fetched(drawn):
    fetched = []
    found = drawn(40, fetched, most=10)
    assert (found.seen, found.shown, len(found.asked)) == (80, 10, 5)
    assert len(fetched) == 10
    assert {question for _, question, _ in fetched} == {asked.id for asked in found.asked}


def test_a_question_is_shown_whole_or_not_at_all(drawn):
    assert [drawn(40, most=most).shown for most in (0, 1, 2, 3, 4)] == [0, 1, 2, 2, 4]


def test_there_is_an_end_to_the_room(drawn):
    one = 7 * (REPLY + 700)  # a turn of the one arm, six of the other
    text = "x" * 3 * REPLY
    assert [drawn(9, most=99, room=k * one, text=text).shown for k in (1, 2, 3)] == [2, 4, 6]
    assert drawn(9, most=99, room=1, text=text).shown == 1


def test_the_same_questions_whatever_else_was_drawn(drawn):
    few, more = ({asked.id for asked in drawn(40, most=most).asked} for most in (10, 30))
    assert few < more


def test_numbers_in_ids_are_numbers():
    found = sorted(["q10", "q9", "9", "q", "a-2-b"], key=natural_sort_key)
    assert found == ["9", "a-2-b", "q", "q9", "q10"]


def test_a_long_text_is_cut_and_said():
    assert shorten_text("x" * REPLY) == "x" * REPLY
    assert shorten_text("x" * (REPLY + 1)) == f"{'x' * REPLY}… [1 more character]"
