"""The replies of a store: find them, claim calls, record them, count what was spent."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from time import time
from typing import Any, TypeVar

from moot.core.calls import Call, Reply
from moot.core.errors import StoreError
from moot.core.stored import BudgetTerms, Session
from moot.ledger.batch import Record, copy_error
from moot.ledger.call_claims import CallClaims
from moot.ledger.leases import Lease
from moot.ledger.lookup import Lookup
from moot.ledger.sessions import Sessions
from moot.ledger.storage import StoreConnection
from moot.ledger.store_reading import StoreReading
from moot.ledger.stored_records import reply_digest, storable
from moot.ledger.writer import Writer

T = TypeVar("T")

_POLL = 0.05  # seconds between two checks whether the store can be written again


class StoreReplies(StoreReading):
    """The replies of a store (``moot.core.ports.Ledger``).

    Everything is read in the calling thread and written in that of the writer.

    Attributes:
        run: the run that pays for replies recorded from now on; None for no run.
        lease: the lease of a budget that they are paid from; None where no budget is capped.
        claims: claims of calls, so that only one of several sessions makes a call.
    """

    def __init__(
        self,
        file: Any,  # noqa: ANN401  a path here, a text there
        reader: StoreConnection,
        writer: Writer | None,
        sessions: Sessions,
        claims: CallClaims,
        lookup: Lookup,
    ) -> None:
        super().__init__(file, reader, sessions)
        self.run: int | None = None
        self.lease: int | None = None
        self._writer, self.claims, self._lookup = writer, claims, lookup
        if writer is not None:
            writer.on_settled, writer.is_visible = claims.free, sessions.is_visible
        self._session: Future[Session] | None = None
        self._joined = False
        self._closed = self._loss_raised = False

    def _writing(self) -> Writer:
        if self._closed:
            raise StoreError(f"store {self.file}: it is closed")
        if self._writer is None:
            raise StoreError(f"store {self.file}: it was opened for reading only")
        return self._writer

    async def change(self, work: Callable[[StoreConnection], T], *, small: bool = False) -> T:
        """Do work in the writer's thread, and return its result once it is durable."""
        done: T = await asyncio.wrap_future(self.queue(work, small=small))
        return done

    def queue(self, work: Callable[[StoreConnection], T], *, small: bool = False) -> "Future[T]":
        """Queue work for the writer's thread; return the promise of its result."""
        return self._writing().do(work, small=small)

    async def find(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, marked as replayed, or None.

        This waits while the store cannot be written: a reply that is paid for now could be lost.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read, or cannot be written any more.
        """
        if self.blocked:
            await self.ready()
        return await self._lookup.find(identity)

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be written now."""
        return self._writer is not None and self._writer.patience.blocked

    async def ready(self) -> None:
        """Wait until replies can be written. Raises ``StoreError`` if they never can again."""
        while self._writer is not None and self._writer.patience.blocked:
            if (reason := self._writer.patience.halt_error or self._writer.ended) is not None:
                raise copy_error(reason)
            await asyncio.sleep(_POLL)

    async def claim(self, identity: bytes) -> Reply | None:
        """Return the recorded reply of a call, marked as replayed; or claim the call.

        This waits while another session has the claim, and as ``find`` does.

        Returns:
            None: this caller makes the call, and then calls ``record`` or ``release``.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read or written.
        """
        if self.blocked:
            await self.ready()
        if not self._joined:
            # A session begins only where a call is made.
            if (reply := await self._lookup.find(identity)) is not None:
                return reply
            await asyncio.shield(asyncio.wrap_future(self.begin_session()))
            await self.claims.wait_for_others()
            self._joined = (
                True  # not set in the writer's thread, so that waiting callers go on in order
            )
        return await self.claims.obtain(identity)

    def count_shared(self) -> dict[str, int]:
        """Return how many replies came from other processes after waiting, by process."""
        found: Counter[str] = Counter()
        for number, replies in self.claims.shared.items():
            session = self.sessions.get(number)
            found["another process" if session is None else session.process] += replies
        return dict(found)

    def release(self, identity: bytes) -> None:
        """Give up the claim of a call that got no reply."""
        self.claims.free(identity)

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Record a reply; return, once it is durable, the reply that ``find`` returns from now on.

        It is recorded even when the waiting task is cancelled. Characters that are not Unicode are
        removed. If another process was first, its reply is kept, and returned as replayed. The
        messages about a secret question are not stored.
        """
        return await self.record_for(self.run, identity, call, request, reply, lease=self.lease)

    async def record_for(
        self,
        run: int | None,
        identity: bytes,
        call: Call,
        request: bytes,
        reply: Reply,
        *,
        lease: int | None = None,
    ) -> Reply:
        """Record a reply that this run pays from this lease, and return it; see ``record``."""
        try:
            self._writing()
            reply, encoded = storable(call.storable_reply(reply))
            row = (
                *(identity, run, time(), call.model, *call.draw),
                *(reply.prompt_tokens, reply.completion_tokens, reply.cost),
                *(
                    reply_digest(identity, run, encoded),
                    lease,
                    call.storable_request(request),
                    encoded,
                ),
            )
            future = self.add_row(row, reply)
        except BaseException:
            self.claims.free(identity)
            raise
        return await future  # the writer frees the claim

    def add_row(self, row: tuple[Any, ...], reply: Reply) -> "asyncio.Future[Reply]":
        """Queue a row of ``replies``; return the future of the reply that is stored then.

        Args:
            row: identity, run, time, model, draw, tokens, cost, digest, lease, request and reply.
            reply: the same reply, decoded.
        """
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._writing().enqueue(Record(row, reply, future))
        return future

    def open_lease(self, terms: BudgetTerms) -> Lease:
        """Return a lease of a part of a budget; of all of it where no other session has a part.

        Replies that are paid from it are recorded with the lease's number. Blocks for a commit, or
        two where no session has begun.
        """
        self.begin_session().result()
        return Lease(terms, self.sessions, self._reader, self._writing().do)

    def begin_session(self) -> "Future[Session]":
        """Begin the store's own session, durably, unless it has begun."""
        beginning = self._session
        if beginning is None or (beginning.done() and beginning.exception()):
            beginning = self._session = self._writing().do(self._begin_session)
        return beginning

    def _begin_session(self, connection: StoreConnection) -> Session:
        """Begin the session and its claims, in the writer's thread."""
        begun = self.sessions.own is not None
        session = self.sessions.begin(connection)
        if not begun:
            self.claims.begin()
        return session
