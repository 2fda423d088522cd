"""Rounds: until a check ends them, or a step does; an extension goes on after either."""

import pytest

from moot.debate.rounds import Rounds


@pytest.mark.parametrize(
    ("numbers", "stops_at", "extra", "expected"),
    [
        (range(1, 4), None, 0, [1, 2, 3]),
        (range(1, 4), 2, 0, [1]),
        (range(1, 4), 2, 1, [1, 2, 3]),
        (range(1, 4), None, 2, [1, 2, 3, 4, 5]),
        (range(2, 7, 2), None, 1, [2, 4, 6, 8]),
        ([1, 2], None, 1, [1, 2]),
        (range(0), None, 1, [0]),
    ],
)
def test_they_end_at_a_check_and_go_on_where_more_are_asked_for(numbers, stops_at, extra, expected):
    rounds, asked = Rounds(numbers), []

    def check():
        asked.append(1)
        return len(asked) == stops_at

    rounds.checks.append(check)
    rounds.extra = extra
    assert list(rounds) == expected


def test_all_checks_are_called_and_a_step_ends_them_before_any():
    rounds, called = Rounds(range(3)), []
    for name in "ab":
        rounds.checks.append(lambda name=name: bool(called.append(name)) or name == "a")
    assert list(rounds) == []
    assert called == ["a", "b"]

    def decide(rounds):
        rounds.is_over = True

    ended = Rounds(range(3))
    ended.steps.append(decide)
    ended.checks.append(lambda: bool(called.append("c")))
    ended.extra = 1
    assert (list(ended), called) == ([], ["a", "b"])
