"""What stands before every request: who asks, by which name, from where, and how much is sent."""

import asyncio
import logging
import re
from base64 import b64decode
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import ip_address
from traceback import extract_tb

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.server.config import ServerConfig
from moot.server.debates import ANYBODY
from moot.server.http_errors import Refusal, programs

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # No other site is told. "no-referrer" would make browsers send our own forms with
    # "Origin: null", which is what the guard refuses.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every response says; none is weakened by what a page says of itself."""
OPEN = frozenset({"/healthz"})
"""Paths that need no token."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

log = logging.getLogger("moot.server")


class Guard:
    """Lets requests through that may be served, and says of each who asks.

    ``request.state.client`` is the name of the client from then on: of the one whose token was
    given, as ``Authorization: Bearer TOKEN`` or as the password of basic authentication, which is
    what a browser asks its user for. The whole body is there before a handler is.

    Args:
        app: what is guarded.
        config: what the owner allows.
        loopback: whether the server is reached from this machine alone. Then the name by which it
            is called must be this machine's, so that no page elsewhere on the web reaches it by a
            name of its own that it lets stand for 127.0.0.1.
    """

    def __init__(self, app: ASGIApp, config: ServerConfig, *, loopback: bool = True) -> None:
        self._app, self._limits = app, config.limits
        self._hosts, self._loopback = frozenset(config.hosts), loopback
        self._tokens = {name: _digest(each.token) for name, each in config.clients.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no web sockets
        send = Sending(send)
        headers = Headers(scope=scope)
        refusal = self._elsewhere(scope["method"], headers) or self._too_long(headers)
        client = self._client(headers, scope["path"])
        body: bytes | Refusal | None = refusal or (client if isinstance(client, Refusal) else None)
        if body is None:
            body = await self._body(receive)
        if isinstance(body, Refusal):
            await body.response(scope["path"])(scope, receive, send)
        elif body is not None:
            scope.setdefault("state", {})["client"] = client
            await self._serve(scope, _after(body, receive), send)

    async def _serve(self, scope: Scope, receive: Receive, send: "Sending") -> None:
        """Serve it; a mistake of ours is logged without its text, in which prompts may stand."""
        try:
            await self._app(scope, receive, send)
        except Exception as error:  # noqa: BLE001 -- whatever it is, the server goes on
            places = [f"{each.filename}:{each.lineno}" for each in extract_tb(error.__traceback__)]
            told = scope["method"], scope["path"], type(error).__name__, ", ".join(places[-6:])
            log.error("%s %r: %s at %s", *told)  # noqa: TRY400 -- see above
            if not send.begun:
                message = "a mistake in moot; the server's log says where"
                await Refusal(500, message, "internal").response(scope["path"])(
                    scope, receive, send
                )

    def _client(self, headers: Headers, path: str) -> str | Refusal:
        """Whose token was given. Every token is compared, each in a time that tells nothing."""
        if not self._tokens or path in OPEN:
            return ANYBODY
        given = _digest(_given(headers.get("authorization", "")))
        found = [name for name, token in self._tokens.items() if compare_digest(token, given)]
        if found:
            return found[0]
        what = "Bearer" if programs(path) else 'Basic realm="moot", charset="UTF-8"'
        message = "give the token of this server: Authorization: Bearer TOKEN"
        return Refusal(401, message, "invalid_api_key", {"WWW-Authenticate": what})

    def _elsewhere(self, method: str, headers: Headers) -> Refusal | None:
        """Whether a page of another site asks, by way of a browser of somebody who may."""
        hosts = headers.getlist("host")
        if self._loopback and not (len(hosts) == 1 and self._own(hosts[0])):
            message = (
                "this server answers to 127.0.0.1 and localhost alone; other names stand in its "
                'file: hosts = ["NAME"]'
            )
            return Refusal(421, message, "wrong_host")
        if method in SAFE:
            return None
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            same = site in {"same-origin", "none"}
        else:
            same = origin is None or origin.partition("://")[2].lower() == "".join(hosts).lower()
        if not same:
            return Refusal(403, "pages of other sites may not ask here", "cross_origin")
        return None

    def _own(self, host: str) -> bool:
        """Whether a host, with or without its port, is this machine."""
        name = re.sub(r":\d*$", "", host).lower()
        return name in self._hosts or is_loopback(name.removeprefix("[").removesuffix("]"))

    def _too_long(self, headers: Headers) -> Refusal | None:
        if headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            message = "send the request's body as it is, without Content-Encoding"
            return Refusal(415, message, "unsupported_encoding")
        told = headers.get("content-length", "")
        if told.isdigit() and len(told) < 20 and int(told) <= self._limits.body:
            return None
        return self._length if told else None

    @property
    def _length(self) -> Refusal:
        message = f"the request has more than {self._limits.body} bytes"
        # Not closed: the rest is read and thrown away for a while, else the answer would be, too.
        return Refusal(413, message, "request_too_large")

    async def _body(self, receive: Receive) -> bytes | Refusal | None:
        """The whole body; None where whoever sends it goes away."""
        body, idle = bytearray(), self._limits.idle
        try:
            async with asyncio.timeout(idle):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self._limits.body:
                        return self._length
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            why = f"the request was not there after {idle:g} s"
            return Refusal(408, why, "request_timeout", {"Connection": "close"})


class Sending:
    """Sends a response with what every response says.

    Attributes:
        begun: whether anything was sent.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        """Send one message of ASGI."""
        if message["type"] == "http.response.start":
            self.begun = True
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers.setdefault("Cache-Control", "no-store")
        await self._send(message)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address; a name is one only if it is localhost."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _digest(token: str | bytes) -> bytes:
    """What is compared in place of a token, so that not even its length takes its own time."""
    return blake2b(token.encode() if isinstance(token, str) else token).digest()


def _given(authorization: str) -> bytes:
    """The token in a header; empty where there is none."""
    scheme, _, value = authorization.partition(" ")
    raw = value.strip().encode("latin-1", "replace")
    if scheme.lower() == "bearer":
        return raw
    if scheme.lower() == "basic":
        try:
            return b64decode(raw, validate=True).partition(b":")[2]
        except ValueError:
            return b""
    return b""


def _after(body: bytes, receive: Receive) -> Receive:
    """The body at once, then whatever comes: that the client has gone."""
    told = False

    async def receiving() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving
