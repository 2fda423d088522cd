"""Folds: who is chosen, what it scores, and what resampling does to both."""

import numpy as np
import pytest

from moot.analyses.folds import _score_resamples, choose_by_folds
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


def test_a_question_drawn_twice_is_twice_in_its_fold():
    """The arithmetic on counts gives what writing the questions out gives."""
    rng = np.random.default_rng(8)
    totals, sizes = rng.integers(3, size=(12, 3)).astype(float), np.full(12, 2.0)
    fold, times = np.arange(12) % 4, rng.multinomial(12, np.full(12, 1 / 12), size=20)
    scores, gains, chosen = _score_resamples(totals, sizes, fold, times.astype(float))
    for row, count in enumerate(times):
        asked = [q for q in range(12) for _ in range(count[q])]
        held_out = 0.0
        for number in range(4):
            rest = [sum(totals[q, arm] for q in asked if fold[q] != number) for arm in range(3)]
            assert chosen[row, number] == rest.index(max(rest))
            held_out += sum(totals[q, chosen[row, number]] for q in asked if fold[q] == number)
        assert scores[row] == pytest.approx(held_out / 24)
        assert gains[row] == pytest.approx(held_out / 24 - totals[asked].mean() / 2)
