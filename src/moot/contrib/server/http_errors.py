"""The errors of the server: an HTTP status, and a body in OpenAI's form for programs."""

import re
from collections.abc import Mapping
from math import ceil

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from moot import (
    BudgetReached,
    ContextTooLong,
    InputError,
    MootError,
    StoreError,
    TransientError,
    UnknownName,
)
from moot.contrib.server.allowance import HourReached
from moot.contrib.server.allowed_names import NotAllowed
from moot.contrib.server.chat.chat_json import ErrorBody, ErrorDetails
from moot.contrib.server.live_debate import Stopped
from moot.contrib.server.live_debates import Busy, QuestionTooLong
from moot.extend.faults import ToolServerDown
from moot.extend.records import Failed

INVALID = "invalid_request_error"
UPSTREAM = "upstream_error"
SERVER_ERROR = "server_error"
QUOTA = "insufficient_quota"

_TYPES = {401: "authentication_error", 429: "rate_limit_error"}
_ROUTING = {404: "there is no such page", 405: "this address takes no such request"}
_RAISED: tuple[tuple[type[MootError], int, str, str], ...] = (
    (Busy, 429, "rate_limit_error", "too_many_debates"),
    (HourReached, 429, QUOTA, "hourly_budget_reached"),
    (BudgetReached, 402, QUOTA, "budget_reached"),
    (Stopped, 503, SERVER_ERROR, "stopped"),
    (StoreError, 503, SERVER_ERROR, "store_unavailable"),
    (ToolServerDown, 503, UPSTREAM, "tools_unavailable"),
)
"""Status, type and code by the class of an error; the first class that fits."""
_FAILURES: dict[str, tuple[int, str, str]] = {
    TransientError.__name__: (503, UPSTREAM, "upstream_unavailable"),
    ContextTooLong.__name__: (400, INVALID, "context_length_exceeded"),
    **dict.fromkeys(
        ("ModelError", "RefusedError", "AccessError", "NotFoundError", "ScriptEnded"),
        (502, UPSTREAM, "upstream_refused"),
    ),
}
"""Status, type and code of a failed debate by the class of its error."""
_UNPRICED = re.compile(r"a cap on cost needs a price, and that of (.+?) is unknown: state it")
"""The error for a cap on cost, whose advice is the owner's to follow, not the client's."""
_SETTING = re.compile(r"\bsetting '?(\w+)")
_PARAMETERS = {
    "choices": "moot.choices",
    "context": "moot.context",
    "model": "model",
    "question": "messages",
}
"""The request's parameter by the word that an error text of moot begins with."""
_SAME = frozenset({"temperature", "top_p", "max_tokens", "seed"})
"""Settings that are parameters of a request, too."""


class HttpRefusal(MootError):
    """A request that gets an error instead of an answer.

    Attributes:
        message: what is wrong, in words.
        status: the HTTP status.
        type: the kind of error, as OpenAI's clients know it.
        code: the error, for programs.
        param: the parameter at fault; None if no parameter is.
        headers: response headers, e.g. ``Retry-After``.
    """

    def __init__(
        self,
        message: str,
        code: str,
        *,
        status: int = 400,
        type: str | None = None,  # noqa: A002 -- OpenAI's name
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.status, self.param = message, code, status, param
        self.type = type or _TYPES.get(status, INVALID if status < 500 else SERVER_ERROR)
        self.headers = dict(headers or {})

    def encode(self) -> bytes:
        """Return the error as JSON, in OpenAI's form."""
        details = ErrorDetails(
            message=self.message, type=self.type, param=self.param, code=self.code
        )
        return msgspec.json.encode(ErrorBody(details))

    def response(self, path: str = "/v1") -> Response:
        """Return the response to a request of this path: JSON for ``/v1``, else plain text."""
        if is_api(path):
            return Response(self.encode(), self.status, self.headers, "application/json")
        return Response(f"{self.message}\n", self.status, self.headers, "text/plain")


def is_api(path: str) -> bool:
    """Whether a path belongs to the endpoint for programs."""
    return path == "/v1" or path.startswith("/v1/")


def describe_long_head(most: int) -> str:
    """Return why the head of a request is refused that has more than so many bytes."""
    return f"the request's line and headers have more than {most} bytes"


def describe_slowness(seconds: float) -> str:
    """Return why a request is refused that did not come within so many seconds."""
    return f"the request was not complete after {seconds:g} s"


def routing_refusal(error: HTTPException) -> HttpRefusal:
    """Return the refusal of a path or a method that no route takes."""
    message = _ROUTING.get(error.status_code, error.detail)
    code = "not_found" if error.status_code == 404 else "not_possible"
    return HttpRefusal(message, code, status=error.status_code, headers=error.headers)


def refuse_parameter(name: str, why: str) -> HttpRefusal:
    """Return the error for a parameter that no debate can honour."""
    return HttpRefusal(f"{name}: {why}", "unsupported_parameter", param=name)


def refuse_value(name: str, why: str) -> HttpRefusal:
    """Return the error for a parameter with an impossible value."""
    return HttpRefusal(f"{name}: {why}", "invalid_value", param=name)


def refuse_missing(name: str) -> HttpRefusal:
    """Return the error for a parameter that is not given, and must be."""
    return HttpRefusal(f"{name}: it is missing", "missing_required_parameter", param=name)


def refusal_from(error: MootError) -> HttpRefusal:
    """Return the refusal for an error that ended a request before or during its debate."""
    text = str(error)
    if isinstance(error, HttpRefusal):
        return error
    if isinstance(error, InputError) and not isinstance(error, ToolServerDown):
        return _refuse_input(error, text)
    after = {}
    if isinstance(error, Busy | HourReached):
        after = {"retry-after": str(ceil(error.retry_after))}
    if isinstance(error, Busy) and error.closing:
        return HttpRefusal(text, "closing", status=503, headers=after)
    for kind, status, type_, code in _RAISED:
        if isinstance(error, kind):
            return HttpRefusal(text, code, status=status, type=type_, headers=after)
    return refusal_of(Failed(kind=type(error).__name__, reason=text))


def refusal_of(end: Failed) -> HttpRefusal:
    """Return the refusal for a debate that failed."""
    status, kind, code = _FAILURES.get(end.kind, (500, SERVER_ERROR, "debate_failed"))
    return HttpRefusal(f"the debate failed: {end.reason}", code, status=status, type=kind)


def _refuse_input(error: InputError, text: str) -> HttpRefusal:
    names = {"model", "preset", "protocol"}
    unknown = isinstance(error, UnknownName) and error.what in names
    if unknown or (isinstance(error, NotAllowed) and text.startswith(("model ", "protocol "))):
        return HttpRefusal(text, "model_not_found", status=404, param="model")
    if isinstance(error, QuestionTooLong):
        return HttpRefusal(text, "string_above_max_length", param="messages")
    if isinstance(error, NotAllowed):
        return HttpRefusal(text, "not_allowed", status=403, param="model")
    if (unpriced := _UNPRICED.search(text)) is not None:
        return HttpRefusal(
            f"max_cost: a cap on cost needs a price, and this server knows none of {unpriced[1]}; "
            "leave it out, or cap calls or tokens: moot.max_calls, moot.max_tokens",
            "invalid_value",
            param="moot.max_cost",
        )
    param = _PARAMETERS.get(text.partition(":")[0])
    if setting := _SETTING.search(text):
        own = {"effort": "reasoning_effort"}
        param = setting[1] if setting[1] in _SAME else own.get(setting[1], "model")
    return HttpRefusal(text, "invalid_value", param=param)
