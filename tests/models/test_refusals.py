"""What endpoints' refusals mean."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import AccessError, RefusedError
from moot.core.messages import Message
from moot.models.refusals import (
    SYSTEM_MESSAGES,
    EndpointRefusal,
    error_of,
    find_refused_parameter,
    is_too_long,
    parse_refusal,
    quote,
)
from support.quirks import NO_SYSTEM_WORDS

SENT = dict.fromkeys(("model", "messages", "temperature", "max_tokens", "seed"), 1)


SYSTEM = {"model": "m", "messages": (Message("system", "You are ann."), Message("user", "2+2?"))}


@pytest.mark.parametrize("message", NO_SYSTEM_WORDS)
def test_a_model_that_takes_no_system_message(message):
    for status in (400, 422, 500):
        refusal = EndpointRefusal(status, message)
        assert find_refused_parameter(refusal, SYSTEM) == SYSTEM_MESSAGES
        told = {"model": "m", "messages": SYSTEM["messages"][1:]}
        assert find_refused_parameter(refusal, told) is None
    assert find_refused_parameter(EndpointRefusal(429, message), SYSTEM) is None


@pytest.mark.parametrize(
    "message",
    [
        "Your prompt was flagged by our safety system",
        "The response was filtered due to Azure OpenAI's content management policy",
        "Blocked by guardrail",
        "Content violates usage guidelines",
        "系统检测到输入内容可能包含敏感内容",
    ],
)
def test_a_prompt_that_a_safety_system_refuses_says_nothing_about_the_key(message):
    refusal = EndpointRefusal(403, message)
    error = error_of("m", refusal, {}, "KEY", 0.0)
    assert isinstance(error, RefusedError)
    assert not isinstance(error, AccessError)


@given(
    st.binary()
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["error", "message", "detail", "param", "code", "loc", "x"]), inner
            )
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_no_body_breaks_it(body):
    refusal = parse_refusal(400, body)
    assert find_refused_parameter(refusal, SENT) in {None, "temperature", "max_tokens", "seed"}
    assert len(quote(refusal.message, ())) <= 200


@given(st.text(), st.text())
def test_a_quote_never_holds_the_key(before, after):
    key = "sk-0123456789"
    said = quote(before + key + after, (key,))
    assert key not in said
    assert "\n" not in said
    assert said.isprintable()
    cut = quote("x" * 195 + key, (key,))
    assert "sk-" not in cut


def said(message, **more):
    return {"error": {"message": message, **more}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (said("Unsupported: use 'max_completion_tokens'.", param="max_tokens"), "max_tokens"),
        (said("Unsupported value: 'temperature' does not support 0.2 here."), "temperature"),
        (said("Only the default is.", param="seed", code="unsupported_value"), "seed"),
        ({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "x"}]}, "seed"),
        (said("property 'seed' is unsupported"), "seed"),
        (said("'seed' is not a valid parameter"), "seed"),
        (said("seed is no longer supported"), "seed"),
        (said("参数 seed 不支持"), "seed"),
        ({"error": "unknown field: seed"}, "seed"),
        ([said('Invalid JSON payload: Unknown name "seed": Cannot find field.')], "seed"),
        ({"message": "seed is not allowed here"}, "seed"),
        (said("temperature does not go above 1"), None),
        (said("above maximum value", param="temperature", code="decimal_above_max_value"), None),
        (said("'messages' is not supported", param="messages"), None),
        (said("Invalid argument: temperature must be at most 2"), None),
        (said("the model is unknown"), None),
        (said("seedling is not supported; see my_seed"), None),
        (said("context length exceeded: max_tokens not supported"), None),
    ],
)
def test_which_parameter_is_refused(body, expected):
    sent = json.dumps(body).encode()
    for status, found in ((400, expected), (422, expected), (401, None)):
        assert find_refused_parameter(parse_refusal(status, sent), SENT) == found


@pytest.mark.parametrize(
    "message",
    [
        "`max_tokens` is too large: 100000. This model supports at most 4096 completion tokens",
        "max_tokens limit exceeded: at most 4096",
        "max_completion_tokens exceeds the token limit of 8192",
        "Range of max_tokens should be [1, 8192]",
        "temperature over the max",
        "ThrottlingException: Too many tokens, please wait before trying again.",
        "Rate limit exceeded: too many tokens per minute",
        "daily tokens limit exceeded",
        "Token limit exceeded for today",
        "Token limit exceeded: 100000 tokens for this month",
        "token quota: tokens limit exceeded",
        "Tokens limit exceeded on TPD: limit 100000",
        "The system is not available now",
        "this is not supported by our system",
        "the file system does not support this",
        "After the optional system message, conversation roles must alternate user/assistant/...",
        "messages[0].content: the system message is too short",
    ],
)
def test_what_is_no_matter_of_context_or_of_system_messages(message):
    refusal = EndpointRefusal(400, message)
    assert not is_too_long(refusal)
    assert find_refused_parameter(refusal, SYSTEM) is None


def test_codes_and_marks_of_a_refusal():
    for code in (
        *("context_length_exceeded invalid_request_error", "string_above_max_length "),
        *("model_max_prompt_tokens_exceeded ", "1261 ", "model_context_window_exceeded "),
    ):
        assert is_too_long(EndpointRefusal(400, "odd words", code))
    body = b'\xef\xbb\xbf{"error": {"message": "no", "code": "odd"}}'
    assert parse_refusal(400, body) == EndpointRefusal(400, "no", "odd ")
    assert parse_refusal(502, b"\xef\xbb\xbf <html>Bad Gateway").page
