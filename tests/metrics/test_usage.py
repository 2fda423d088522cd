"""Calls, tokens, money."""

import pytest

from moot.metrics.usage import (
    calls,
    completion_tokens,
    cost,
    measure_cacheable,
    measure_cached,
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


def test_known_to_be_free_is_not_unknown_and_a_debate_without_turns_took_nothing(debate, turn):
    free = {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}
    transcript = debate(turn(1, 0, 1, "4", **free), turn(2, 0, 2, "4", **free))
    assert [prompt_tokens(transcript), completion_tokens(transcript), cost(transcript)] == [0, 0, 0]
    nothing = debate(failed=True)
    assert [calls(nothing), prompt_tokens(nothing), cost(nothing)] == [0, 0, 0]


def test_attempts_of_a_call_that_failed_for_good_are_retries_too(debate, turn):
    spoken = turn(1, 0, 1, "4", retries=2)
    assert retries(debate(spoken)) == 2
    assert retries(debate(spoken, failed=True, retries=3)) == 5
    assert retries(debate(failed=True)) == 0


def test_what_judges_take_counts_too(debate, turn):
    mind = turn(1, 0, 1, "4", cost=0.25, cached_tokens=5, removed=2)
    judge = turn(2, 1, 1, "4", cost=0.25, cached_tokens=5, removed=3, role="judge")
    transcript = debate(mind, judge)
    assert cost(transcript) == pytest.approx(0.5)
    assert (measure_cached_tokens(transcript), measure_removed(transcript)) == (10, 5)
    assert measure_removed(debate(turn(1, 0, 1, "4"))) == 0


def test_cached_and_cacheable_are_shares_of_all_prompt_tokens(debate, turn):
    """300 tokens, of which the endpoint had 60, and the debate itself 0.5 x 200 before."""
    first = turn(1, 0, 1, "4", prompt_tokens=100, prefix_share=0.0)
    second = turn(2, 0, 2, "4", prompt_tokens=200, prefix_share=0.5, cached_tokens=60)
    transcript = debate(first, second)
    assert measure_cached(transcript) == pytest.approx(0.2)
    assert measure_cacheable(transcript) == pytest.approx(1 / 3)


@pytest.mark.parametrize("unknown", [{"prompt_tokens": 100}, {"prefix_share": 0.5}, {}])
def test_what_an_older_transcript_lacks_is_not_cacheable_by_nothing(debate, turn, unknown):
    known = turn(1, 0, 1, "4", prompt_tokens=100, prefix_share=0.0)
    assert measure_cacheable(debate(known, turn(2, 0, 2, "4", **unknown))) is None
    assert measure_cacheable(debate(failed=True)) is None
    assert measure_cached(debate(failed=True)) is None
