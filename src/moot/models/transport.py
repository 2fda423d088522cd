"""How a request's bytes reach an endpoint and a response's come back: what all ways have in common.

``Aiohttp`` is the way for ``https`` and proxies; ``moot.models.direct`` the one for the rest.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import Protocol

CONNECT = 10.0
"""Seconds a connection may take to stand, encryption included."""
_LARGE = 1 << 20
"""Bytes: aiohttp warns of larger bodies unless they come as a file."""

COMPLETIONS = "/chat/completions"
"""What is added to an address to reach its chat completions."""

Response = tuple[int, Mapping[str, str], bytes]
"""The status; the headers, whatever case one asks for them in; the body."""


class Broken(Exception):
    """No response came. Its text says why, and holds no part of the request.

    Attributes:
        final: whether it would be so again.
    """

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class Transport(Protocol):
    """A way to one endpoint, to be used in the event loop it was made in."""

    async def post(self, data: bytes) -> Response:
        """Send a request's body; the response that came to it. Raises ``Broken`` if none did.

        A cancelled call closes its connection at once, so that the endpoint can stop its work.
        """

    async def close(self) -> None:
        """Close all connections."""


class Aiohttp:
    """The endpoint through aiohttp: with encryption, and through a proxy where there is one.

    Args:
        base: the address before the path.
        headers: sent with every request.
        timeout: seconds from a request to the end of its response.
        proxy: the address of the proxy to go through, or None.
        path: what is asked there.
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
        )

    async def post(self, data: bytes) -> Response:
        """Send a request; see ``Transport``."""
        body = data if len(data) < _LARGE else BytesIO(data)
        try:
            async with self._session.post(
                self._url, data=body, allow_redirects=False, proxy=self._proxy
            ) as response:
                return response.status, response.headers, await response.read()
        except self._errors as error:
            broken = self._broken(error)
        # Raised here, not above: aiohttp's errors carry the request and with it the key.
        raise broken

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    def _broken(self, error: Exception) -> Broken:
        """What a failed connection means."""
        import aiohttp

        if isinstance(error, aiohttp.ClientSSLError):
            return Broken(f"the certificate of {self._base} is not accepted", final=True)
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
        return Broken(what)
