"""How much a server takes on, from everybody and from each client."""

from typing import Annotated

import msgspec
from msgspec import Meta

from moot.runtime.budget import Budget

Waiting = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The table ``[limits]`` of a server's file.

    Attributes:
        debates: debates at once; one more waits.
        client_debates: those of one client at once; None: as many as there may be.
        queue: debates that may wait, in order of arrival; one more is refused with 429.
        answers: the most answers that one request may ask for (``n``).
        connections: open connections.
        body: bytes that a request's body may have.
        head: bytes of a request's line and headers after which incomplete ones are refused.
        question: characters that a question, its context and its choices may have together.
        idle: seconds a connection may go without a request, a request without its next byte, and
            a reply without being read.
        shutdown: seconds that started debates are given to end when the server stops.
        request: the most one request may spend; what it asks for may only be less.
        hour: the most one client may spend within an hour; debates beyond are refused with 429.
    """

    debates: Count = 64
    client_debates: Count | None = None
    queue: Waiting = 1024
    answers: Count = 8
    connections: Count = 2048
    body: Count = 1 << 20
    head: Annotated[int, Meta(ge=1024)] = 16 << 10
    question: Count = 200_000
    idle: Seconds = 20.0
    shutdown: Seconds = 30.0
    request: Budget = Budget(calls=500)
    hour: Budget = Budget()
