"""How a request's bytes reach an endpoint and a response's come back: what all ways have in common.

``moot.models.encrypted`` is the way for ``https`` and proxies, ``moot.models.direct`` the one for
the rest.
"""

from collections.abc import Mapping
from typing import Protocol

CONNECT = 10.0
"""Seconds a connection may take to stand, encryption included."""

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
