"""The checks before every request: the client's token, the origin, and the body's size."""

import asyncio
import logging
import re
from base64 import b64decode
from collections.abc import Callable
from hashlib import blake2b
from hmac import compare_digest
from ipaddress import ip_address
from traceback import extract_tb

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from moot.contrib.server.config import ServerConfig
from moot.contrib.server.http_errors import (
    HttpRefusal,
    describe_long_head,
    describe_slowness,
    is_api,
)
from moot.contrib.server.live_debates import ANONYMOUS
from moot.contrib.server.multipart import has_files
from moot.contrib.server.origins import ANY

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Other sites see no referrer. "no-referrer" would make browsers send our own forms with
    # "Origin: null", which the guard refuses.
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""The headers of every response."""
OPEN = frozenset({"/healthz"})
"""Paths that need no token."""
STATIC = "/static/"
"""The beginning of paths to scripts and styles, which need none: they are the same for all."""
PEOPLE = "/people/"
"""The beginning of paths on which a link with a key is enough; their pages check it."""
INVITED = ""
"""The name of a client there that has no token."""
PREFLIGHT = 600
"""Seconds for which a browser need not ask again whether a page may ask."""
PACE = 50_000
"""Bytes that each second of an upload has to bring."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

Answer = Callable[[HttpRefusal, str, str], ASGIApp]

log = logging.getLogger("moot.contrib.server")


def refuse_access(path: str) -> HttpRefusal:
    """Return the refusal of a client without a token of this server."""
    scheme = "Bearer" if is_api(path) else 'Basic realm="moot", charset="UTF-8"'
    message = "give the token of this server: Authorization: Bearer TOKEN"
    asks = {"WWW-Authenticate": scheme}
    return HttpRefusal(message, "invalid_api_key", status=401, headers=asks)


class Guard:
    """ASGI middleware that authenticates clients and refuses requests that may not be served.

    It sets ``request.state.client`` to the name of the client. A client gives its token as
    ``Authorization: Bearer TOKEN``, or as the password of basic authentication, for which browsers
    ask their users. The guard reads the whole body before it calls the application, but for
    a form with files.

    Args:
        app: the application.
        config: what the owner allows.
        loopback: whether only this machine reaches the server. Then the ``Host`` header must name
            this machine, so that no web page can reach the server by a name of its own that
            resolves to 127.0.0.1.
        answer: returns the response to a request that is refused, by its path and what the client
            accepts.
    """

    def __init__(
        self,
        app: ASGIApp,
        config: ServerConfig,
        *,
        loopback: bool = True,
        answer: Answer = lambda refusal, path, _accept: refusal.response(path),
    ) -> None:
        self._answer = answer
        self._app, self._limits, self._uploads = app, config.limits, config.uploads
        self._hosts, self._loopback = frozenset(config.hosts), loopback
        self._origins = frozenset(config.origins)
        self._tokens = {name: _digest(each.token) for name, each in config.clients.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return  # there are no web sockets
        started = False

        async def send_all(message: Message) -> None:
            """Send a message, with the headers of every response."""
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._check_head(scope, headers)
            self._check_origin(scope, headers)
            most = self._find_most(scope, headers)
            self._check_length(headers, most)
            scope.setdefault("state", {})["client"] = self._authenticate(headers, scope["path"])
            if most > self._limits.body:
                await self._app(scope, self._count(receive, most), send_all)
            elif (body := await self._read_body(receive)) is not None:
                await self._app(scope, _replay(body, receive), send_all)
        except HttpRefusal as refusal:
            await self._refuse(refusal, scope)(scope, receive, send_all)
        except Exception as error:  # noqa: BLE001 -- the server goes on after any error
            # The text of the error is not logged: it may contain prompts.
            places = [f"{each.filename}:{each.lineno}" for each in extract_tb(error.__traceback__)]
            facts = scope["method"], scope["path"], type(error).__name__, ", ".join(places[-6:])
            log.error("%s %r: %s at %s", *facts)  # noqa: TRY400 -- see above
            if not started:
                internal = HttpRefusal(
                    "a mistake in moot; see the server's log", "internal", status=500
                )
                await self._refuse(internal, scope)(scope, receive, send_all)

    def _refuse(self, refusal: HttpRefusal, scope: Scope) -> ASGIApp:
        """Return the response to a request that is refused."""
        accept = Headers(scope=scope).get("accept", "")
        return self._answer(refusal, scope["path"], accept)

    def _authenticate(self, headers: Headers, path: str) -> str:
        """Return the client's name. All tokens are compared, each in constant time."""
        if not self._tokens or path in OPEN or path.startswith(STATIC):
            return ANONYMOUS
        given = _digest(_read_token(headers.get("authorization", "")))
        found = [name for name, token in self._tokens.items() if compare_digest(token, given)]
        if found:
            return found[0]
        if path.startswith(PEOPLE):
            return INVITED
        raise refuse_access(path)

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        """Refuse a request that a page of another site makes through a client's browser.

        To the endpoint, pages of the origins that the owner allows may make it.
        """
        hosts = headers.getlist("host")
        if self._loopback and not (len(hosts) == 1 and self._is_own(hosts[0])):
            message = (
                "this server answers to 127.0.0.1 and localhost only; its file can allow other "
                'names: hosts = ["NAME"]'
            )
            raise HttpRefusal(message, "wrong_host", status=421)
        if scope["method"] in SAFE:
            return
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if is_api(scope["path"]) and origin and self._origins & {origin.lower(), ANY}:
            return
        if site is not None:
            same = site in {"same-origin", "none"}
        else:
            same = origin is None or origin.partition("://")[2].lower() == "".join(hosts).lower()
        if not same:
            raise HttpRefusal("pages of other sites may not ask here", "cross_origin", status=403)

    def _is_own(self, host: str) -> bool:
        """Whether a host, with or without its port, is this machine."""
        name = re.sub(r":\d*$", "", host).lower()
        return name in self._hosts or is_loopback(name.removeprefix("[").removesuffix("]"))

    def _find_most(self, scope: Scope, headers: Headers) -> int:
        """Return the most bytes of a body: of a form with files of the pages, theirs as well."""
        uploads = has_files(headers.get("content-type", "")) and not is_api(scope["path"])
        return self._limits.body + uploads * self._uploads.total * bool(self._uploads.files)

    def _check_head(self, scope: Scope, headers: Headers) -> None:
        """Refuse a head that is too long, and one that states the body's length in two ways."""
        size = len(scope["method"]) + len(scope["raw_path"]) + len(scope["query_string"])
        size += sum(len(name) + len(value) + len(": \r\n") for name, value in headers.raw)
        if size > self._limits.head:
            message = describe_long_head(self._limits.head)
            raise HttpRefusal(message, "head_too_large", status=400)
        if "content-length" in headers and "transfer-encoding" in headers:
            message = "give Content-Length or Transfer-Encoding, not both"
            close = {"Connection": "close"}
            raise HttpRefusal(message, "invalid_value", status=400, headers=close)

    def _check_length(self, headers: Headers, most: int) -> None:
        """Refuse a compressed body, and one whose stated length is too large."""
        if headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
            message = "send the request's body as it is, without Content-Encoding"
            raise HttpRefusal(message, "unsupported_encoding", status=415)
        length = headers.get("content-length", "0")
        if not (length.isdecimal() and len(length) < 20 and int(length) <= most):
            raise self._too_large(most)

    def _too_large(self, most: int) -> HttpRefusal:
        message = f"the request has more than {most} bytes"
        # The connection stays open: if it closed while the client sends, the answer would be lost.
        return HttpRefusal(message, "request_too_large", status=413)

    async def _read_body(self, receive: Receive) -> bytes | None:
        """Return the whole body; None if the client disconnects."""
        body, idle = bytearray(), self._limits.idle
        try:
            async with asyncio.timeout(idle):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self._limits.body:
                        raise self._too_large(self._limits.body)
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise _too_slow(idle) from None

    def _count(self, receive: Receive, most: int) -> Receive:
        """Return an ASGI ``receive`` that passes a body on as it comes, within its bytes and time.

        A form with files is not held in memory; its page reads as much as it allows. Each second
        has to bring ``PACE`` bytes.
        """
        size, idle, ended = 0, self._limits.idle, False
        loop = asyncio.get_running_loop()
        deadline = loop.time() + idle + most / PACE

        async def count() -> Message:
            nonlocal size, ended
            if ended:
                return await receive()
            try:
                async with asyncio.timeout_at(min(deadline, loop.time() + idle)):
                    message = await receive()
            except TimeoutError:
                raise _too_slow(idle) from None
            size += len(message.get("body", b""))
            if size > most:
                raise self._too_large(most)
            ended = not message.get("more_body", False)
            return message

        return count


class CrossOrigin(CORSMiddleware):
    """Answers browsers that ask whether a page of another site may ask; for ``/v1`` alone.

    Args:
        app: the application.
        origins: those that may ask; with none, browsers are told nothing.
        exposed: the names of response headers that pages may read.
    """

    def __init__(self, app: ASGIApp, origins: tuple[str, ...], exposed: tuple[str, ...]) -> None:
        self._is_on = bool(origins)
        super().__init__(
            app,
            allow_origins=origins,
            allow_methods=("GET", "POST"),
            allow_headers=(ANY,),
            expose_headers=exposed,
            max_age=PREFLIGHT,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if self._is_on and scope["type"] == "http" and is_api(scope["path"]):
            await super().__call__(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address; of names that is ``localhost`` alone."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _too_slow(idle: float) -> HttpRefusal:
    close = {"Connection": "close"}
    return HttpRefusal(describe_slowness(idle), "request_timeout", status=408, headers=close)


def _digest(token: str | bytes) -> bytes:
    """Return the digest that is compared: comparing tokens would take longer for longer ones."""
    return blake2b(token.encode() if isinstance(token, str) else token).digest()


def _read_token(authorization: str) -> bytes:
    """Return the token in the header; empty if it has none."""
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


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI ``receive`` that gives the whole body first, then what the client sends."""
    first = True

    async def replay() -> Message:
        nonlocal first
        if not first:
            return await receive()
        first = False
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
