"""Where marks stand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from moot.core.results import Flips, Mean
from moot.reports.report_marks import flip_bar, place_forest, place_mark, place_scatter
from support.results import arm_result

ARM = arm_result()


@pytest.fixture
def arms(rows, results):
    return list(results(rows()).arms)


def test_forest_places_by_share(arms):
    made = place_forest(arms, "single")
    assert [tick.text for tick in made.ticks] == [f"{k}\u00a0%" for k in range(0, 101, 20)]
    single, society = made.rows
    assert single.low < single.mean < single.high <= society.high
    assert made.baseline == single.mean
    assert single.mean == pytest.approx((made.ticks[2].place + made.ticks[3].place) / 2)


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 3), min_size=1, max_size=8))
def test_every_mark_lies_within_the_figure(shares):
    arms = []
    for k, ends in enumerate(shares):
        low, mean, high = sorted(ends)
        got = Mean(mean=mean, low=low, high=high, n=1, questions=1)
        arms.append(replace(ARM, arm=f"arm {k}", accuracy=got, calls=k + 1))
    made = place_forest(arms, "arm 0")
    for row in made.rows:
        assert 0 <= row.low <= row.mean <= row.high <= 100
    assert all(0 <= tick.place <= 100 for tick in made.ticks)
    cloud = place_scatter(arms)
    assert (cloud is None) == (len(arms) < 2)
    for point in cloud.points if cloud else ():
        assert 0 <= point.x <= 100
        assert 0 <= point.high <= point.y <= point.low <= cloud.height


def test_the_front_is_what_no_other_arm_beats():
    def arm(name, mean, calls):
        got = Mean(mean=mean, low=mean, high=mean, n=1, questions=1)
        return replace(ARM, arm=name, accuracy=got, calls=calls)

    made = place_scatter([arm("a", 0.5, 1), arm("b", 0.7, 6), arm("c", 0.6, 9), arm("d", 0.5, 2)])
    assert {point.arm.arm for point in made.points if point.front} == {"a", "b"}
    assert [(x.arm.arm, y.arm.arm) for x, y in made.front] == [("a", "b")]
    assert made.what == "calls per debate"


def test_scatter_takes_cost_then_tokens(arms, rows, results):
    assert place_scatter(arms).what == "US dollars per debate"
    assert place_scatter(list(results(rows(cost=None)).arms)).what == "tokens per debate"


def test_labels_of_like_arms_do_not_lie_on_each_other():
    got = Mean(mean=0.5, low=0.4, high=0.6, n=1, questions=1)
    made = place_scatter([replace(ARM, arm=f"arm {k}", accuracy=got) for k in range(5)])
    heights = sorted(point.label_y for point in made.points)
    assert all(b - a >= 15 for a, b in pairwise(heights))


def test_the_flip_bar_is_whole():
    bar = flip_bar(Flips(wrong_to_right=1, right_to_wrong=2, kept_right=3, kept_wrong=4))
    assert [(part.kind, part.width) for part in bar] == [
        ("kept-right", 30),
        ("wrong-to-right", 10),
        ("right-to-wrong", 20),
        ("kept-wrong", 40),
    ]
    assert [part.start for part in bar] == [0, 30, 40, 60]


def test_no_accuracy_no_figure():
    unknown = replace(ARM, accuracy=Mean())
    assert place_forest([unknown], None) is None
    assert place_scatter([unknown, unknown]) is None


@given(st.tuples(*[st.floats(0, 1)] * 3))
def test_a_part_lies_within_its_bar_and_its_interval_around_it(ends):
    low, mean, high = sorted(ends)
    made = place_mark(Mean(mean=mean, low=low, high=high))
    assert 4 <= made.low <= made.mean <= made.high <= 96


def test_a_part_of_one_question_has_no_interval():
    assert place_mark(Mean(mean=0.5)) == (50.0, None, None)
