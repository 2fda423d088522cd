"""The way to an endpoint with encryption, or through a proxy: aiohttp's."""

from collections.abc import Mapping
from io import BytesIO

from moot.models.body import Body
from moot.models.transport import COMPLETIONS, CONNECT, Broken, Response, lacking

_LARGE = 1 << 20
"""Bytes: aiohttp warns of larger requests unless they come as a file."""


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
            auto_decompress=False,  # ``Body`` unpacks no more than a reply may have
        )

    async def post(self, data: bytes) -> Response:
        """Send a request; see ``Transport``."""
        sent = data if len(data) < _LARGE else BytesIO(data)
        try:
            async with self._session.post(
                self._url, data=sent, allow_redirects=False, proxy=self._proxy
            ) as response:
                body, content = Body(response.status, response.headers), response.content
                while not body.full and (piece := await content.readany()):
                    body.add(piece)
                return response.status, response.headers, body.whole()
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
        return Broken(what, lacking=lacking(getattr(error, "os_error", error)))
