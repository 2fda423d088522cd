"""The form of the answer's text."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.contrib.server.chat.chat_json import JsonSchema, ResponseFormat
from moot.contrib.server.chat.form import AnswerForm, end_with_answer, parse_form, write_content
from moot.contrib.server.http_errors import HttpRefusal
from moot.core.events import Closed, Opened, Transcript, Turn, Verdict
from moot.core.questions import Question
from support.answer_schemas import SIBLINGS


def asked(answer, *, required=("answer",), **more):
    schema = {"type": "object", "required": list(required), **more}
    schema["properties"] = {"answer": answer, **more.get("properties", {})}
    return parse_form(ResponseFormat("json_schema", JsonSchema(schema=schema)))


@pytest.mark.parametrize(
    ("text", "answer", "whole"),
    [
        ("So it is.\nFinal answer: 42", "42", None),
        ("Final answer: **42**.", "42", None),
        (r"So \(\boxed{42}\)", "42", "\n\nFinal answer: 42"),
        ("Final answer: 1,042", "42", "\n\nFinal answer: 42"),
        ("Final answer: 1.42", "42", "\n\nFinal answer: 42"),
        ("Final answer: (B)", "B", None),
        ("It is a crab", "B", "\n\nFinal answer: B"),
        ("It is so: True", "true", None),
        ("I doubt it.", "true", "\n\nFinal answer: true"),
        ("", "7", "Final answer: 7"),
        ("It rains.", "It rains.", None),
    ],
)
def test_the_words_end_in_the_answer(text, answer, whole):
    said = end_with_answer(Verdict(answer=answer, text=text))
    assert said == (text if whole is None else text + whole)


@given(st.text(), st.text(min_size=1))
def test_whatever_is_said_it_ends_in_the_answer(text, answer):
    said = end_with_answer(Verdict(answer=answer, text=text))
    assert end_with_answer(Verdict(answer=answer, text=said)) == said  # it ends in it already
    if said != text:
        assert said == f"{text.rstrip()}\n\nFinal answer: {answer}".lstrip()


def ended(question, verdict, *turns, style="cot"):
    """The transcript of a debate that came to this."""
    settings = {"style": style}
    opened = Opened(question=question, protocol="single", settings=settings, pack="")
    said = [
        Turn(id=at, agent=f"mind-{seat}", seat=seat, role="mind", step="answer", round=at,
             model="m", text=text, answer=None, reads=(), call="")
        for at, (seat, text) in enumerate(turns, 1)
    ]  # fmt: skip
    return Transcript((opened, *said, Closed(verdict=verdict)))


NUMBER = Question(id="q", kind="number", text="?")


@pytest.mark.parametrize(
    ("schema", "answer", "value"),
    [
        ({"type": "string"}, "1/2", "1/2"),
        ({"type": "number"}, "1/2", 0.5),
        ({"type": "number"}, "-4.25", -4.25),
        ({"type": "integer"}, "42", 42),
        ({"type": "string", "enum": ["yes", "no"]}, "B", "no"),
    ],
)
def test_an_answer_becomes_a_value(schema, answer, value):
    shape = asked(schema)
    question = Question(id="q", kind=shape.kind, text="?", choices=shape.choices)
    text, refusal = write_content(shape, ended(question, Verdict(answer=answer)))
    assert refusal is None
    assert json.loads(text) == {"answer": value}


def test_words_stand_beside_the_answer_where_they_are_asked_for():
    shape = asked({"type": "boolean"}, properties={"text": {"type": "string"}})
    question = Question(id="q", kind="boolean", text="?")
    text, _ = write_content(shape, ended(question, Verdict(answer="true")))
    assert json.loads(text) == {"answer": True, "text": "Final answer: true"}
    shape = parse_form(ResponseFormat("json_object"))
    text, _ = write_content(shape, ended(NUMBER, Verdict(answer="4", text="It is 4.")))
    assert json.loads(text) == {"answer": "4", "text": "It is 4."}


def test_a_debate_without_an_answer_says_so_and_gives_the_last_words():
    said = ((0, "I say 4."), (1, "No."), (2, " "), (0, "I do not know."), (1, "Nor do I."))
    none = ended(NUMBER, Verdict(answer=None, by="majority"), *said)
    words = "came to no answer. Its last words:\n\nmind-0: I do not know.\n\nmind-1: Nor do I."
    assert write_content(parse_form(None), none) == (f"The debate {words}", None)
    assert write_content(asked({"type": "integer"}), none) == (None, f"The debate {words}")
    silent = ended(NUMBER, Verdict(answer=None), (0, ""))
    assert "no agent said anything" in write_content(parse_form(None), silent)[0]


def test_a_chat_gives_the_answer_and_nothing_around_it():
    verdict = Verdict(answer="A long reply.", text='{"debate_answer": "A long reply."}')
    question = Question(id="q", kind="text", text="?")
    for style, text in (("chat", "A long reply."), ("cot", verdict.text)):
        assert write_content(parse_form(None), ended(question, verdict, style=style))[0] == text


def test_an_answer_that_no_verdict_is_takes_a_call_of_its_own():
    for answer in (
        *({"enum": each} for each in (["a"], [], ["a", 1], [str(n) for n in range(27)])),
        *({"type": each} for each in ("array", ["string", "integer"])),
        *({"type": "string", **each} for each in ({"not": {"const": "a"}}, {"maxLength": 3})),
        {"type": "integer", "enum": ["a", "b"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    ):
        form = asked(answer)
        assert form.schema["properties"]["answer"] == answer
        assert (form.fields, form.kind, form.is_json) == ((), None, True)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({}, "must describe an object"),
        ({"type": "object", "required": "answer"}, "is not of type 'array'"),
        ({"type": "object", "$ref": "http://127.0.0.1:1/x"}, "only parts of the schema itself"),
        ({"type": "object", "items": [{"$ref": "file:///etc/passwd"}]}, "is not of type"),
        ({"type": "object", "anyOf": [{"$ref": "file:///etc/passwd"}]}, "only parts of the schema"),
    ],
)
def test_a_schema_that_cannot_be_followed_is_refused(schema, why):
    with pytest.raises(HttpRefusal, match=re.escape(why)):
        parse_form(ResponseFormat("json_schema", JsonSchema(schema=schema)))


def test_a_schema_without_end_or_none_at_all_is_refused():
    assert parse_form(None) == parse_form(ResponseFormat("text")) == AnswerForm()
    with pytest.raises(HttpRefusal, match="is missing"):
        parse_form(ResponseFormat("json_schema"))
    schema = {"type": "object"}
    for _ in range(3000):
        schema = {"type": "object", "not": schema}
    with pytest.raises(HttpRefusal, match="nested too deeply"):
        parse_form(ResponseFormat("json_schema", JsonSchema(schema=schema)))
    own = {"$ref": "#/$defs/A"}
    for defs in ({"A": {"$ref": "#/$defs/B"}, "B": own}, {"A": {"anyOf": [own] * 50}}):
        with pytest.raises(HttpRefusal, match="without end"):
            asked(own, **{"$defs": defs})


@pytest.mark.parametrize("name", SIBLINGS)
def test_an_answer_is_of_one_kind_however_it_is_written(name):
    answer, beside = SIBLINGS[name]
    form = asked(answer, **beside)
    assert (form.kind, form.fields, form.schema) == ("number", ("answer",), None)
    told = write_content(form, ended(NUMBER, Verdict(answer="12")))
    assert told == ('{"answer":12}', None)
    form = asked(answer, properties={"sure": {"type": "number"}}, **beside)
    assert (form.kind, form.fields) == ("number", ())
    assert "sure" in form.schema["properties"]


def test_references_of_enums_are_choices():
    text = {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "Text", "default": None}
    assert asked({"type": "integer"}, properties={"text": text}).fields == ("answer", "text")
    assert asked({"type": "integer"}, properties={"text": {"type": "integer"}}).fields == ()
    colour = {"type": "string", "enum": ["red", "blue"], "title": "Colour"}
    either = {"anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "null"}]}
    form = asked(either, **{"$defs": {"Colour": colour}})
    assert (form.kind, form.choices) == ("choice", ("red", "blue"))
    both = asked({"anyOf": [{"const": "yes"}, {"enum": ["no", "yes"]}]})
    assert (both.choices, asked({"enum": [True, False]}).kind) == (("yes", "no"), "boolean")
    assert asked({"type": "string", "minLength": 1}).fields == ("answer",)


@pytest.mark.parametrize(
    ("answer", "verdict", "said"),
    [
        ({"type": "integer", "maximum": 10}, "12", "'12', does not fit the schema: 12 is greater"),
        ({"enum": [1, 2]}, "12", r"12 is not one of \[1, 2\]"),
        ({"const": 13}, "12", r"12 is not one of \[13\]"),
        ({"type": "string", "minLength": 9}, "short", "'short' is too short"),
        ({"type": "integer"}, None, "came to no answer"),
        ({"type": "integer"}, "0.5", "'0.5', is no integer"),
    ],
)
def test_an_answer_outside_of_its_bounds_is_refused_in_words(answer, verdict, said):
    question = Question(id="q", kind="text" if verdict == "short" else "number", text="?")
    text, refusal = write_content(asked(answer), ended(question, Verdict(answer=verdict)))
    assert text is None
    assert re.search(said, refusal), refusal
