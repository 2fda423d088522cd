"""How a request is told that it goes no further, before any handler of its own had it."""

from typing import NamedTuple

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

_TYPES = {401: "authentication_error", 429: "rate_limit_error"}
_WORDS = {
    404: "there is no such page",
    405: "this address takes no such request",
    500: "a mistake in moot; the server's log says where",
}


class Refusal(NamedTuple):
    """Why a request goes no further.

    Attributes:
        status: of HTTP.
        message: in words.
        code: the same as programs read it.
        headers: sent with it.
    """

    status: int
    message: str
    code: str
    headers: dict[str, str] = {}  # noqa: RUF012 -- never changed

    def response(self, path: str) -> Response:
        """The answer to a request of this path: in OpenAI's form where programs ask."""
        if not programs(path):
            return Response(f"{self.message}\n", self.status, self.headers, "text/plain")
        kind = _TYPES.get(self.status, "server_error")
        if 400 <= self.status < 500 and self.status not in _TYPES:
            kind = "invalid_request_error"
        error = {"message": self.message, "type": kind, "param": None, "code": self.code}
        body = msgspec.json.encode({"error": error})
        return Response(body, self.status, self.headers, "application/json")


def programs(path: str) -> bool:
    """Whether a path is the endpoint's, whose errors have the form of OpenAI's."""
    return path == "/v1" or path.startswith("/v1/")


async def told(request: Request, error: Exception) -> Response:
    """The answer for what no route takes."""
    assert isinstance(error, HTTPException)
    message = _WORDS.get(error.status_code, error.detail)
    refusal = Refusal(error.status_code, message, "not_found", dict(error.headers or {}))
    if error.status_code != 404:
        refusal = refusal._replace(code="not_possible")
    return refusal.response(request.url.path)
