"""Weights of reviews: judges of unlike quality are told apart, and equal ones change nothing."""

import random
from itertools import product
from statistics import fmean

from moot.contrib.review.review_weights import ReviewedAnswers, weigh_reviews


def draw(questions, skills, seed):
    """Reviews of four answers, of which about half are right, by judges of these skills.

    A skilled judge scores right answers about 4 and others about 2; one of skill 0 scores evenly.
    """
    rng = random.Random(seed)
    found = []
    for place in range(questions):
        right = {f"member-{seat}": rng.random() < 0.5 for seat in range(4)}
        marks = {author: {} for author in right}
        for author, judge in product(right, range(len(skills))):
            sure = min(max(round(rng.gauss(4 if right[author] else 2, 1)), 1), 5)
            mark = sure if rng.random() < skills[judge] else rng.randint(1, 5)
            marks[author][f"judge-{judge}"] = float(mark)
        chosen = max(right, key=lambda author: fmean(marks[author].values()))
        found.append(ReviewedAnswers((f"q{place}", 0), marks, right, chosen))
    return found


def weigh(skills, times=8):
    return [weigh_reviews(draw(200, skills, seed), 5, 0.5) for seed in range(times)]


def test_weighing_judges_of_unlike_quality_decides_better():
    found = weigh((1, 1, 0, 0))
    assert sum(each.difference.low > 0 for each in found) >= 7
    assert fmean(each.difference.mean for each in found) > 0.05
    for each in found:
        bits = [judge.information for judge in each.judges]
        assert min(bits[:2]) > 2 * max(bits[2:])
        assert min(judge.agreement for judge in each.judges[:2]) > 0.3


def test_weighing_equal_judges_gains_nothing():
    found = weigh((1, 1, 1, 1))
    assert sum(each.difference.low > 0 or each.difference.high < 0 for each in found) <= 1
    assert abs(fmean(each.difference.mean for each in found)) < 0.01
