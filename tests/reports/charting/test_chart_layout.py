"""Where marks and labels stand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.reports.charting.chart_layout import Axis, place_labels, spread_apart
from moot.reports.charting.look import colours, share

heights = st.lists(st.floats(0, 400), max_size=40)


@given(heights)
def test_heights_are_apart_and_in_the_same_order(wanted):
    got = spread_apart(wanted, 12)
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    for one, other in pairwise(order):
        assert got[other] - got[one] >= 12 - 1e-6
    if wanted:
        assert sum(got) == pytest.approx(sum(wanted), abs=1e-6)


def test_heights_that_are_apart_stay_where_they_are():
    assert spread_apart([50.0, 10.0, 90.0], 12) == [50.0, 10.0, 90.0]


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20))
def test_values_are_on_their_axis_and_found_again(values):
    axis = Axis.around(values)
    for value in values:
        assert 0 <= axis.at(value) <= 1
        assert axis.back(axis.at(value)) == pytest.approx(value, rel=1e-6)


def test_an_axis_is_logarithmic_where_values_differ_much():
    assert Axis.around([1, 19]).kind == "linear"
    assert Axis.around([1, 21]).kind == "log"
    assert Axis.around([0, 1000]).kind == "linear"
    assert Axis.around([0, 0]).ends == (0, 1)


def test_labels_cover_nothing_where_there_is_room():
    spots = [(50.0 + 40 * (k % 8), 50.0 + 40 * (k // 8)) for k in range(32)]
    placed = place_labels(spots, [str(k) for k in range(32)], [5.0] * 32, (460, 340))
    boxes = [(x, y, 3.2 * len(str(k)), 6.0) for k, (x, y) in enumerate(placed)]
    for k, (x, y, wide, high) in enumerate(boxes):
        others = [*boxes[:k], *((x, y, 5.0, 5.0) for x, y in spots)]
        assert not [
            o for o in others if abs(x - o[0]) < wide + o[2] and abs(y - o[1]) < high + o[3]
        ]


@given(st.floats(0, 1), st.floats(0, 1))
def test_an_axis_of_shares_holds_them_in_whole_tenths(one, other):
    low, high = share(min(one, other), max(one, other))
    assert 0 <= low <= min(one, other) + 1e-9
    assert max(one, other) - 1e-9 <= high <= 1
    assert high - low >= 0.2 - 1e-9
    assert low * 10 == pytest.approx(round(low * 10))


def test_no_two_of_49_kinds_look_the_same():
    looks = colours([str(k) for k in range(49)])
    assert len(set(looks.values())) == 49
