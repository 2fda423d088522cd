"""Transports: they send the bytes of a request and return the response.

A transport is used in the event loop it was made in. ``post`` sends a request's body and returns
the response, or raises ``TransportError``; it can tell the body as it comes. A cancelled call
closes its connection at once, so that the endpoint can stop its work. ``close`` closes all
connections.

``AiohttpTransport`` is for ``https``, for proxies and for event loops that cannot watch sockets.
``moot.models.plain_http`` is for all other addresses.
"""

import errno
import os
import socket
from collections.abc import Mapping
from io import BytesIO

from moot.models.body import Body, TellBytes, TransportError
from moot.models.endpoint_address import COMPLETIONS

CONNECT = 10.0
"""Seconds that opening a connection may take, encryption included."""

Response = tuple[int, Mapping[str, str], bytes]
"""The status, the headers by name in any case, the body."""


_SHORT = {
    errno.EMFILE: "no more open files for this process",
    errno.ENFILE: "no more open files on this machine",
    errno.EADDRNOTAVAIL: "no more ports on this machine",
    errno.ENOBUFS: "no more memory for connections",
    errno.ENOMEM: "no more memory",
}


def lacking(error: BaseException | None) -> str:
    """Return the resource whose shortage made a connection fail, in words; else an empty text."""
    if isinstance(error, socket.gaierror):  # looking a name up opens files and hides their errors
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as short:
            error = short
    return _SHORT.get(error.errno or 0, "") if isinstance(error, OSError) else ""


_LARGE = 1 << 20
"""Bytes from which a request is sent as a file: aiohttp warns of larger ones otherwise."""


class AiohttpTransport:
    """Sends requests by aiohttp: with encryption, and through a proxy where there is one.

    Args:
        base: the address, without the path.
        headers: sent with every request.
        timeout: seconds from a request to the end of its response.
        proxy: the address of the proxy to go through, or None.
        path: the path below the address.
    """

    def __init__(
        self,
        base: str,
        headers: Mapping[str, str],
        timeout: float,
        proxy: str | None = None,
        *,
        path: str = COMPLETIONS,
    ) -> None:
        import aiohttp
        from yarl import URL

        self._errors: tuple[type[Exception], ...] = (aiohttp.ClientError, OSError, TimeoutError)
        self._base, self._timeout, self._proxy = base, timeout, proxy
        self._url = URL(base + path)
        self._session = aiohttp.ClientSession(
            headers=headers,
            skip_auto_headers=("Accept", "Accept-Encoding"),
            connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=timeout, sock_connect=CONNECT),
            auto_decompress=False,  # ``Body`` unpacks no more than a reply may have
        )

    async def post(self, data: bytes, tell: TellBytes | None = None) -> Response:
        """Send a request's body and return the response; see the module."""
        sent = data if len(data) < _LARGE else BytesIO(data)
        try:
            async with self._session.post(
                self._url, data=sent, allow_redirects=False, proxy=self._proxy
            ) as response:
                body, content = Body(response.status, response.headers, tell), response.content
                while not body.full and (piece := await content.readany()):
                    body.add(piece)
                return response.status, response.headers, body.whole()
        except self._errors as error:
            failure = [self._explain(error)]
        # Raised here, not above: aiohttp's errors carry the request and with it the key. Out of a
        # list: an error that this frame has would be held by its own traceback.
        raise failure.pop()

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    def _explain(self, error: Exception) -> TransportError:
        """Return the error to raise for one of aiohttp or the system."""
        import aiohttp

        if isinstance(error, aiohttp.ClientSSLError):
            return TransportError(f"the certificate of {self._base} is not accepted", final=True)
        if isinstance(error, aiohttp.ServerTimeoutError):
            what = f"no connection within {CONNECT:g} s"
        elif isinstance(error, TimeoutError):
            what = f"no reply within {self._timeout:g} s"
        elif isinstance(error, aiohttp.ClientHttpProxyError):
            what = f"the proxy answers {error.status}"
        elif isinstance(error, aiohttp.ClientConnectorError):
            what = f"cannot connect to {error.host}:{error.port}: {error.os_error.strerror}"
        elif isinstance(error, aiohttp.ClientPayloadError):
            what = "the response was cut off"
        elif isinstance(error, aiohttp.ClientResponseError):
            what = "the response is not HTTP"
        else:
            what = "the connection was closed"
        return TransportError(what, lacking=lacking(getattr(error, "os_error", error)))
