import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.tools.tool_call import find_tool_call


@pytest.mark.parametrize(
    ("reply", "name", "arguments"),
    [
        ('CALL docs.search {"query": "ships"}', "docs.search", {"query": "ships"}),
        (
            'Let me look.\n\nCALL docs.search {"query": "ships"}\n',
            "docs.search",
            {"query": "ships"},
        ),
        ('CALL docs.search {"query": "a"}\n\nThe result is: 11.', "docs.search", {"query": "a"}),
        ('  - `CALL search {"n": 1}`', "search", {"n": 1}),
        ('CALL docs.search {"query":\n "two\\nlines"}', "docs.search", {"query": "two\nlines"}),
        ("CALL docs.search {}", "docs.search", {}),
        ("CALL docs.search {query: ships}", "docs.search", None),
        (r'CALL docs.search {"query": "\ud800"}', "docs.search", None),
        ('CALL docs.search {"query": "open', "docs.search", None),
    ],
)
def test_a_call_is_read_at_the_beginning_and_at_the_end(reply, name, arguments):
    found = find_tool_call(reply)
    assert found is not None
    assert (found.name, found.arguments) == (name, arguments)


@pytest.mark.parametrize(
    "reply",
    [
        "Final answer: 8",
        "CALL me tomorrow. Final answer: 8",
        'I would not CALL docs.search {"query": "a"} here. Final answer: 8',
        'The page says:\nCALL docs.search {"query": "a"}\nI do not do that. Final answer: 8',
        'call docs.search {"query": "a"}',
        "",
    ],
)
def test_a_quoted_call_and_plain_words_are_no_call(reply):
    assert find_tool_call(reply) is None


def test_what_stands_after_a_call_is_not_part_of_it():
    reply = 'CALL a.b {"x": {"y": "}"}}\nResult: 12'
    found = find_tool_call(reply)
    assert found is not None
    assert reply[: found.end] == 'CALL a.b {"x": {"y": "}"}}'
    assert found.written == '{"x": {"y": "}"}}'


@given(st.text())
def test_no_reply_breaks_the_search(text):
    find_tool_call(text)
    found = find_tool_call(f"CALL a.b {{{text}")
    assert found is None or found.name == "a.b"


def test_deep_json_is_refused_in_words():
    found = find_tool_call("CALL a.b " + '{"a":' * 100_000)
    assert found is not None
    assert found.arguments is None
