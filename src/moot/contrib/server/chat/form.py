"""The form of the answer's text: plain text, or a JSON object that holds the answer."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from moot import Question, Transcript, Verdict
from moot.contrib.server.chat.answer_property import (
    AnswerProperty,
    is_annotation,
    read_answer_property,
    resolve,
)
from moot.contrib.server.chat.chat_json import ResponseFormat
from moot.contrib.server.chat.client_schema import check_client_schema, find_fault
from moot.contrib.server.chat.fill_schema import FilledSchema
from moot.contrib.server.config import CHAT
from moot.contrib.server.http_errors import refuse_missing
from moot.extend.records import Kind, describe_event

_KINDS: dict[str, Kind | None] = {
    "string": None,
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
}
_WHOLE = re.compile(r"-?\d+")
_TAIL = " \t\r\n.!*_`\"')]}$"
"""Characters after an answer that do not change it."""


class AnswerForm(NamedTuple):
    """The form of a choice's text.

    Attributes:
        fields: of the JSON object; empty for plain text and for any other schema.
        type: the JSON type of the answer.
        choices: the options for the answer, if the schema lists them.
        limits: keywords of JSON schema by which the answer's value is checked.
        schema: any other schema, which one more call fills when the debate is over. Where it has an
            answer of one type, that is the answer of the debate.
    """

    fields: tuple[str, ...] = ()
    type: str = "string"
    choices: tuple[str, ...] = ()
    limits: Mapping[str, Any] = {}
    schema: Mapping[str, Any] | None = None

    @property
    def is_json(self) -> bool:
        """Whether the text is a JSON object."""
        return bool(self.fields) or self.schema is not None

    @property
    def kind(self) -> Kind | None:
        """The kind of question that this form needs; None for any."""
        return "choice" if self.choices else _KINDS[self.type]


def parse_form(asked: ResponseFormat | None) -> AnswerForm:
    """Return the form that a request asks for. Raises ``HttpRefusal`` for an impossible one."""
    if asked is None or asked.type == "text":
        return AnswerForm()
    if asked.type == "json_object":
        return AnswerForm(("answer", "text"))
    where = "response_format.json_schema"
    if asked.json_schema is None:
        raise refuse_missing(where)
    given = asked.json_schema.schema
    found = _read_answer(given)
    if found is not None and found.fields:
        return found
    check_client_schema(given, f"{where}.schema")
    return (found or AnswerForm())._replace(schema=given)


def _read_answer(given: Mapping[str, Any]) -> AnswerForm | None:
    """Return the form of a schema with an answer; its fields where it has no more than words."""
    schema = resolve(given, given)
    properties = (schema or {}).get("properties")
    if schema is None or not isinstance(properties, dict) or schema.get("type") != "object":
        return None
    answer = properties.get("answer")
    found = read_answer_property(answer, given) if isinstance(answer, dict) else None
    if found is None:
        return None
    text = properties.get("text", {"type": "string"})
    words = read_answer_property(text, given) if isinstance(text, dict) else None
    alone = words == AnswerProperty("string") and all(
        name in _OBJECT or is_annotation(name) for name in schema
    )
    required = schema.get("required", [])
    alone = alone and isinstance(required, list) and {*map(str, required)} <= properties.keys()
    fields = tuple(properties) if alone and properties.keys() <= {"answer", "text"} else ()
    return AnswerForm(fields, *found)


_OBJECT = frozenset({"$defs", "$id", "additionalProperties", "definitions", "properties"})
_OBJECT |= {"required", "type"}
"""Keywords of an object of an answer, and perhaps its words, that is made without a call."""


def write_content(
    form: AnswerForm, transcript: Transcript, filled: FilledSchema | None = None
) -> tuple[str | None, str | None]:
    """Return a choice's text, or None and why there is none in this form."""
    question, verdict = transcript.question, transcript.verdict
    assert verdict is not None, "a failed debate has no content"
    if (decided := transcript.deciding) is not None and decided.tool_calls:
        return decided.text or None, None
    if verdict.answer is None:
        words = write_last_words(transcript)
        return (None, words) if form.is_json else (words, None)
    if filled is not None:
        return filled.text, None if filled.text else f"{filled.explain()}\n\n{verdict.text}"
    text = verdict.answer if is_whole_reply(transcript) else end_with_answer(verdict)
    if not form.fields:
        return text, None
    value, why = fit_answer(form, question, verdict.answer)
    if why:
        return None, why
    both = {"answer": value, "text": text}
    return msgspec.json.encode({name: both[name] for name in form.fields}).decode(), None


def fit_answer(form: AnswerForm, question: Question, answer: str) -> tuple[Any, str]:
    """Return an answer as a JSON value, and why it is none of this form; empty where it is one."""
    value = _convert(form, question, answer)
    if value is None:
        return None, f"The answer of the debate, {answer!r}, is no {form.type}."
    if form.limits and (fault := find_fault(value, form.limits)):
        return None, f"The answer of the debate, {answer!r}, does not fit the schema: {fault}."
    return value, ""


class _StyleSetting(msgspec.Struct):
    style: str | None = None


def is_whole_reply(transcript: Transcript) -> bool:
    """Whether the answer is a whole reply, as in a chat, to which nothing is added."""
    opened = transcript.opened
    return (
        opened.question.kind == "text"
        and msgspec.convert(opened.settings, _StyleSetting).style == CHAT
    )


def write_last_words(transcript: Transcript) -> str:
    """Return the text for a debate without an answer: each agent's last message."""
    last = [f"{turn.agent}: {describe_event(turn)}" for turn in transcript.last_turns]
    if not last:
        return "The debate came to no answer: no agent said anything."
    return "\n\n".join(["The debate came to no answer. Its last words:", *last])


def end_with_answer(verdict: Verdict) -> str:
    """Return the text of a verdict, with a line that states the answer if it does not end in it."""
    text, answer = verdict.text, verdict.answer
    assert answer is not None
    words, sought = text.rstrip(_TAIL).casefold(), answer.rstrip(_TAIL).casefold()
    if not sought:  # an answer of such signs alone
        words, sought = text.casefold(), answer.casefold()
    before = words[: -len(sought)][-1:] if sought else ""
    if sought and words.endswith(sought) and not before.isalnum() and before not in {".", ",", "-"}:
        return text
    return f"{text.rstrip()}\n\nFinal answer: {answer}".lstrip()


def _convert(form: AnswerForm, question: Question, answer: str) -> Any:  # noqa: ANN401 -- any JSON value
    """Return the answer as a JSON value; None if it is not of the form's type."""
    if form.choices:
        return question.choices[question.letters.index(answer)]
    match form.type:
        case "boolean":
            return {"true": True, "false": False}.get(answer)
        case "integer":
            return int(answer) if _WHOLE.fullmatch(answer) else None
        case "number":
            return _to_number(answer)
    return answer


def _to_number(answer: str) -> int | float | None:
    """Return a number in canonical form, a decimal or a fraction, as a JSON number."""
    if _WHOLE.fullmatch(answer):
        return int(answer)
    top, _, bottom = answer.partition("/")
    try:
        return float(top) / float(bottom or 1)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
