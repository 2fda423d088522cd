"""The interfaces that models and stores implement."""

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol, runtime_checkable

import msgspec

from moot.core.calls import Call, Reply
from moot.core.stored import (
    Amount,
    LeaseAnswer,
)

PieceKind = Literal["begun", "restarted", "text", "thought"]
"""The kinds of pieces, see ``ReplyPiece.kind``."""


class ReplyPiece(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a reply under way.

    A protocol, a metric and the ledger see whole replies alone. A reply from the ledger, or one
    that another debate has asked for at the same time, comes whole: it has no pieces.

    Attributes:
        turn: the id that the turn has in the transcript.
        agent: the name of the agent that is asked.
        role: its role.
        step: the name of its prompt.
        round: from 1.
        kind: ``begun`` when the model is asked; ``restarted`` when it is asked again, or when the
            text so far turned out to be thought: all pieces of the reply before this one are void;
            ``text`` for words of the reply, ``thought`` for words that the model writes for itself.
        text: the words, to be put behind those before them; empty for the first two kinds.
    """

    turn: int
    agent: str
    role: str
    step: str
    round: int
    kind: PieceKind
    text: str = ""


PieceListener = Callable[[ReplyPiece], None]
TellWords = Callable[[Literal["text", "thought"], str], None]
"""Called with each piece of a reply: what it is a piece of, and the words."""


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Requests and tokens a minute; None means no limit is known.

    Attributes:
        requests: requests a minute.
        tokens: prompt and completion tokens a minute.
    """

    requests: float | None = None
    tokens: float | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a model and its endpoint; None means no limit is known.

    Attributes:
        concurrency: requests to this model at once.
        requests_per_minute: requests to this model, as its name or its options state.
        tokens_per_minute: prompt and completion tokens together, as these state.
        context: tokens of prompt and reply together at most.
        reply: the most tokens of a reply without ``max_tokens``.
        told: the rates that the endpoint reports, e.g. in headers. They hold beside those that are
            stated, for all models of the endpoint.
        files: open files that a call in flight needs: 1 where it has a connection.
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
    """A model answers calls. A class with these members, registered, is a new kind of model."""

    @property
    def name(self) -> str:
        """The name in calls. It has all that changes replies, and no key and no timeout."""

    @property
    def endpoint(self) -> str:
        """The endpoint's name, e.g. its URL. Its models share its reported limits and pauses."""

    @property
    def limits(self) -> Limits:
        """The limits as known now; they are read again before every call."""

    @property
    def simulated(self) -> bool:
        """Whether this is no language model; every output then says so."""

    async def reply(self, call: Call) -> Reply:
        """Answer a call, without retries.

        The reply's ``cost`` may be None: the call path then fills it in by ``cost``.

        Raises:
            TransientError: a later attempt may succeed.
            ModelError: no attempt will.
        """

    def cost(self, reply: Reply) -> float | None:
        """Return the cost of a reply in US dollars; None where the price is unknown."""

    async def close(self) -> None:
        """Close connections, threads and memory."""


@runtime_checkable
class StreamingModel(Model, Protocol):
    """A model that can tell a reply as it is written."""

    async def stream(self, call: Call, tell: TellWords) -> Reply:
        """Answer a call as ``reply`` does, and tell the words of the reply as they come.

        The words are for those who watch. The reply is complete without them, and an attempt that
        fails may have told some.
        """


@runtime_checkable
class BatchModel(Model, Protocol):
    """A model whose calls can go out in a batch: as lines of a file, whose replies come later."""

    @property
    def batch_url(self) -> str:
        """The path of the request in a line, e.g. ``/v1/chat/completions``."""

    @property
    def batch_share(self) -> float | None:
        """The share of the price that a call in the endpoint's own batches costs; None: unknown."""

    @property
    def answers_directly(self) -> bool:
        """Whether calls that go by themselves are answered, too."""

    def batch_body(self, call: Call) -> bytes:
        """Return the request's JSON object."""

    def read_batch(self, call: Call, status: int, body: bytes) -> Reply:
        """Return the reply in a response of a batch; its ``cost`` may be None.

        Raises:
            TransientError: the call may be sent again.
            ModelError: it will get no reply.
        """


class Ledger(Protocol):
    """The ledger of replies. A reply in it is durable, and is never paid for again.

    A call has an identity: the digest of its request and its draw (``moot.core.calls.identity``).
    The ledger has at most one reply for an identity, recorded by any process. Of all
    processes that want the same call at the same time, one makes it: it has the claim of the call.
    A claim ends with its process, however that ends.
    """

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be written now: the disk is full, or another process writes."""

    async def ready(self) -> None:
        """Wait until replies can be written. Raises ``StoreError`` if they never can again."""

    async def find(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, marked as replayed, or None.

        All calls of one turn of the event loop should be looked up together. This waits while the
        store is blocked.

        Raises:
            DamagedError: the reply is not what was written. It is not asked again by itself.
            StoreError: the store cannot be read.
        """

    async def claim(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, marked as replayed, as ``find`` does; or claim the call.

        This waits while another process has the claim.

        Returns:
            None: the caller makes the call, and then calls ``record`` or ``release``.

        Raises:
            DamagedError: the reply is not what was written. It is not asked again by itself.
            StoreError: the store cannot be read or written.
        """

    def release(self, identity: bytes) -> None:
        """Give up a claimed call without a reply: another process may make it at once."""

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Record a reply; return once it is durable. This ends the claim.

        The reply is recorded even when the waiting task is cancelled. If another process has
        recorded this identity first, its reply is kept and returned. The messages about a secret
        question are not stored. Replies that wait at the same time are committed as a group.

        Raises:
            StoreError: the reply cannot be written. It counts as lost, and its cost is reported.
        """


class BudgetLease(Protocol):
    """A part of a budget that several processes share.

    All recorded replies count as spent, and so do the calls that a process had in flight when it
    died. What a living process has leased and not spent belongs to it.

    Attributes:
        id: the lease's number. Replies paid from it are recorded with it.
        first: the answer when it was opened, with the first grant.
    """

    id: int
    first: LeaseAnswer

    def ask(self, need: Amount, alone: Amount | None, flying: int) -> Awaitable[LeaseAnswer]:
        """Ask for more.

        Args:
            need: the least amount that is of use.
            alone: a smaller amount that is enough where no other process has a part of the budget;
                None where only ``need`` is.
            flying: the calls that this process may have in flight at once from now on.
        """

    def give_back(self, amount: Amount, flying: int) -> None:
        """Give an amount back, and set the calls that may be in flight at once."""

    def is_wanted_elsewhere(self) -> bool:
        """Return whether another process wants more of the budget than it could get."""

    def end(self) -> None:
        """Give back all that was not spent."""
