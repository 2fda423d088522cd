import json

import pytest

from moot.core.questions import Question
from moot.parsing.json_fields import answer_schema, read_answer_field, read_fields, read_yes_or_no
from moot.parsing.parser import object_schema

CHOICE = Question(id="q", kind="choice", text="A mammal?", choices=("shark", "dolphin"))
NUMBER = Question(id="q", kind="number", text="How many?")
TEXT = Question(id="q", kind="text", text="Name the capital of France.")


NAMES = (("a", {"a"}), ("b", {"b"}), ("c", {"c"}))


@pytest.mark.parametrize(
    "text",
    [
        '{"A": "x", "b": 2, "other": 3}',
        '{1} first, then ```json\n{"a": "x", "b": 2}\n``` and done',
        "{'a': 'x', 'b': 2,",
        '[{"a": "y"}, {"a": "x", "A": "z", "b": 2, "c": null}]',
        '{"a": " x ", "b": 2, "c": ["no text"]}',
    ],
)
def test_fields_are_found_through_damage_under_moot_s_names(text):
    assert read_fields(text, NAMES, finished=True) == {"a": "x", "b": "2"}


def test_judgements_are_words():
    assert read_fields('{"a": true, "b": false}', NAMES, finished=True) == {"a": "Yes", "b": "No"}
    assert [read_yes_or_no(word) for word in ("Yes", "TRUE.", "no", "Yes or No", "", "maybe")] == [
        True, True, False, None, None, None,
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "a: x", "{", "{}", '{"d": 1}', "[1, 2]", '"a"'])
def test_without_fields_there_is_none(text):
    assert read_fields(text, NAMES, finished=True) is None


def test_the_value_that_was_cut_in_does_not_count():
    assert read_fields('{"a": "x", "b": "y', NAMES, finished=False) == {"a": "x"}
    assert read_fields('{"a": "x", "b": "y"', NAMES, finished=False) == {"a": "x", "b": "y"}
    assert read_fields('{1} {"a": "x", "b": "y', NAMES, finished=False) == {"a": "x"}
    assert read_fields('{"a": "x", "b": "y', NAMES, finished=True) == {"a": "x", "b": "y"}


def test_half_a_surrogate_pair_is_no_crash():
    assert read_fields('{"a": "x\ud800"}', NAMES, finished=True) == {"a": "x\ufffd"}


def test_an_answer_field_is_a_stated_answer():
    assert read_answer_field("(B) dolphin", CHOICE) == "B"
    assert read_answer_field("Agent 2 is right", CHOICE, {"Agent 2": "A"}) == "A"
    assert read_answer_field("7 apples", NUMBER) == "7"
    assert read_answer_field("", NUMBER) is None
    assert read_answer_field("Paris", TEXT) == "Paris"


def test_a_schema_names_the_few_answers_and_all_its_keys():
    assert answer_schema(CHOICE)["enum"] == ["A", "B"]
    assert answer_schema(CHOICE, decides=False)["enum"] == ["A", "B", ""]
    assert answer_schema(NUMBER) == {"type": "string"}
    schema = object_schema({"x": {"type": "string"}})
    assert json.loads(json.dumps(schema))["required"] == ["x"]
