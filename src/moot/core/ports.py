"""The interfaces of moot: what a model is, and what a ledger is."""

from typing import Protocol, runtime_checkable

import msgspec

from moot.core.calls import Call, Reply


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Requests and tokens a minute; None means no limit is known.

    Attributes:
        requests: requests a minute.
        tokens: prompt and completion tokens a minute.
    """

    requests: float | None = None
    tokens: float | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a model and its endpoint can take; None means no limit is known.

    Attributes:
        concurrency: requests to this model at once.
        requests_per_minute: to this model, as its name or its owner states.
        tokens_per_minute: prompt and completion together, likewise.
        context: tokens that prompt and reply together may have.
        reply: the most tokens of a reply without ``max_tokens``.
        told: what the endpoint has told of itself, e.g. in rate-limit headers. It holds besides
            what is stated, for all models of the endpoint.
        files: open files that a call in flight takes: 1 where it has a connection.
    """

    concurrency: int = 64
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    context: int | None = None
    reply: int | None = None
    told: Rates | None = None
    files: int = 0


@runtime_checkable
class Model(Protocol):
    """Whatever answers a call. One file with these members, registered, is a new model."""

    @property
    def name(self) -> str:
        """The name that enters a call's identity: all that changes replies, no key, no timeout."""
        ...

    @property
    def endpoint(self) -> str:
        """What shares the limits that an endpoint tells, and its pauses: e.g. the base URL."""
        ...

    @property
    def limits(self) -> Limits:
        """What model and endpoint can take, as known now; read again before every call."""
        ...

    @property
    def simulated(self) -> bool:
        """True when this is no language model; every output then says so."""
        ...

    async def reply(self, call: Call) -> Reply:
        """Answer once. Raises ``TransientError`` for what may pass, else ``ModelError``.

        The reply's ``cost`` may be left None: the call path fills it in from ``cost``.
        """
        ...

    def cost(self, reply: Reply) -> float | None:
        """What a reply costs in US dollars; None where the price is unknown."""
        ...

    async def close(self) -> None:
        """Let go of connections, threads and memory."""
        ...


class Ledger(Protocol):
    """Where every paid reply is kept, durably, under its identity."""

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be kept now: the disk is full, another process writes."""
        ...

    async def ready(self) -> None:
        """Wait until replies can be kept. Raises ``StoreError`` where they never will be again."""
        ...

    async def find(self, identity: bytes) -> Reply | None:
        """The recorded reply, marked as replayed, or None."""
        ...

    async def claim(self, identity: bytes) -> Reply | None:
        """Reserve a call that ``find`` did not find, so that no other process makes it, too.

        Where another process makes it, this waits for its end.

        Returns:
            None: the caller makes the call, and then calls ``record`` or ``release``. Otherwise the
            reply that another process has recorded meanwhile, marked as replayed.
        """
        ...

    def release(self, identity: bytes) -> None:
        """Give up a claimed call without a reply: another process may make it at once."""
        ...

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Keep a reply; returns once it is durable, and ends the claim.

        If another process has recorded this identity first, its reply is kept and returned. When
        the task that waits here is cancelled, the reply is kept all the same.
        """
        ...
