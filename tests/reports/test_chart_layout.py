"""Where marks and labels stand."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.analyses.network_graph import spread_apart
from moot.core.chart import Axis
from moot.reports.chart_layout import make_scale, place_labels, round_shares

heights = st.lists(st.floats(0, 400), max_size=40)


@given(heights)
def test_heights_are_apart_and_in_the_same_order(wanted):
    got = spread_apart(wanted, 12)
    order = sorted(range(len(wanted)), key=lambda k: wanted[k])
    for one, other in pairwise(order):
        assert got[other] - got[one] >= 12 - 1e-6
    if wanted:
        assert sum(got) == pytest.approx(sum(wanted), abs=1e-6)


PRICE = Axis("price", kind="money")


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20))
def test_values_are_on_their_scale_and_found_again(values):
    scale = make_scale(PRICE, values)
    for value in values:
        assert 0 <= scale.place(value) <= 1
        assert scale.value(scale.place(value)) == pytest.approx(value, rel=1e-6)


def test_a_scale_is_logarithmic_where_values_differ_much():
    assert not make_scale(PRICE, [1, 19]).is_log
    assert make_scale(PRICE, [1, 21]).is_log
    assert not make_scale(PRICE, [0, 1000]).is_log
    assert make_scale(PRICE, [0, 0]).ends == (0, 1)
    assert make_scale(Axis("n", kind="points"), [0.1, 0.2]).ends[0] == 0


def test_labels_cover_nothing_where_there_is_room():
    spots = [(50.0 + 40 * (k % 8), 50.0 + 40 * (k // 8)) for k in range(32)]
    placed = place_labels(spots, [str(k) for k in range(32)], 5.0, (460, 340), 11)
    boxes = [(x, y, 0.29 * 11 * len(str(k)), 6.0) for k, (x, y) in enumerate(placed)]
    for k, (x, y, wide, high) in enumerate(boxes):
        others = [*boxes[:k], *((x, y, 5.0, 5.0) for x, y in spots)]
        assert not [
            o for o in others if abs(x - o[0]) < wide + o[2] and abs(y - o[1]) < high + o[3]
        ]


@given(st.floats(0, 1), st.floats(0, 1))
def test_an_axis_of_shares_holds_them_in_whole_tenths(one, other):
    low, high = round_shares(min(one, other), max(one, other))
    assert 0 <= low <= min(one, other) + 1e-9
    assert max(one, other) - 1e-9 <= high <= 1
    assert high - low >= 0.2 - 1e-9
    assert low * 10 == pytest.approx(round(low * 10))
