"""The most that first answers allow, and how the share of right agents drifts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.analyses.ceiling import measure_ceiling
from moot.metrics.first_pool import PooledAnswers
from moot.parsing.same import majority
from support.recorded import analyse_sums


def pool(first, right=None, later=None):
    vote = lambda rights: float(sum(rights) * 2 > len(rights))  # noqa: E731
    shares = {1: sum(first) / len(first)} | ({} if later is None else {2: sum(later) / len(later)})
    votes = {1: vote(first)} | ({} if later is None else {2: vote(later)})
    right = vote(first) if right is None else right
    return PooledAnswers(tuple(first), tuple(later or first), right, vote(first), shares, votes)


def test_co_failure_and_its_bound():
    debates = {(f"q{k}", 0): pool([k >= 5, k >= 40, True and k >= 5]) for k in range(100)}
    found = measure_ceiling("sums", "arm", debates)
    assert found.all_wrong.mean == 0.05
    assert found.lower == pytest.approx(0.0199, abs=5e-5)
    assert found.best == 0.95
    assert found.headroom == pytest.approx(1 - found.lower - 0.95)


@given(st.lists(st.lists(st.sampled_from("ABC"), min_size=3, max_size=3), min_size=1, max_size=20))
def test_a_vote_never_exceeds_the_ceiling(answers):
    debates = {}
    for k, given_ in enumerate(answers):
        first = [each == "A" for each in given_]
        debates[f"q{k}", 0] = pool(first, majority(given_, "choice")[0] == "A")
    found = measure_ceiling("sums", "vote", debates)
    assert found.accuracy.mean <= 1 - found.all_wrong.mean + 1e-12
    assert not found.escape.mean


def run(tmp_path, seed):
    arms = [{"protocol": "society-of-minds", "rounds": 2}]
    model = f"simulated/people?accuracy=0.5&seed={seed}"
    return analyse_sums(tmp_path, "ceiling", model, arms, {"n": 40, "difficulty": 4})


@pytest.mark.parametrize(("seeds", "least"), [(4, 3), pytest.param(20, 16, marks=pytest.mark.soak)])
def test_the_null_model_does_not_drift(tmp_path, seeds, least):
    """In about 95 % of runs the interval holds 0: 16 or fewer of 20 have a chance of 1.6 %."""
    inside = 0
    for seed in range(seeds):
        [found] = run(tmp_path / str(seed), seed).data
        [drift] = found.drifts
        inside += drift.share.low <= 0 <= drift.share.high
    assert inside >= least
