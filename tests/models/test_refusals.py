"""What endpoints' refusals mean."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models.refusals import (
    EndpointRefusal,
    find_refused_parameter,
    is_too_long,
    parse_refusal,
    quote,
)

SENT = dict.fromkeys(("model", "messages", "temperature", "max_tokens", "seed"), 1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {
                "error": {
                    "message": "Unsupported parameter: 'max_tokens' is not supported with this "
                    "model. Use 'max_completion_tokens' instead.",
                    "type": "invalid_request_error",
                    "param": "max_tokens",
                    "code": "unsupported_parameter",
                }
            },
            "max_tokens",
        ),
        (
            {
                "error": {
                    "message": "Unsupported value: 'temperature' does not support 0.2 with this "
                    "model. Only the default (1) value is supported.",
                    "param": "temperature",
                    "code": "unsupported_value",
                }
            },
            "temperature",
        ),
        (
            {
                "object": "error",
                "detail": [
                    {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs"}
                ],
            },
            "seed",
        ),
        ({"error": {"message": "property 'seed' is unsupported"}}, "seed"),
        ({"error": "unknown field: seed"}, "seed"),
        ([{"error": {"code": 400, "message": 'Unknown name "seed": Cannot find field.'}}], "seed"),
        ({"message": "seed is not allowed here"}, "seed"),
        (
            {
                "error": {
                    "message": "Invalid 'temperature': decimal above maximum value.",
                    "param": "temperature",
                    "code": "decimal_above_max_value",
                }
            },
            None,
        ),
        ({"error": {"message": "'messages' is not supported", "param": "messages"}}, None),
        ({"error": {"message": "Invalid argument: temperature must be at most 2"}}, None),
        ({"error": {"message": "the model is unknown"}}, None),
        ({"error": {"message": "seedling is not supported; see my_seed"}}, None),
        ({"error": {"message": "context length exceeded: max_tokens not supported"}}, None),
    ],
)
def test_which_parameter_is_refused(body, expected):
    for status in (400, 422):
        assert (
            find_refused_parameter(parse_refusal(status, json.dumps(body).encode()), SENT)
            == expected
        )
    assert find_refused_parameter(parse_refusal(401, json.dumps(body).encode()), SENT) is None


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
        "the request exceeds the available context size, try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "The input token count (40000) exceeds the maximum number of tokens allowed (32768).",
        "Please reduce the length of the messages or completion.",
        "This request would exceed the context window",
    ],
)
def test_a_context_that_is_too_small(message):
    assert is_too_long(EndpointRefusal(400, message))


@pytest.mark.parametrize("message", ["max_tokens is too large: 9000", "temperature over the max"])
def test_what_is_no_matter_of_context(message):
    assert not is_too_long(EndpointRefusal(400, message))


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


def test_a_byte_order_mark_before_a_refusal_is_skipped():
    body = b'\xef\xbb\xbf{"error": {"message": "no", "code": "odd"}}'
    assert parse_refusal(400, body) == EndpointRefusal(400, "no", "odd ")
    assert parse_refusal(502, b"\xef\xbb\xbf <html>Bad Gateway").page
