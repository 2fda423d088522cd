"""Spaces: every value that can be drawn lies in its range, and none is drawn that does not."""

import pytest

from moot.contrib.tuning.search import open_proposals
from moot.contrib.tuning.space import CORNERS, ChoiceAxis, RangeAxis, Space, read_space
from moot.debate.protocol import registry

SOCIETY = registry.get("society-of-minds")


def space(**axes):
    return read_space(axes, SOCIETY, where="here")


def test_the_points_of_a_finite_space():
    found = space(rounds={"low": 1, "high": 3}, agreement={"low": 0, "high": 25, "step": 10})
    assert found.size == 9
    points = list(found.points())
    assert len(points) == 9
    assert points[0] == {"rounds": 1, "agreement": 0}
    assert points[-1] == {"rounds": 3, "agreement": 20}
    tenths = space(temperature={"low": 0, "high": 1.2, "step": 0.1})
    assert [point["temperature"] for point in tenths.points()] == [n / 10 for n in range(13)]
    assert space(temperature={"low": 0, "high": 1}).size == float("inf")
    assert space(temperature={"low": 1, "high": 1}).size == 1


def test_corners_are_all_ends_and_in_a_great_space_each_end_at_least():
    found = space(rounds={"low": 1, "high": 3}, style=["cot", "simple"])
    assert len(found.corners()) == 4
    great = Space({f"axis{n}": RangeAxis(low=0, high=9, step=1) for n in range(20)})
    corners = great.corners()
    assert len(corners) <= CORNERS + 40
    assert all(
        any(corner[name] == end for corner in corners) for name in great.axes for end in (0, 9)
    )


@pytest.mark.parametrize(
    "axis",
    [
        RangeAxis(low=1, high=1000, log=True),
        RangeAxis(low=1e-3, high=1.0, log=True),
        RangeAxis(low=0.0, high=2.0),
        RangeAxis(low=0, high=100, step=7),
        ChoiceAxis(("a", [1, 2], {"b": 3})),
    ],
)
def test_what_optuna_proposes_is_in_the_space_and_seeded(axis):
    found = Space({"x": axis, "y": RangeAxis(low=0.0, high=1.0)})

    def drawn(seed):
        with open_proposals(found, 20, seed=seed) as proposals:
            points = []
            for number in range(20):
                points.append(proposals.ask())
                state = ("done", "pruned", "failed")[number % 3]
                proposals.tell(state, points[-1]["y"])
            return points

    points = drawn(1)
    assert points == drawn(1) != drawn(2)
    for point in points:
        if isinstance(axis, ChoiceAxis):
            assert point["x"] in axis.values
        else:
            assert axis.low <= point["x"] <= axis.high
            assert type(point["x"]) is type(axis.low)
