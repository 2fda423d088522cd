"""The cache of prompts, against one that compares every prompt with every other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.analyses.prefix_cache import PrefixCache, TimedPrompt, count_hosted, replay_prompts

_tokens = st.lists(st.integers(0, 1), max_size=12)


def count_common(one, two):
    """Return how many tokens two rows begin with alike, token by token."""
    count = 0
    for left, right in zip(one, two, strict=False):
        if left != right:
            break
        count += 1
    return count


@given(st.lists(_tokens, max_size=10), st.integers(1, 4))
def test_without_limit_it_finds_the_longest_common_beginning_in_whole_blocks(prompts, block):
    cache, earlier = PrefixCache(block), []
    for tokens in prompts:
        asked = tokens[:-1]
        longest = max(
            (count_common(asked, each[: len(each) // block * block]) for each in earlier), default=0
        )
        assert cache.match(tokens) == longest // block * block
        cache.add(tokens)
        earlier.append(tokens)


@given(st.lists(_tokens, min_size=1, max_size=20), st.integers(1, 3), st.integers(0, 20))
def test_with_a_limit_it_keeps_no_more_and_no_block_without_those_before_it(prompts, block, size):
    cache, unlimited = PrefixCache(block, size), PrefixCache(block)
    for tokens in prompts:
        found = cache.match(tokens)
        assert found <= min(unlimited.match(tokens), size)
        cache.add(tokens)
        unlimited.add(tokens)
    again = cache.match([*prompts[-1], "more"])
    assert again == min(size, len(prompts[-1])) // block * block, "what was used last is there"


def test_what_was_used_longest_ago_goes_first_and_of_a_prompt_its_end():
    cache = PrefixCache(1, 6)
    cache.add("abc")
    cache.add("xyz")
    assert cache.match("abc!") == 3  # it is the newest now
    cache.add("pq")  # two tokens too many: the end of "xyz" goes
    assert [cache.match(each) for each in ("xyz!", "abc!", "pq!")] == [1, 3, 2]


def test_the_last_token_of_a_prompt_is_always_computed():
    cache = PrefixCache(1)
    cache.add("abcd")
    assert [cache.match(each) for each in ("abcd", "abcde", "", "a")] == [3, 4, 0, 0]


def timed(begin, end, tokens, reply="", model="m"):
    return TimedPrompt(begin, end, model, tokens, reply)


def test_prompts_in_flight_together_do_not_profit_from_each_other():
    rows = [
        timed(0, 2, "aaaa"),
        timed(1, 3, "aaaa"),  # sent before the first has its reply
        timed(2, 4, "aaaa"),  # sent when it has it
        timed(2, 4, "aaaa", model="another"),
    ]
    assert replay_prompts(rows, block=1) == [0, 0, 3, 0]
    assert replay_prompts(rows[::-1], block=1) == [0, 3, 0, 0], "in whatever order they are given"


def test_a_reply_is_kept_with_its_prompt():
    rows = [timed(0, 1, "ask", "yes"), timed(1, 2, "askyesmore"), timed(1, 2, "askno")]
    assert replay_prompts(rows, block=1) == [0, 6, 3]
    assert replay_prompts(rows, block=4) == [0, 4, 0]
    assert replay_prompts(rows, block=1, size=0) == [0, 0, 0]


@pytest.mark.parametrize(
    ("cached", "counted"), [(0, 0), (1023, 0), (1024, 1024), (1151, 1024), (1152, 1152)]
)
def test_hosted_endpoints_count_from_1024_tokens_in_steps_of_128(cached, counted):
    assert count_hosted(cached) == counted
