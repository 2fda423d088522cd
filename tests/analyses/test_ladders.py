"""Which arms differ in one setting alone."""

from moot.analyses.ladders import find_ladders
from moot.core.stored import Arm


def arm(name, protocol="self-consistency", **settings):
    return Arm(name=name, protocol=protocol, settings={"temperature": 0.7, "cast": []} | settings)


def cast(*temperatures):
    return [{"temperature": each} for each in temperatures]


def told(arms):
    return {
        (each.setting, each.label): [(rung.arm, rung.size) for rung in each.rungs]
        for each in find_ladders(arms)
    }


def test_those_that_differ_in_two_are_none():
    assert find_ladders([arm("a", samples=1), arm("b", samples=3, temperature=0.0)]) == []
    assert find_ladders([arm("a", agents=1), arm("b", "society-of-minds", agents=2)]) == []
    assert find_ladders([]) == []


def test_a_grid_has_a_ladder_for_each_row_and_column():
    arms = [
        arm(f"{n}/{t}", samples=n, temperature=t, model="m") for n in (1, 2) for t in (0.0, 1.0)
    ]
    assert set(told(arms)) == {
        ("samples", "temperature=0"),
        ("samples", "temperature=1"),
        ("temperature", "samples=1"),
        ("temperature", "samples=2"),
    }


def test_a_temperature_for_each_agent_is_a_way_of_its_own():
    arms = [
        *(arm(f"fixed {n}", samples=n) for n in (3, 2)),
        arm("varied 2", samples=2, cast=cast(0.0, 1.0)),
        arm("varied 3", samples=3, cast=cast(0.0, 0.5, 1.0), temperature=0.1),
    ]
    assert told(arms) == {
        ("samples", "temperature=0.7"): [("fixed 2", 2), ("fixed 3", 3)],
        ("samples", "varied temperature"): [("varied 2", 2), ("varied 3", 3)],
    }
    assert [each.varied for each in find_ladders(arms)] == [False, True]
