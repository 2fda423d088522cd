"""Reading whatever a server may send."""

import json
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models.chat_format import Unreadable, fields, read
from support.http_calls import a_call

_NAMES = [
    *("choices", "message", "content", "refusal", "finish_reason", "usage", "error", "reasoning"),
    *("prompt_tokens", "completion_tokens", "total_tokens", "reasoning_tokens", "cached_tokens"),
    *("prompt_tokens_details", "completion_tokens_details", "cache_read_input_tokens"),
    *("prompt_cache_hit_tokens", "reasoning_content", "thinking"),
]
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=5)
    ),
    max_leaves=12,
)


def check(body: bytes) -> None:
    """Either a whole reply or ``Unreadable``, and never anything else."""
    try:
        reply = read(body, 0.5)
    except Unreadable:
        return
    reply.text.encode()  # can be stored
    assert reply.finish in {"stop", "length", "filter", "other"}
    for tokens in (reply.prompt_tokens, reply.completion_tokens):
        assert tokens is None or (type(tokens) is int and tokens >= 0)
    assert 0 <= reply.cached_tokens <= (reply.prompt_tokens or 0)


@given(content=_ANYTHING, reason=_ANYTHING, usage=_ANYTHING, refusal=_ANYTHING)
def test_any_values_in_a_completion(content, reason, usage, refusal):
    message = {"content": content, "refusal": refusal}
    choices = [{"message": message, "finish_reason": reason}]
    check(json.dumps({"choices": choices, "usage": usage}).encode())


@given(st.binary())
def test_any_bytes(body):
    check(body)


@pytest.mark.parametrize(
    ("logprobs", "mean"),
    [
        ({"content": [{"logprob": 0.0}, {"logprob": log(0.5)}]}, 0.75),
        *((odd, None) for odd in ({"content": [{"logprob": "much"}]}, "none", None)),
        *(({"content": odd}, None) for odd in ([], None)),
    ],
)
def test_the_mean_probability_of_the_tokens(logprobs, mean):
    choice = {"message": {"content": "4"}, "finish_reason": "stop", "logprobs": logprobs}
    found = read(json.dumps({"choices": [choice]}).encode(), 0.0).token_probability
    assert found == (mean if mean is None else pytest.approx(mean))
    for each in (True, False):
        sent = fields("m", a_call(logprobs=each), seed=None, changes={})
        assert sent.get("logprobs") is (True if each else None)


@pytest.mark.parametrize(
    ("start", "content", "text"),
    [("", r"a\ud83d b \ud83d\ude00", "a? b \U0001f600"), ("\ufeff", "4, \ufeff.", "4, \ufeff.")],
)
def test_halves_of_pairs_and_byte_order_marks(start, content, text):
    body = f'{start}{{"choices": [{{"message": {{"content": "{content}"}}}}]}}'
    assert read(body.encode(), 0.0).text == text


ENDS = {
    "stop": "stop eos_token STOP COMPLETE endTurn FinishReason.STOP",
    "length": "length max_tokens MAX_TOKENS max_output_tokens Max-Tokens LENGTH maxTokens "
    "FINISH_REASON_MAX_TOKENS model_length",
    "filter": "content_filter SAFETY content-filter PROHIBITED_CONTENT refusal",
    "other": "tool_calls toolCalls OTHER function_call something_new",
    "broke off": "error ERROR network_error abort",
}


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        *((None, "stop"), (7, "stop"), ("", "stop")),
        *((word, finish) for finish, words in ENDS.items() for word in words.split()),
    ],
)
def test_how_a_reply_ended(reason, finish):
    data = {"choices": [{"message": {"content": "x"}, "finish_reason": reason}]}
    if finish == "broke off":
        with pytest.raises(Unreadable, match="broke off"):
            read(json.dumps(data).encode(), 0.0)
    else:
        assert read(json.dumps(data).encode(), 0.0).finish == finish


@pytest.mark.parametrize(
    ("usage", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 64}}, 64),
        ({"prompt_tokens_details": None, "prompt_cache_hit_tokens": 64}, 64),
        ({"prompt_tokens_details": {}, "cached_tokens": 64}, 64),
        ({"prompt_tokens_details": {"cached_tokens": None}, "cache_read_input_tokens": 64}, 64),
        ({"prompt_tokens_details": {"cached_tokens": 0}, "cache_read_input_tokens": 64}, 0),
    ],
)
def test_tokens_from_a_cache_are_found_wherever_they_are_reported(usage, cached):
    choices = [{"message": {"content": "4"}, "finish_reason": "stop"}]
    body = {"choices": choices, "usage": {"prompt_tokens": 100, "completion_tokens": 1} | usage}
    assert read(json.dumps(body).encode(), 0.5).cached_tokens == cached
