"""A request's body, read: what is to be debated, how often, and in which form it is told."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from moot import Budget, InputError, Message
from moot.contrib.server.allowance import lower_of
from moot.contrib.server.chat.chat_json import CompletionRequest, DebateOptions
from moot.contrib.server.chat.client_messages import parse_conversation, parse_tools
from moot.contrib.server.chat.form import AnswerForm, parse_form
from moot.contrib.server.http_errors import (
    HttpRefusal,
    refuse_missing,
    refuse_parameter,
    refuse_value,
)
from moot.extend.faults import decode_json, split_fault
from moot.extend.records import Kind, ToolUse

IGNORED = frozenset(
    [
        *("metadata", "prompt_cache_key", "prompt_cache_retention"),
        *("safety_identifier", "service_tier", "store", "user"),
    ]
)
"""Parameters that change no answer."""

NOTHING: dict[str, tuple[Any, ...]] = {
    "audio": (),
    "frequency_penalty": (0,),
    "function_call": ("none", "auto"),
    "functions": ([],),
    "logit_bias": ({},),
    "logprobs": (False,),
    "modalities": (["text"],),
    "prediction": (),
    "presence_penalty": (0,),
    "top_logprobs": (0,),
    "verbosity": ("medium",),
    "web_search_options": (),
}
"""Parameters that no debate can honour, with the values that ask for nothing."""

REPLICATE = "x-moot-replicate"
"""The header that names a replicate, as the extension's field does."""
REPLICATES = 2**31
"""A client can name replicates below this number."""
NEW: Literal["new"] = "new"
"""Asks for a new debate, even if there is a seed."""
Replicate = int | Literal["new"]
T = TypeVar("T", bound=msgspec.Struct)
_Number = Annotated[int, Meta(ge=0, lt=REPLICATES)]

HEADERS = {"x-moot-max-calls": int, "x-moot-max-tokens": int, "x-moot-max-cost": float}
"""Headers that cap what a request may spend."""


class ChatRequest(NamedTuple):
    """What a request asks for.

    Attributes:
        model: the model's name as the client wrote it.
        text: the question.
        history: the conversation before the question.
        images: the parameter with the first image; empty without one.
        tool_use: the client's tools, and the messages about calls of them; None without any.
        context: a passage to read before the question.
        kind: the kind of answer; None where the request does not say.
        choices: the options of a multiple-choice question.
        settings: of the protocol; they override those in the model's name.
        n: the number of debates, each a choice of the answer.
        replicate: the replicate of the first choice; ``new`` for a new debate; None where the
            request does not say.
        open: whether nothing says what an answer looks like: then the question is a chat.
        cap: the most that all its debates may spend.
        stop: the answer's text ends before the first of these texts.
        form: the form of the answer's text.
        stream: whether the answer is streamed.
        usage: whether a stream ends with the token counts.
        pieces: whether a stream has the words of all agents as they are written.
    """

    model: str
    text: str
    history: tuple[Message, ...]
    images: str
    tool_use: ToolUse | None
    context: str | None
    kind: Kind | None
    choices: tuple[str, ...]
    settings: dict[str, Any]
    n: int
    replicate: Replicate | None
    open: bool
    cap: Budget
    stop: tuple[str, ...]
    form: AnswerForm
    stream: bool
    usage: bool
    pieces: bool


def parse_request(body: bytes, headers: Mapping[str, str]) -> ChatRequest:
    """Parse a request. Raises ``HttpRefusal`` naming the parameter that is wrong."""
    return build_request(decode_object(body, CompletionRequest, IGNORED, NOTHING), headers)


def build_request(request: CompletionRequest, headers: Mapping[str, str]) -> ChatRequest:
    """Return what a request asks for. Raises ``HttpRefusal`` naming the parameter that is wrong."""
    own = request.moot or DebateOptions()
    said = parse_conversation(request.messages)
    form = parse_form(request.response_format)
    if form.schema is not None and (own.kind or own.choices):  # the extension says what it is
        form = AnswerForm(schema=form.schema)
    kind, choices = _merge_kinds(own, form)
    return ChatRequest(
        model=request.model,
        text=said.text,
        history=said.history,
        images=said.images,
        tool_use=parse_tools(request, said.following),
        context=own.context or None,
        kind=kind,
        choices=choices,
        settings=_merge_settings(request, own),
        n=request.n or 1,
        replicate=_parse_replicate(own, headers),
        open=kind is None and not form.fields,
        cap=_merge_caps(own, headers),
        stop=_parse_stop(request.stop),
        form=form,
        stream=bool(request.stream),
        usage=bool(request.stream_options and request.stream_options.include_usage),
        pieces=bool(own.pieces),
    )


def decode_object(
    body: bytes,
    kind: type[T],
    ignored: Collection[str],
    nothing: Mapping[str, Collection[Any]],
) -> T:
    """Return a request's body as its type; null stands for what is not given.

    Args:
        body: of the request.
        kind: the type of requests to this address.
        ignored: further parameters that change no answer.
        nothing: parameters that cannot be honoured, with the values that ask for nothing.

    Raises:
        HttpRefusal: names the parameter that is wrong.
    """
    try:
        raw = decode_json(body)
    except InputError as error:
        raise HttpRefusal(f"the body is not JSON: {error}", "invalid_json") from None
    if not isinstance(raw, dict):
        raise HttpRefusal("the body is not a JSON object", "invalid_json")
    given = {name: value for name, value in raw.items() if value is not None}
    fields = msgspec.structs.fields(kind)
    names = [each.encode_name for each in fields]
    for name, value in given.items():
        if name not in names and name not in ignored:
            _check_unknown(name, value, names, nothing)
    for each in fields:
        if each.required and each.encode_name not in given:
            raise refuse_missing(each.encode_name)
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        place, fault = split_fault(error)
        place = place.replace("[...]", "[]") or "body"
        hint = ""
        if place == "moot" and "unknown field" in fault:
            hint = "; a setting of the protocol stands in moot.settings"
        raise refuse_value(place, fault[:1].lower() + fault[1:] + hint) from None


def _check_unknown(
    name: str, value: object, names: list[str], nothing: Mapping[str, Collection[Any]]
) -> None:
    """Ignore a parameter whose value asks for nothing. Raises ``HttpRefusal`` for any other."""
    if name in nothing:
        if any(value == each for each in nothing[name]):
            return
        raise refuse_parameter(name, "no debate can honour it; leave it out")
    close = get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    shown = name if len(name) <= 100 else f"{name[:100]}…"
    raise HttpRefusal(f"unknown parameter {shown!r}{hint}", "unknown_parameter", param=shown)


def _merge_settings(request: CompletionRequest, own: DebateOptions) -> dict[str, Any]:
    """Return the settings of the extension and those that the parameters stand for."""
    most, old = request.max_completion_tokens, request.max_tokens
    if most is not None and old is not None and most != old:
        raise refuse_value(
            "max_tokens", f"{old}, but max_completion_tokens is {most}; give one of them"
        )
    given = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": old if most is None else most,
        "seed": None if request.seed is None else request.seed % 2**31,
        "effort": request.reasoning_effort,
    }
    given = {name: value for name, value in given.items() if value is not None}
    settings = dict(own.settings or {})
    if both := settings.keys() & given.keys():
        name = min(both)
        raise refuse_value(f"moot.settings.{name}", f"{name} is given, too; keep one")
    return settings | given


def _merge_kinds(own: DebateOptions, form: AnswerForm) -> tuple[Kind | None, tuple[str, ...]]:
    """Return the kind and the choices on which the extension and the answer's form agree."""
    choices = tuple(own.choices or ())
    if form.choices and choices and form.choices != choices:
        raise refuse_value("moot.choices", "not the enum of response_format; keep one of the two")
    choices = choices or form.choices
    kind = own.kind or ("choice" if choices else None)
    if form.kind is not None and kind not in {None, form.kind}:
        asked = f"but the answer that response_format asks for is of kind {form.kind!r}"
        raise refuse_value("moot.kind", f"{kind!r}, {asked}")
    return kind or form.kind, choices


def _merge_caps(own: DebateOptions, headers: Mapping[str, str]) -> Budget:
    """Return the most that may be spent: the lower of each cap of the extension and headers."""
    cap = Budget(calls=own.max_calls, tokens=own.max_tokens, cost=own.max_cost)
    for header, number in HEADERS.items():
        if (text := headers.get(header)) is None:
            continue
        what = header.rpartition("-")[2]
        try:
            given = Budget(**{what: msgspec.convert(text, number, strict=False)})
        except (msgspec.ValidationError, InputError):
            expected = "a whole number" if number is int else "a number"
            raise refuse_value(header, f"{text[:30]!r}: expected {expected}, 0 or more") from None
        cap = lower_of(cap, given)
    return cap


def _parse_replicate(own: DebateOptions, headers: Mapping[str, str]) -> Replicate | None:
    """Return the replicate that the extension or the header names, or None."""
    text = headers.get(REPLICATE)
    if text is None:
        return own.replicate
    try:
        named: Replicate = NEW if text == NEW else msgspec.convert(text, _Number, strict=False)
    except msgspec.ValidationError:
        expected = f"expected new, or a whole number from 0 and less than {REPLICATES:,}"
        raise refuse_value(REPLICATE, f"{text[:30]!r}: {expected}") from None
    if own.replicate not in {None, named}:
        both = f"{own.replicate}, but the header {REPLICATE} says {named}; keep one"
        raise refuse_value("moot.replicate", both)
    return named


def _parse_stop(stop: str | list[str] | None) -> tuple[str, ...]:
    texts = [stop] if isinstance(stop, str) else stop or []
    if not all(texts):
        raise refuse_value("stop", "a text is empty")
    return tuple(texts)
