"""What a judge decides is measured, and what was planted is found."""

from math import log

import pytest

import moot
from moot.contrib.oversight.oversight_games import DEBATE, OversightGame, SideRecord
from moot.contrib.oversight.oversight_measures import measure_advantage, measure_expected

DEBATING, CONSULTING = {"protocol": DEBATE}, {"protocol": "oversight-consultancy", "rounds": 1}


def study(discernment, *more):
    return {
        "name": "oversight",
        "baseline": "single",
        "settings": {"model": f"simulated/judge?accuracy=0.95&discernment={discernment}"},
        "datasets": [{"name": "arithmetic", "n": 60}],
        "arms": [
            {"protocol": "single"},
            DEBATING | {"name": "naive", "rounds": 0},
            DEBATING | {"rounds": 1},
            *(CONSULTING | {"name": side, "side": side} for side in ("right", "wrong")),
            *more,
        ],
    }


def game(*, right, argued=(True, True)):
    one, other = (SideRecord("someone" * side) for side in argued)
    return OversightGame(right=right, sides=(one, other))


def advantage(games):
    found, _ = measure_advantage(games)
    return found.mean


def test_truth_pays_as_much_as_the_judge_prefers_it():
    eight = {("q", number): game(right=number < 8) for number in range(10)}
    p = (8 + 0.5) / 11
    assert advantage(eight) == pytest.approx(log(p) - log(1 - p))
    even = {("q", number): game(right=number < 5) for number in range(10)}
    assert advantage(even) == pytest.approx(0)
    assert advantage({("q", 0): game(right=True, argued=(True, False))}) is None


def test_a_judge_is_right_as_often_as_a_consultant_that_chooses_lets_it_be():
    alone = [(True, False), (False, True)]
    games = {
        (f"q{q}", number): game(right=number == 0, argued=argued)
        for q in range(9)
        for number, argued in enumerate(alone)
    }  # convinced of whatever it hears
    assert measure_expected(games, 0.0).mean == pytest.approx(0.5)
    assert measure_expected(games, log(3)).mean == pytest.approx(0.75)
    assert measure_expected({("q", 0): game(right=True)}, 1.0).mean is None


@pytest.mark.parametrize(("discernment", "low", "high"), [(0.8, 0.75, 1.0), (0.0, 0.3, 0.7)])
async def test_a_judge_that_discerns_is_found_and_one_that_does_not_is_not(
    discernment, low, high, tmp_path
):
    await moot.run(study(discernment), store=tmp_path)
    report = await moot.analyse("oversight", "oversight", store=tmp_path)
    by_arm = {each.arm: each for each in report.data}
    assert set(by_arm) == {"naive", "oversight-debate", "right", "wrong"}
    assert low <= by_arm["oversight-debate"].accuracy.mean <= high
    assert by_arm["naive"].to_naive is None
    assert by_arm["right"].convinced_right.questions == 60
    assert by_arm["right"].convinced_wrong.mean is None
    assert by_arm["wrong"].convinced_wrong.questions == 60
    assert all(each.unread == 0 for each in report.data)
