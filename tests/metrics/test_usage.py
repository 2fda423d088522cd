"""Calls, tokens, money."""

import pytest

from moot.metrics.usage import (
    calls,
    completion_tokens,
    cost,
    measure_cached_tokens,
    measure_removed,
    prompt_tokens,
    retries,
)


def test_one_unknown_makes_the_sum_unknown(debate, turn):
    known = {"prompt_tokens": 10, "completion_tokens": 2, "cost": 0.5}
    both = debate(turn(1, 0, 1, "4", **known), turn(2, 0, 2, "4"))
    one = debate(turn(1, 0, 1, "4", **known))
    assert [prompt_tokens(one), completion_tokens(one), cost(one)] == [10, 2, 0.5]
    assert [prompt_tokens(both), completion_tokens(both), cost(both)] == [None, None, None]
    assert calls(both) == 2.0


def test_known_to_be_free_is_not_unknown(debate, turn):
    free = {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}
    transcript = debate(turn(1, 0, 1, "4", **free), turn(2, 0, 2, "4", **free))
    assert [prompt_tokens(transcript), completion_tokens(transcript), cost(transcript)] == [0, 0, 0]


def test_a_debate_without_turns_took_nothing(debate):
    nothing = debate(failed=True)
    assert [calls(nothing), prompt_tokens(nothing), cost(nothing)] == [0, 0, 0]


def test_attempts_of_a_call_that_failed_for_good_are_retries_too(debate, turn):
    spoken = turn(1, 0, 1, "4", retries=2)
    assert retries(debate(spoken)) == 2
    assert retries(debate(spoken, failed=True, retries=3)) == 5
    assert retries(debate(failed=True)) == 0


def test_judges_and_summarisers_are_paid_too(debate, turn):
    priced = {"cost": 0.25, "cached_tokens": 5}
    transcript = debate(turn(1, 0, 1, "4", **priced), turn(2, 1, 1, "4", role="judge", **priced))
    assert cost(transcript) == pytest.approx(0.5)
    assert measure_cached_tokens(transcript) == 10


def test_messages_left_out_are_summed_over_all_turns(debate, turn):
    left_out = [turn(1, 0, 1, "4", removed=2), turn(2, 1, 1, "4", removed=3, role="judge")]
    assert measure_removed(debate(*left_out)) == 5
    assert measure_removed(debate(turn(1, 0, 1, "4"))) == 0
