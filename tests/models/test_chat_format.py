"""Reading whatever a server may send."""

import json
from math import log

import pytest

from moot.models.chat_format import Unreadable, fields, read
from support.http_calls import a_call


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
