"""A request's body, read: what is to be debated, how often, and in which form it is told."""

from collections.abc import Mapping
from difflib import get_close_matches
from math import isfinite
from typing import Any, Literal, NamedTuple

import msgspec

from moot.core.errors import NOT_JSON
from moot.core.messages import Message
from moot.core.questions import Kind
from moot.runtime.budget import Budget
from moot.server.chat.conversation import question
from moot.server.chat.errors import Refused, unsupported
from moot.server.chat.form import Form, form
from moot.server.chat.wire import Extension, Request

IGNORED = frozenset(
    {
        "metadata",
        "parallel_tool_calls",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "service_tier",
        "store",
        "user",
    }
)
"""Parameters that no answer depends on."""

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
    "tool_choice": ("none", "auto"),
    "tools": ([],),
    "top_logprobs": (0,),
    "verbosity": (),
    "web_search_options": (),
}
"""Parameters that no debate can honour, with the values that ask for nothing."""

REPLICATE = "x-moot-replicate"
"""The header that names a replicate, as the extension's field does."""
REPLICATES = 2**31
"""So many a client can name."""
NEW: Literal["new"] = "new"
"""What asks for a debate that was never held, whatever the seed."""
Replicate = int | Literal["new"]

HEADERS = {"x-moot-max-calls": int, "x-moot-max-tokens": int, "x-moot-max-cost": float}
"""Headers that cap what a request may spend."""

_NAMES = Request.__struct_encode_fields__
_decode = msgspec.json.Decoder().decode


class Asked(NamedTuple):
    """What a request asks for.

    Attributes:
        model: as the client named it.
        history: the conversation before the question.
        settings: of the protocol, over those of the model's name.
        replicate: which of several debates the first choice is; ``new`` for one that was never
            held; None where the request does not say.
        open: whether nothing says what an answer looks like: it is a chat.
        cap: the most that all its debates may spend.
        stop: the answer's text ends before the first of these.
        usage: whether a stream tells the tokens at its end.
    """

    model: str
    text: str
    history: tuple[Message, ...]
    context: str | None
    kind: Kind | None
    choices: tuple[str, ...]
    settings: dict[str, Any]
    n: int
    replicate: Replicate | None
    open: bool
    cap: Budget
    stop: tuple[str, ...]
    form: Form
    stream: bool
    usage: bool


def read(body: bytes, headers: Mapping[str, str]) -> Asked:
    """What a body asks for. Raises ``Refused`` naming the parameter that cannot be."""
    request = _request(body)
    own = request.moot or Extension()
    text, history = question(request.messages)
    shape = form(request.response_format)
    kind, choices = _agreed(own, shape)
    return Asked(
        model=request.model,
        text=text,
        history=history,
        context=own.context or None,
        kind=kind,
        choices=choices,
        settings=_settings(request, own),
        n=request.n or 1,
        replicate=_replicate(own, headers),
        open=kind is None and not shape.fields,
        cap=_cap(own, headers),
        stop=_stops(request.stop),
        form=shape,
        stream=bool(request.stream),
        usage=bool(request.stream_options and request.stream_options.include_usage),
    )


def _request(body: bytes) -> Request:
    """The body as a request."""
    try:
        raw = _decode(body)
    except NOT_JSON as error:
        raise Refused(f"the body is no JSON: {error}", code="invalid_json") from None
    if not isinstance(raw, dict):
        raise Refused("the body is no JSON object", code="invalid_json")
    given = {name: value for name, value in raw.items() if value is not None}
    for name, value in given.items():
        if name not in _NAMES and name not in IGNORED:
            _harmless(name, value)
    for name in ("model", "messages"):
        if name not in given:
            raise Refused(f"{name}: it is missing", param=name, code="missing_required_parameter")
    try:
        return msgspec.convert(given, Request)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        place = place.strip("`.").replace("[...]", "[]") or "body"
        told = f"{place}: {message[:1].lower()}{message[1:]}"
        raise Refused(told, param=place, code="invalid_value") from None


def _harmless(name: str, value: object) -> None:
    """Pass over what asks for nothing. Raises ``Refused`` for anything else."""
    if name in NOTHING:
        if any(value == nothing for nothing in NOTHING[name]):
            return
        raise unsupported(name, "no debate can honour it; leave it out")
    close = get_close_matches(name.lower(), _NAMES, n=1, cutoff=0.6)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    shown = name if len(name) <= 100 else f"{name[:100]}…"
    raise Refused(f"unknown parameter {shown!r}{hint}", param=shown, code="unknown_parameter")


def _settings(request: Request, own: Extension) -> dict[str, Any]:
    """The settings that the request's parameters stand for."""
    most, old = request.max_completion_tokens, request.max_tokens
    if most is not None and old is not None and most != old:
        raise Refused(
            f"max_tokens: {old}, but max_completion_tokens is {most}; give one of them",
            param="max_tokens",
            code="invalid_value",
        )
    given = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": old if most is None else most,
        "seed": None if request.seed is None else request.seed % 2**31,
        "effort": request.reasoning_effort,
    }
    ours = dict(own.settings or {})
    for name, value in given.items():
        if value is not None and name in ours:
            place = f"moot.settings.{name}"
            raise Refused(f"{place}: {name} is given, too; keep one", param=place)
    return ours | {name: value for name, value in given.items() if value is not None}


def _agreed(own: Extension, shape: Form) -> tuple[Kind | None, tuple[str, ...]]:
    """The kind and the choices that the extension and the form of the answer agree on."""
    choices = tuple(own.choices or ())
    if shape.choices and choices and shape.choices != choices:
        raise Refused(
            "moot.choices: other ones than the enum of response_format; keep one of the two",
            param="moot.choices",
            code="invalid_value",
        )
    choices = choices or shape.choices
    kind = own.kind or ("choice" if choices else None)
    if shape.kind is not None and kind not in {None, shape.kind}:
        raise Refused(
            f"moot.kind: {kind!r}, but the answer that response_format asks for is of kind "
            f"{shape.kind!r}",
            param="moot.kind",
            code="invalid_value",
        )
    return kind or shape.kind, choices


def _cap(own: Extension, headers: Mapping[str, str]) -> Budget:
    """The most that may be spent: of the extension's caps and the headers', the lower."""
    caps: dict[str, Any] = {}
    for header, number in HEADERS.items():
        what = header.rpartition("-")[2]
        told = [] if (cap := getattr(own, f"max_{what}")) is None else [cap]
        if (text := headers.get(header)) is not None:
            told.append(_number(header, text, number))
        caps[what] = min(told) if told else None
    return Budget(**caps)


def _number(header: str, text: str, number: type[int] | type[float]) -> float:
    try:
        value = number(text)
    except ValueError:
        value = -1
    if not isfinite(value) or value < 0 or len(text) > 30:
        what = "a whole number" if number is int else "a number"
        shown = text if len(text) <= 30 else f"{text[:30]}…"
        raise Refused(
            f"{header}: {shown!r}: expected {what}, 0 or more", param=header, code="invalid_value"
        )
    return value


def _replicate(own: Extension, headers: Mapping[str, str]) -> Replicate | None:
    """The replicate that the extension or the header names; None where neither does."""
    text = headers.get(REPLICATE)
    if text is None:
        return own.replicate
    named: Replicate = NEW if text == NEW else int(_number(REPLICATE, text, int))
    if named != NEW and named >= REPLICATES:
        told = f"{REPLICATE}: {named}: expected new, or a number less than {REPLICATES:,}"
        raise Refused(told, param=REPLICATE, code="invalid_value")
    if own.replicate not in {None, named}:
        told = f"moot.replicate: {own.replicate}, but the header {REPLICATE} says {named}; keep one"
        raise Refused(told, param="moot.replicate", code="invalid_value")
    return named


def _stops(stop: str | list[str] | None) -> tuple[str, ...]:
    texts = [stop] if isinstance(stop, str) else stop or []
    if not all(texts):
        raise Refused("stop: a text is empty", param="stop", code="invalid_value")
    return tuple(texts)
