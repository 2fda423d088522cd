"""The longest chain of turns that wait for each other."""

import pytest

from moot.metrics.seconds import seconds, wall_seconds


def test_turns_that_do_not_read_each_other_run_at_once(debate, turn):
    transcript = debate(*(turn(k, k, 1, "4", seconds=float(k)) for k in (1, 2, 3)))
    assert seconds(transcript) == 3.0


def test_a_chain_adds_up_and_only_what_is_read_is_waited_for(debate, turn):
    transcript = debate(
        turn(1, 0, 1, "4", seconds=1.0),
        turn(2, 1, 1, "4", seconds=10.0),
        turn(3, 0, 2, "4", reads=(1,), seconds=1.0),
        turn(4, 1, 2, "4", reads=(3,), seconds=1.0),
    )
    assert seconds(transcript) == 10.0
    late = debate(*transcript.turns, turn(5, 2, 3, "4", reads=(2, 4), seconds=0.5))
    assert seconds(late) == pytest.approx(10.5)


def test_a_replayed_turn_takes_what_it_took_and_no_turn_takes_no_time(debate, turn):
    assert seconds(debate(turn(1, 0, 1, "4", seconds=2.0, replayed=True), seconds=0.001)) == 2.0
    assert seconds(debate(failed=True)) == 0.0
    assert wall_seconds(debate(seconds=1.5)) == 1.5
    assert wall_seconds(debate(failed=True, seconds=2.5)) == 2.5


def test_in_a_sequential_round_each_waits_for_the_one_before(debate, turn):
    transcript = debate(
        turn(1, 0, 1, "4", seconds=1.0),
        turn(2, 1, 1, "4", seconds=2.0),
        turn(3, 0, 2, "4", reads=(1, 2), seconds=1.0),
        turn(4, 1, 2, "4", reads=(2, 3), seconds=1.0),
    )
    assert seconds(transcript) == pytest.approx(4.0)


def test_who_reads_a_node_waits_for_all_of_it_and_for_nothing_else(debate, turn):
    """The verdict of A is its first turn's; that of B, which is slower, goes on to nobody."""
    transcript = debate(
        turn(1, 0, 1, "4", seconds=1.0, node="A"),
        turn(2, 1, 1, "4", seconds=3.0, node="A"),
        turn(3, 1000, 1, "4", seconds=7.0, node="B"),
        turn(4, 2000, 1, "4", reads=(1,), seconds=1.0, node="C"),
        turn(5, 2000, 2, "4", reads=(1, 4), seconds=1.0, node="C"),
    )
    assert seconds(transcript) == 7.0
    slower = [turn(6, 2001, 2, "4", reads=(1, 5), seconds=2.5, node="C")]
    assert seconds(debate(*transcript.turns, *slower)) == pytest.approx(7.5)
    judge = turn(7, 3000, 1, "4", reads=(4, 3), seconds=1.0, role="judge")
    assert seconds(debate(*transcript.turns, *slower, judge)) == pytest.approx(8.5)
