"""The form of the answer's text: plain text, or a JSON object that holds the answer."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from moot.core.events import Transcript, Verdict
from moot.core.questions import Kind, Question
from moot.reports.transcript import explain_empty
from moot.server.chat.chat_json import ResponseFormat
from moot.server.chat.client_schema import check_client_schema
from moot.server.chat.fill_schema import FilledSchema
from moot.server.config import CHAT
from moot.server.http_errors import refuse_missing

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
        fields: of the JSON object; empty for plain text.
        type: the JSON type of the answer.
        choices: the options for the answer, if the schema lists them.
        schema: any other schema, which one more call fills when the debate is over.
    """

    fields: tuple[str, ...] = ()
    type: str = "string"
    choices: tuple[str, ...] = ()
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
    if (simple := _parse_answer(given)) is not None:
        return simple
    check_client_schema(given, f"{where}.schema")
    return AnswerForm(schema=given)


def _parse_answer(given: dict[str, Any]) -> AnswerForm | None:
    """Return the form of a schema of an answer, and perhaps its words; None for any other."""
    try:
        schema = msgspec.convert(given, _Object)
    except msgspec.ValidationError:
        return None
    answer, text = schema.properties.get("answer"), schema.properties.get("text", _WORDS)
    if answer is None or schema.properties.keys() - {"answer", "text"} or text.type != "string":
        return None
    fields, options = tuple(schema.properties), tuple(dict.fromkeys(answer.enum or ()))
    if answer.enum is None:
        return None if answer.type is None else AnswerForm(fields, answer.type)
    if answer.type not in {None, "string"} or not 2 <= len(options) <= 26:
        return None
    return AnswerForm(fields, choices=options)


class _Named(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that any schema may have; others would restrict the value, which we cannot."""

    title: str = ""
    description: str = ""


class _Property(_Named, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The schema of one value."""

    type: Literal["string", "number", "integer", "boolean"] | None = None
    enum: list[Annotated[str, Meta(min_length=1)]] | None = None


_WORDS = _Property(type="string")


class _Object(_Named, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The schema of the whole object."""

    type: Literal["object"]
    properties: dict[str, _Property]
    required: list[Literal["answer", "text"]] = []
    additional: bool = msgspec.field(default=False, name="additionalProperties")


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
        why = f"The verdict was put into the schema {len(filled.replies)} times, and does not fit: "
        return filled.text, None if filled.text else f"{why}{filled.why}.\n\n{verdict.text}"
    text = verdict.answer if is_whole_reply(transcript) else end_with_answer(verdict)
    if not form.fields:
        return text, None
    value = _convert(form, question, verdict.answer)
    if value is None:
        return None, f"The answer of the debate, {verdict.answer!r}, is no {form.type}."
    both = {"answer": value, "text": text}
    return msgspec.json.encode({name: both[name] for name in form.fields}).decode(), None


def is_whole_reply(transcript: Transcript) -> bool:
    """Whether the answer is a whole reply, as in a chat, to which nothing is added."""
    opened = transcript.opened
    return opened.question.kind == "text" and opened.settings.get("style") == CHAT


def write_last_words(transcript: Transcript) -> str:
    """Return the text for a debate without an answer: each agent's last message."""
    last = [
        f"{turn.agent}: {turn.text.strip() or explain_empty(turn)}"
        for turn in transcript.last_turns
    ]
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
