"""Prejudice: what is compared with what, known answers, and that planted anchoring is recovered."""

from random import Random

import pytest

from moot.analyses.anchoring import OpeningOutcome, group_by_opening
from moot.analyses.prejudice import measure_prejudice
from moot.core.errors import InputError
from moot.core.stored import Arm

OPEN, RIGHT, WRONG, RANDOM = "open", "control-right", "control-wrong", "control-random"


def arm(opening, name="", protocol="self-consistency", **settings):
    had = {"model": "m", "opening": opening, "distance": "near", "cast": [], **settings}
    return Arm(name=name or opening, protocol=protocol, settings=had)


def outcome(arm, question, verdict, *opening, right="true", replicate=0, dataset="d"):
    accuracy = None if right is None else float(verdict == right)
    return OpeningOutcome(
        arm, dataset, str(question), replicate, "boolean", accuracy, verdict, opening
    )


ARMS = [arm(OPEN), arm(RIGHT), arm(WRONG)]


def test_arms_that_differ_in_their_opening_alone_are_a_group():
    other = [arm(opening, f"few {opening}", samples=2) for opening in (WRONG, OPEN)]
    alone = arm(RIGHT, "alone", protocol="single")
    found = group_by_opening([*ARMS, *other, alone])
    assert [[each.name for each in group] for group in found] == [
        [OPEN, RIGHT, WRONG],
        [f"few {OPEN}", f"few {WRONG}"],
    ]


def test_nodes_say_how_they_are_opened_too_and_old_runs_do_not():
    nodes = [arm(opening, nodes=[{"name": "A", "opening": opening}]) for opening in (OPEN, WRONG)]
    assert len(group_by_opening(nodes)) == 1
    old = Arm(name="old", protocol="self-consistency", settings={"model": "m", "cast": []})
    assert [each.name for each in group_by_opening([ARMS[2], old])[0]] == ["old", WRONG]


def test_sway_is_of_the_pairs_and_of_values_that_equal_by_value():
    def number(arm, question, verdict, *opening):
        return OpeningOutcome(arm, "d", question, 0, "number", None, verdict, opening)

    rows = [
        number(OPEN, "a", "1/2"),
        number(RANDOM, "a", "0.50", "0.5"),
        number(OPEN, "b", "7"),
        number(RANDOM, "b", None, "8"),  # it failed: nothing is followed
        number(RANDOM, "c", "9", "9"),  # without an open debate
    ]
    [group] = measure_prejudice(rows, arms=[arm(OPEN), arm(RANDOM)]).groups
    sway = group.columns[1].sway
    assert (sway.followed.mean, sway.openly.mean, sway.difference.pairs) == (0.5, 0.5, 2)
    assert group.columns[1].unanswered == 1
    assert group.columns[1].difference is group.variation is None  # no right answer is known
    assert not any(column.best for column in group.columns)


def test_without_arms_by_opening_it_says_what_is_needed():
    with pytest.raises(InputError, match=r"run x: no two methods differ .* opening = \['open'"):
        measure_prejudice([], arms=ARMS[:1], run="x")
    with pytest.raises(InputError, match="run x: its methods by opening have not debated yet"):
        measure_prejudice([outcome(OPEN, 1, "true")], arms=ARMS, run="x")


@pytest.mark.parametrize("anchor", [0.0, 0.4])
def test_planted_anchoring_is_found_and_nothing_where_none_is(anchor):
    """Who is asked about a value says it with this chance, and else answers by its belief."""
    rng = Random(3)

    def answer(put):
        own = "true" if rng.random() < 0.6 else "false"
        return put if put and rng.random() < anchor else own

    rows = []
    for k in range(400):
        rows.append(outcome(OPEN, k, answer("")))
        rows += [outcome(RIGHT, k, answer("true"), "true")]
        rows += [outcome(WRONG, k, answer("false"), "false")]
    [group] = measure_prejudice(rows, arms=ARMS).groups
    for column, belief in zip(group.columns[1:], (0.6, 0.4), strict=True):
        gap = column.sway.difference
        assert gap.low <= anchor * (1 - belief) <= gap.high
        assert (gap.p_holm < 0.05) == (anchor > 0)
    assert (group.variation.p < 0.01) == (anchor > 0)
