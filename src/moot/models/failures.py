"""What a failed request means: the endpoint's status and words, as one of moot's errors."""

import os
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from moot.core.errors import (
    AccessError,
    ContextTooLong,
    ModelError,
    NotFoundError,
    RefusedError,
    TransientError,
)
from moot.models.headers import retry_after
from moot.models.providers import KEY_VARIABLES

_PASSING = frozenset({408, 409, 425, 429})
_QUOTE = 200
_CONTEXT = re.compile(
    r"context.?(length|window|size)|maximum context|prompt (is|was) too long|input (is )?too long"
    r"|too many (input )?tokens|reduce the length"
    r"|exceeds? the (model'?s )?maximum (context|input|length|prompt|number)",
    re.IGNORECASE,
)
_UNSUPPORTED = re.compile(
    r"unsupported|not (currently )?support|n't support|unknown|unrecogni[sz]ed|unexpected"
    r"|not (permitted|allowed|available|implemented)|extra (inputs|fields|forbidden)|forbidden"
    r"|deprecated",
    re.IGNORECASE,
)

_MODERATED = re.compile(r"moderation|flagged|safety|content.?(policy|filter)|policy violation")


class Refusal(msgspec.Struct, frozen=True):
    """What an endpoint said in place of a reply.

    Attributes:
        status: the HTTP status.
        message: its words, or the start of the body where it was not JSON.
        code: its error code and type, in one text.
        parameters: names of request parameters it points at.
        page: whether it is a web page, of a firewall or a proxy perhaps.
    """

    status: int
    message: str
    code: str = ""
    parameters: tuple[str, ...] = ()
    page: bool = False


def _pointed(detail: object) -> tuple[str, ...]:
    """Parameters named by validation errors ``[{"loc": ["body", "seed"], …}]``."""
    places = (
        [item.get("loc") for item in detail if isinstance(item, dict)]
        if isinstance(detail, list)
        else []
    )
    return tuple(str(part) for place in places if isinstance(place, list) for part in place)


def read(status: int, body: bytes) -> Refusal:
    """Take an error response apart, whatever form it has."""
    try:
        data: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = re.sub(
            r"<(script|style).*?</\1>|<[^>]*>",
            " ",
            body[:20_000].decode("utf-8", "replace"),
            flags=re.DOTALL,
        )
        return Refusal(
            status, text, page=body[:1000].lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<")
        )
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return Refusal(status, str(data))
    return of(status, data.get("error", data))


def of(status: int, error: object) -> Refusal:
    """A refusal from the error object of a response."""
    if not isinstance(error, dict):
        return Refusal(status, str(error))
    detail = error.get("detail")
    message = error.get("message") or detail or error.get("error") or ""
    if not isinstance(message, str):
        message = msgspec.json.encode(message).decode()
    param = error.get("param")
    named = (param.partition(".")[0],) if isinstance(param, str) else ()
    code = f"{error.get('code') or ''} {error.get('type') or ''}"
    return Refusal(status, message, code, named + _pointed(detail))


def quote(text: str, secrets: tuple[str, ...]) -> str:
    """The start of an endpoint's words, on one line, without control characters or any key."""
    text = "".join(c if c.isprintable() else " " for c in text)
    for secret in secrets:
        text = text.replace(secret, "[key]")
    text = " ".join(text.split())
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"


def secrets(variable: str | None, *more: str) -> tuple[str, ...]:
    """The values of all variables that may hold a key, and more of these, the longest first."""
    names = KEY_VARIABLES | {variable or ""}
    found = {os.environ.get(name, "").strip() for name in names} | set(more)
    return tuple(sorted((key for key in found if len(key) >= 4), key=len, reverse=True))


def change(refusal: Refusal, sent: Mapping[str, Any]) -> str | None:
    """The optional parameter of a request whose presence the endpoint refuses, if that is why.

    A parameter whose *value* is out of range is not one: leaving it out would hide a mistake.
    """
    if refusal.status not in {400, 422} or too_long(refusal):
        return None
    optional = [name for name in sent if name not in {"model", "messages", "input"}]
    words = f"{refusal.message} {refusal.code}"
    if _UNSUPPORTED.search(words):
        for name in optional:
            if name in refusal.parameters:
                return name
        for name in optional:
            if re.search(rf"(?<![a-z_]){name}(?![a-z_])", words):
                return name
    # A schema is a wish ("where the model can be held to one"), so any refusal may be due to it.
    return "response_format" if "response_format" in sent else None


def too_long(refusal: Refusal) -> bool:
    """Whether the prompt did not fit the model's context."""
    return "context" in refusal.code or bool(_CONTEXT.search(refusal.message))


def error(
    where: str,
    refusal: Refusal,
    headers: Mapping[str, str],
    variable: str,
    now: float,
    *more: str,
) -> ModelError:
    """The error to raise.

    Args:
        where: the model's name, for the text.
        refusal: what the endpoint said.
        headers: of the response.
        variable: the name of the environment variable with the key.
        now: the Unix time.
        more: texts, beside keys, that are never repeated.
    """
    status = refusal.status
    said = quote(refusal.message, secrets(variable, *more))
    if refusal.page:
        said = f"a web page: {said}"
    text = f"{where}: {status}: {said}" if said else f"{where}: {status}"
    access = _access(refusal, variable)
    if access:
        return AccessError(f"{text} ({access})", status=status)
    if status in _PASSING or (status >= 500 and status != 501 and not too_long(refusal)):
        return TransientError(text, status=status, retry_after=retry_after(headers, now))
    if too_long(refusal) or status == 413:
        return ContextTooLong(text, status=status)
    if status == 404:
        return NotFoundError(f"{text} (is the model's name right?)", status=status)
    return RefusedError(text, status=status)


def _access(refusal: Refusal, variable: str) -> str:
    """What is wrong with the key, if that is the reason; else an empty text."""
    words = f"{refusal.code} {refusal.message}".lower()
    if refusal.status == 402 or "insufficient_quota" in words:
        return f"the account behind {variable} is used up"
    # One prompt that moderation refuses says nothing about the key.
    moderated = refusal.status == 403 and _MODERATED.search(words)
    if refusal.status not in {401, 403} or moderated:
        return ""
    if refusal.status == 403 and refusal.page:
        return "no endpoint's words: of a firewall or a proxy, or the address is wrong"
    has_key = os.environ.get(variable, "").strip()
    return f"the key in {variable} is not accepted" if has_key else f"set {variable} to your key"
