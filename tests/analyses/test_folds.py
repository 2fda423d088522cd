"""Folds: who is chosen, what it scores, and what resampling does to both."""

from moot.analyses.folds import choose_by_folds
from moot.core.results import Mean


def grid(**right):
    """Scores by arm, of a text of ones and zeros, one for each question."""
    return {
        arm: {(str(q), 0): float(bit) for q, bit in enumerate(bits)} for arm, bits in right.items()
    }


def test_the_better_arm_is_chosen_and_score_resamples_where_it_was_not_chosen():
    found = choose_by_folds(grid(A="11111000", B="00000111"), 4, "key")
    assert sum(found.chosen.values()) == 4
    assert next(iter(found.chosen)) == "A"
    alike = choose_by_folds(grid(A="1010", B="1010"), 2, "key")
    assert (alike.chosen, alike.score.mean, alike.tuning.mean) == ({"A": 2}, 0.5, 0.0)


def test_there_is_nothing_to_choose_on_of_one_question_and_nothing_to_gain_of_one_arm():
    assert choose_by_folds(grid(A="1", B="0"), 5, "key") == (Mean(), Mean(), {})
    alone = choose_by_folds(grid(A="1100"), 5, "key")
    assert (alone.score.mean, alone.tuning, alone.chosen) == (0.5, Mean(), {"A": 4})
