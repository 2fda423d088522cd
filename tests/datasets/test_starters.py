from collections import Counter
from fractions import Fraction

from moot.datasets import library


def test_the_starters_are_forty_well_formed_questions_of_four_kinds():
    questions = library.questions("starters")
    assert len(questions) == 40
    assert [q.id for q in questions] == [f"starters-{i}" for i in range(1, 41)]
    assert len({q.text for q in questions}) == 40
    counts = Counter(q.kind for q in questions)
    assert counts == {"choice": 12, "boolean": 10, "number": 12, "text": 6}
    for question in questions:
        assert question.text.endswith((".", "?"))
        if question.kind == "choice":
            assert len(set(question.choices)) == 4
            assert question.answer in set(question.letters)
        elif question.kind == "boolean":
            assert question.answer in {"true", "false"}
        elif question.kind == "number":
            assert Fraction(question.answer) > 0
        else:
            assert isinstance(question.answer, tuple)


def test_always_giving_the_same_letter_or_truth_value_is_no_better_than_chance():
    questions = library.questions("starters")
    letters = Counter(q.answer for q in questions if q.kind == "choice")
    truths = Counter(q.answer for q in questions if q.kind == "boolean")
    assert letters == {"A": 3, "B": 3, "C": 3, "D": 3}
    assert truths == {"true": 5, "false": 5}
