"""How a request's bytes reach an endpoint and a response's come back: what all ways have in common.

``moot.models.encrypted`` is the way for ``https`` and proxies, ``moot.models.direct`` the one for
the rest.
"""

import errno
import os
import socket
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
        lacking: what this machine has too little of, where that is the reason; else empty.
    """

    def __init__(self, why: str, *, final: bool = False, lacking: str = "") -> None:
        super().__init__(why)
        self.final, self.lacking = final, lacking


class Transport(Protocol):
    """A way to one endpoint, to be used in the event loop it was made in."""

    async def post(self, data: bytes) -> Response:
        """Send a request's body; the response that came to it. Raises ``Broken`` if none did.

        A cancelled call closes its connection at once, so that the endpoint can stop its work.
        """

    async def close(self) -> None:
        """Close all connections."""


_SHORT = {
    errno.EMFILE: "no more open files for this process",
    errno.ENFILE: "no more open files on this machine",
    errno.EADDRNOTAVAIL: "no more ports on this machine",
    errno.ENOBUFS: "no more memory for connections",
    errno.ENOMEM: "no more memory",
}


def lacking(error: BaseException | None) -> str:
    """What this machine has too little of, if a connection failed for that; else an empty text."""
    if isinstance(error, socket.gaierror):  # a name is looked up with files, and says nothing of it
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as short:
            error = short
    return _SHORT.get(error.errno or 0, "") if isinstance(error, OSError) else ""
