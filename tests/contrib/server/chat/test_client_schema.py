"""A client's schema: what is refused before a debate, and that the check of a reply ends."""

import json
import re
from time import process_time

import pytest

from moot.contrib.server.chat.client_schema import check_client_schema, read_object
from moot.contrib.server.http_errors import HttpRefusal


def double(levels: int) -> dict:
    """Return a schema each of whose parts refers twice to the next."""
    parts = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n - 1}"}] * 2} for n in range(1, levels + 1)}
    return {"type": "object", "$ref": f"#/$defs/a{levels}", "$defs": {"a0": {}, **parts}}


def nest(keyword: str, inner: dict) -> dict:
    return {"type": "object", keyword: {"x": inner}}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        (double(30), "more than 10,000 schemas"),
        ({"type": "object", "$ref": "#"}, "without end"),
        ({"type": "object", "anyOf": [{"$ref": "#/anyOf/0"}]}, "without end"),
        (nest("properties", {"$ref": "#/$defs/no"}), "no such part"),
        (nest("$defs", {"$ref": "#/$defs/no"}), "no such part"),
        ({"type": "object", "enum": [{}], "not": {"$ref": "#/enum/0"}}, "no such part"),
        (nest("$defs", {"$dynamicRef": "#x"}), "'$dynamicRef' is not checked"),
        (nest("properties", {"pattern": "(a+)+$"}), "'pattern' is not checked"),
        (nest("properties", {"$id": "x"}), "'$id' is for the whole schema"),
    ],
)
def test_what_cannot_be_followed_is_refused_at_once(schema, why):
    began = process_time()
    with pytest.raises(HttpRefusal, match=re.escape(why)):
        check_client_schema(schema, "schema")
    assert process_time() - began < 2


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (nest("properties", {"properties": {"pattern": {"type": "string"}}}), {"x": {}}),
        ({"type": "object", "properties": {"pattern": {"type": "string"}}}, {"pattern": "a"}),
        ({"type": "object", "properties": {"$ref": {"type": "string"}}}, {"$ref": "a"}),
        (nest("properties", {"enum": [{"pattern": "a"}]}), {"x": {"pattern": "a"}}),
        (nest("properties", {"const": {"$ref": "file:///x"}}), {"x": {"$ref": "file:///x"}}),
        (nest("properties", {"default": {"pattern": 1}}), {"x": 1}),
        (nest("properties", {"$ref": "#"}), {"x": {"x": {}}}),
        (nest("properties", {"$ref": "#/$defs/a~1b%25"}) | {"$defs": {"a/b%": {}}}, {"x": 1}),
        ({"$schema": "http://json-schema.org/draft-07/schema#", **double(3)}, {}),
    ],
)
def test_a_name_or_a_value_is_no_keyword(schema, value):
    check_client_schema(schema, "schema")
    assert read_object(json.dumps(value), schema) == (json.dumps(value).replace(" ", ""), "")


def test_the_check_of_a_reply_ends():
    """Each level of the value is checked twice by each level above it."""
    inner = {"properties": {"x": {"$ref": "#"}}}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
    schema |= {"allOf": [inner, inner]}
    check_client_schema(schema, "schema")
    reply = '{"x":' * 40 + "1" + "}" * 40
    began = process_time()
    text, why = read_object(reply, schema)
    assert text is None
    assert "more than 100,000 steps" in why
    assert process_time() - began < 5
