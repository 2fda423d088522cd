"""Refusals of an endpoint: its status and words become one of moot's errors.

A refusal with 401, 402, 403, 404, or 429 with ``insufficient_quota`` may be about the key: then
every further call would be refused as well. Or it is about one prompt, by a firewall or a safety
system: then the other calls go on. ``Access`` tells the two apart.
"""

import os
import re
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from moot.core.encoding import drop_mark
from moot.core.errors import (
    NOT_JSON,
    AccessError,
    ContextTooLong,
    ModelError,
    NotFoundError,
    RefusedError,
    TransientError,
)
from moot.core.messages import Message
from moot.models.headers import retry_after
from moot.models.providers import KEY_VARIABLES
from moot.models.refusal_words import (
    MODERATED,
    NO_SYSTEM,
    TOO_FAST,
    TOO_LONG,
    TOO_LONG_CODES,
    UNSUPPORTED,
    compile_words,
)

_PASSING = frozenset({408, 409, 425, 429})
_QUOTE = 200
_TOO_LONG = compile_words(TOO_LONG)
_TOO_LONG_CODES = compile_words(TOO_LONG_CODES)
_TOO_FAST = compile_words(TOO_FAST)
_UNSUPPORTED = compile_words(UNSUPPORTED)
_MODERATED = compile_words(MODERATED)
_NO_SYSTEM = compile_words(NO_SYSTEM)

SYSTEM_MESSAGES = "system messages"
"""Stands for system messages among the parameters that an endpoint may not take."""


IN_A_ROW = 5
"""After so many refusals without a success between them, further calls are not sent. Each counts
only if its call was sent after the refusal before it."""
AGAIN = 60.0
"""Seconds after which one call is sent again, to see whether it is still refused."""


class EndpointRefusal(msgspec.Struct, frozen=True):
    """An error response of an endpoint.

    Attributes:
        status: the HTTP status.
        message: the error message, or the start of the body where it was not JSON.
        code: the error code and type, in one text.
        parameters: the request parameters that it names.
        page: whether it is a web page, perhaps of a firewall or a proxy.
    """

    status: int
    message: str
    code: str = ""
    parameters: tuple[str, ...] = ()
    page: bool = False


def _find_parameters(detail: object) -> tuple[str, ...]:
    """Return the parameters in validation errors ``[{"loc": ["body", "seed"], …}]``."""
    items = detail if isinstance(detail, list) else []
    places = [item.get("loc") for item in items if isinstance(item, dict)]
    return tuple(str(part) for place in places if isinstance(place, list) for part in place)


def parse_refusal(status: int, body: bytes) -> EndpointRefusal:
    """Return the parts of an error response: JSON of any shape, a text, or a web page."""
    try:
        data: Any = msgspec.json.decode(drop_mark(body))
    except NOT_JSON:
        text = re.sub(
            r"<(script|style).*?</\1>|<[^>]*>",
            " ",
            body[:20_000].decode("utf-8", "replace"),
            flags=re.DOTALL,
        )
        return EndpointRefusal(status, text, page=drop_mark(body)[:1000].lstrip().startswith(b"<"))
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return EndpointRefusal(status, str(data))
    return refusal_of(status, data.get("error", data))


def find_status(error: object) -> int | None:
    """Return the HTTP status that an error object names, as a number or a text; else None."""
    if not isinstance(error, dict):
        return None
    for name in ("code", "status", "status_code"):
        value = error.get(name)
        if isinstance(value, str) and len(value) == 3 and value.isdecimal():
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def refusal_of(status: int, error: object) -> EndpointRefusal:
    """Return the refusal that the error object of a response describes."""
    if not isinstance(error, dict):
        return EndpointRefusal(status, str(error))
    detail = error.get("detail")
    message = error.get("message") or detail or error.get("error") or ""
    if not isinstance(message, str):
        message = msgspec.json.encode(message).decode()
    param = error.get("param")
    named = (param.partition(".")[0],) if isinstance(param, str) else ()
    code = f"{error.get('code') or ''} {error.get('type') or ''}"
    return EndpointRefusal(status, message, code, named + _find_parameters(detail))


def quote(text: str, secrets: tuple[str, ...]) -> str:
    """Return the start of a text on one line, without control characters and secrets."""
    text = "".join(c if c.isprintable() else " " for c in text)
    for secret in secrets:
        text = text.replace(secret, "[key]")
    text = " ".join(text.split())
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"


def secrets(variable: str | None, *more: str) -> tuple[str, ...]:
    """Return the values of all variables that may hold a key, and ``more``; the longest first."""
    names = KEY_VARIABLES | {variable or ""}
    found = {os.environ.get(name, "").strip() for name in names} | set(more)
    return tuple(sorted((key for key in found if len(key) >= 4), key=len, reverse=True))


def find_refused_parameter(refusal: EndpointRefusal, sent: Mapping[str, Any]) -> str | None:
    """Return the optional parameter that the endpoint does not take; None for another reason.

    A parameter whose *value* is out of range does not count: leaving it out would hide a mistake.
    System messages count as one, ``SYSTEM_MESSAGES``.
    """
    if (
        refusal.status in {400, 422, 500}
        and _NO_SYSTEM.search(refusal.message)
        and _has_system(sent)
    ):
        return SYSTEM_MESSAGES
    if refusal.status not in {400, 422} or is_too_long(refusal):
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
    # A schema is optional, and endpoints refuse it with many texts: try once without it.
    return "response_format" if "response_format" in sent else None


def _has_system(sent: Mapping[str, Any]) -> bool:
    """Whether a request has a system message."""
    messages = sent.get("messages")
    given = messages if isinstance(messages, list | tuple) else ()
    return any(isinstance(each, Message) and each.role == "system" for each in given)


def is_too_long(refusal: EndpointRefusal) -> bool:
    """Return whether the prompt did not fit the model's context."""
    if _TOO_LONG_CODES.search(refusal.code):
        return True
    return bool(_TOO_LONG.search(refusal.message)) and not _TOO_FAST.search(refusal.message)


def error_of(
    where: str,
    refusal: EndpointRefusal,
    headers: Mapping[str, str],
    variable: str,
    now: float,
    *more: str,
) -> ModelError:
    """Return the error to raise for a refusal.

    Args:
        where: the model's name, for the text.
        refusal: the error response.
        headers: of the response.
        variable: the environment variable with the key.
        now: the time, in Unix seconds.
        more: secrets beside keys, which no text may hold.
    """
    status = refusal.status
    words = quote(refusal.message, secrets(variable, *more))
    if refusal.page:
        words = f"a web page: {words}"
    text = f"{where}: {status}: {words}" if words else f"{where}: {status}"
    problem = _key_problem(refusal, variable)
    if problem:
        return AccessError(f"{text} ({problem})", status=status)
    if status in _PASSING or (status >= 500 and status != 501 and not is_too_long(refusal)):
        return TransientError(text, status=status, retry_after=retry_after(headers, now))
    if is_too_long(refusal) or status == 413:
        return ContextTooLong(text, status=status)
    if status == 404:
        return NotFoundError(f"{text} (is the model's name right?)", status=status)
    return RefusedError(text, status=status)


def _key_problem(refusal: EndpointRefusal, variable: str) -> str:
    """Return the problem with the key, if that is the reason; else an empty text."""
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


class Access:
    """Whether calls of one model are still sent, after the refusals so far.

    Attributes:
        doubtful: whether the newest answer is a refusal. Calls are then sent one at a time.
    """

    def __init__(self) -> None:
        self._worked = self.doubtful = False
        self._in_a_row = self._counted = 0
        self._denied: RefusedError | None = None
        self._since = 0.0

    def begin(self) -> int:
        """Return the number that ``refuse`` takes, before a call is sent.

        Raises:
            AccessError: further calls would be refused.
            NotFoundError: likewise.
        """
        denied = self._denied
        if denied is not None and time.monotonic() - self._since < AGAIN:
            raise type(denied)(str(denied), status=denied.status)
        return self._counted

    def succeed(self) -> None:
        """Record that a call got its reply."""
        self._worked = True
        if self.doubtful:
            self.doubtful, self._in_a_row, self._denied = False, 0, None

    def refuse(self, error: RefusedError, begun: int, *, page: bool = False) -> RefusedError:
        """Record a refusal and return the error to raise.

        Args:
            error: the ``AccessError`` or ``NotFoundError`` of the response.
            begun: the number that ``begin`` returned for this call.
            page: whether the response is a web page, and so perhaps not the endpoint's own.

        Returns:
            The same error where all further calls would be refused; else a ``RefusedError`` for
            this call alone.
        """
        if begun == self._counted:  # refusals of calls that were sent together count once
            self._counted += 1
            self._in_a_row += 1
            self.doubtful = True
        many = self._in_a_row >= IN_A_ROW
        if many:
            text = f"{error}; so were the last {IN_A_ROW} calls in a row"
            error = type(error)(text, status=error.status)
        elif not isinstance(error, AccessError) and not self._worked:
            return error  # most likely the model's name is wrong
        if many or not (self._worked or page):
            self._denied, self._since = error, time.monotonic()
            return error
        return RefusedError(str(error), status=error.status)
