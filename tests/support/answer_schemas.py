"""Schemas of one answer, as the SDKs of clients write them."""

from typing import Any

SIBLINGS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "plain": ({"type": "integer"}, {}),
    "titled": ({"type": "integer", "title": "Answer", "description": "A sum."}, {}),
    "default": ({"type": "integer", "default": 0}, {}),
    "examples": ({"type": "integer", "examples": [1, 2]}, {}),
    "format": ({"type": "integer", "format": "int64"}, {}),
    "safe": ({"type": "integer", "minimum": -(2**53) + 1, "maximum": 2**53 - 1}, {}),
    "ge": ({"type": "integer", "minimum": 0}, {}),
    "bounds": ({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 99}, {}),
    "multiple": ({"type": "integer", "multipleOf": 1}, {}),
    "optional": ({"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None}, {}),
    "one-of": ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, {}),
    "nullable": ({"type": ["integer", "null"]}, {}),
    "two-types": ({"type": ["integer", "number"]}, {}),
    "any-number": ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, {}),
    "all-of": ({"allOf": [{"type": "integer"}, {"minimum": 0}]}, {}),
    "ordering": ({"type": "integer", "propertyOrdering": ["a"], "x-order": 1}, {}),
    "reference": ({"$ref": "#/$defs/Sum"}, {"$defs": {"Sum": {"type": "integer"}}}),
    "definitions": (
        {"allOf": [{"$ref": "#/definitions/a~1b"}], "title": "x"},
        {"definitions": {"a/b": {"enum": [11, 12, 13], "type": "integer"}}},
    ),
    "const": ({"const": 12}, {}),
    "enum": ({"enum": [11, 12, 13, None]}, {}),
    "literals": ({"anyOf": [{"const": 12, "type": "number"}, {"const": 13, "type": "number"}]}, {}),
    "$schema": ({"type": "integer"}, {"$schema": "http://json-schema.org/draft-07/schema#"}),
}
"""The property of an answer as SDKs write it, and what stands beside ``properties``."""
