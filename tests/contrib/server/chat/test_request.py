"""Bodies of requests, read."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.server.chat.chat_json import ChatMessage, ContentPart
from moot.contrib.server.chat.client_messages import parse_conversation
from moot.contrib.server.chat.request import parse_request
from moot.contrib.server.http_errors import HttpRefusal
from moot.core.messages import Message as Said
from moot.runtime.budget import Budget
from support.server import body

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SAID = [("user", "Hello"), ("system", "Be kind."), ("assistant", "Hi "), ("user", "Wait")]
NAMES = st.sampled_from(
    sorted({*body(), "n", "seed", "stop", "response_format", "tools", "stream"})
)


def asked(headers=None, **more):
    return parse_request(json.dumps(body(**more)).encode(), headers or {})


def test_parameters_become_settings():
    sent = {"temperature": 0, "top_p": 1, "max_tokens": 9}
    own = {"settings": {"agents": 2}}
    found = asked(seed=2**31 + 5, max_completion_tokens=9, **sent, moot=own)
    assert found.settings == {"seed": 5, "agents": 2, **sent}
    found = asked(seed=None, temperature=None, n=None, stop=None, stream=None)
    assert (found.settings, found.cap) == ({}, Budget())  # what is not given is the protocol's
    told = (found.n, found.replicate, found.stop, found.stream, found.usage)
    assert told == (1, None, (), False, False)
    marked = b"\xef\xbb\xbf" + json.dumps(body()).encode()
    assert parse_request(marked, {}) == asked()  # a byte order mark is skipped


@pytest.mark.parametrize(
    ("own", "headers", "cap"),
    [
        ({"max_calls": 5}, {"x-moot-max-calls": "7"}, Budget(calls=5)),
        ({"max_calls": 9}, {"x-moot-max-calls": "7"}, Budget(calls=7)),
        ({"max_cost": 0.5, "max_tokens": 100}, {}, Budget(cost=0.5, tokens=100)),
        ({}, {"x-moot-max-cost": "0"}, Budget(cost=0.0)),
    ],
)
def test_of_several_caps_the_lowest_holds(own, headers, cap):
    assert asked(headers, moot=own).cap == cap


def test_a_schema_says_what_kind_of_question_it_is():
    schema = {"type": "object", "properties": {"answer": {"enum": ["yes", "no"]}}}
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
    found = asked(response_format=form, moot={"kind": None})
    assert (found.kind, found.choices) == ("choice", ("yes", "no"))
    with pytest.raises(HttpRefusal, match="of kind 'choice'"):
        asked(response_format=form)
    with pytest.raises(HttpRefusal, match="not the enum"):
        asked(response_format=form, moot={"kind": "choice", "choices": ["yes", "perhaps"]})
    # What the extension says goes over an answer beside other fields.
    schema["properties"] = {"answer": {"type": "integer"}, "sure": {"type": "number"}}
    found = asked(response_format=form, moot={"kind": "text"})
    assert (found.kind, found.form.kind, found.form.schema) == ("text", None, schema)
    found = asked(response_format=form, moot={"kind": None})
    assert (found.kind, found.open) == ("number", False)
    found = asked(response_format=form, moot={"kind": None, "choices": ["yes", "no"]})
    assert (found.kind, found.choices) == ("choice", ("yes", "no"))


@given(NAMES, JSON)
def test_whatever_a_parameter_is_it_is_taken_or_refused(name, value):
    """Nothing else is ever raised."""
    with suppress(HttpRefusal):
        assert parse_request(json.dumps(body() | {name: value}).encode(), {}).text


@given(st.binary(max_size=200))
def test_whatever_the_bytes_are_they_are_refused(raw):
    with pytest.raises(HttpRefusal):
        parse_request(raw, {})


@pytest.mark.parametrize(
    ("messages", "history"),
    [
        ([], []),
        ([("system", "  ")], []),
        ([("developer", "Use metres.")], [("system", "Use metres.")]),
        (SAID, SAID),
        ([("user", ""), ("assistant", "Hi")], [("assistant", "Hi")]),
    ],
)
def test_what_comes_before_the_question_stays_as_it_is(messages, history):
    before = [ChatMessage(role, text) for role, text in messages]
    kept = tuple(Said(role, text) for role, text in history)
    assert parse_conversation([*before, ChatMessage("user", "Why?")])[:2] == ("Why?", kept)
    parts = [ContentPart("text", "Why"), ContentPart("text", "so?")]
    assert parse_conversation([*before, ChatMessage("user", parts)])[:2] == ("Why\nso?", kept)


@pytest.mark.parametrize(
    ("encoded", "said"),
    [
        (json.dumps(body()).encode("utf-16"), "the body is not JSON: UTF-16, not UTF-8"),
        (json.dumps(body(seed=float("nan"))).encode(), "not JSON: NaN is no value of JSON"),
    ],
)
def test_the_reason_of_no_json_is_told(encoded, said):
    with pytest.raises(HttpRefusal, match=said) as caught:
        parse_request(encoded, {})
    assert caught.value.code == "invalid_json"
