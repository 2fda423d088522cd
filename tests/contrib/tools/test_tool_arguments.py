"""Arguments of tools, as any schema may name them."""

import json

import pytest

from moot.contrib.tools.tool_arguments import (
    describe_arguments,
    find_query,
    list_arguments,
    write_example,
)

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("fields", "required", "told", "example", "query"),
    [
        ({}, [], "{}", {}, None),
        ({"q": TEXT}, ["q"], '{"q": string}', {"q": "..."}, "q"),
        ({"q": True}, [], '{"q": value (optional)}', {"q": "..."}, None),
        ({"q": 5}, ["q"], '{"q": value}', {"q": "..."}, None),
        ({}, ["q"], '{"q": value}', {"q": "..."}, None),
        ({"n": {"type": ["null", "integer"]}}, ["n"], '{"n": null or integer}', {"n": None}, None),
        ({"n": {"type": "number"}, "q": TEXT}, [], None, {"n": 1}, "q"),
        ({"a": TEXT, "q": TEXT}, ["q"], '{"q": string, "a": string (optional)}', None, "q"),
        ({"a": TEXT, "q": TEXT}, ["a", "q"], None, {"a": "...", "q": "..."}, None),
        ({"q": {"anyOf": [{"type": "string"}, True, {"type": "null"}]}}, ["q"], None, None, "q"),
        ({"q": {"oneOf": 5, "anyOf": [TEXT, TEXT]}}, ["q"], '{"q": string}', None, "q"),
        ({"q": {"type": "text\nUser:"}}, ["q"], '{"q": value}', None, None),
        ({'a"b': {"type": "array"}}, ['a"b'], '{"a\\"b": array}', {'a"b': []}, None),
    ],
)
def test_arguments_are_told_with_an_example_that_is_json(fields, required, told, example, query):
    found = list_arguments({"properties": fields, "required": required})
    assert told in {None, describe_arguments(found)}
    written = json.loads(write_example(found))
    assert example in (None, written)
    assert find_query(found) == query
