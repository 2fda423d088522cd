"""The replies of a store: find them, claim calls, record them, count what was spent."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from pathlib import Path
from time import time

import msgspec

from moot.core.calls import Call, Draw, Message, Reply, Sampling
from moot.core.errors import DamagedError
from moot.core.questions import WITHHELD
from moot.core.stored import BudgetTerms, PastReply, Session, Spent, decode_record
from moot.ledger.batch import Record, copy_error
from moot.ledger.claims import Claims
from moot.ledger.leases import Lease
from moot.ledger.lookup import Lookup
from moot.ledger.parts import StoreParts
from moot.ledger.sessions import Sessions
from moot.ledger.stored_records import reply_digest, storable
from moot.ledger.writer import Writer

_POLL = 0.05  # seconds between two checks whether the store can be written again
_NEWEST = 2000
"""The newest replies of a store; ``past_replies`` reads so many."""
_decode_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode
_decode_sampling = msgspec.json.Decoder(tuple[str, msgspec.Raw, Sampling]).decode


class StoreReplies(StoreParts):
    """The replies of a store (``moot.core.ports.Ledger``).

    Attributes:
        file: the SQLite file.
        run: the run that pays for replies recorded from now on; None for no run.
        lease: the lease of a budget that they are paid from; None where no budget is capped.
        sessions: the processes that pay with this store. The store's own session begins with its
            first run or debate.
        claims: claims of calls, so that only one of several sessions makes a call.
    """

    def __init__(self, file: Path, reader: sqlite3.Connection, writer: Writer | None) -> None:
        self.file = file
        self.run: int | None = None
        self.lease: int | None = None
        self._reader, self._writer = reader, writer
        self.sessions = Sessions(file, reader, readonly=writer is None)
        self.claims = Claims(self.sessions)
        if writer is not None:
            writer.on_settled, writer.is_visible = self.claims.free, self.sessions.is_visible
        self._lookup = Lookup(reader, file)
        self._session: Future[Session] | None = None
        self._joined = False
        self._closed = self._loss_raised = False

    async def find(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, marked as replayed, or None.

        This waits while the store cannot be written: a reply that is paid for now could be lost.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read, or cannot be written any more.
        """
        if self._writer is not None and self._writer.patience.blocked:
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
        """Claim a call that ``find`` did not find, or return its reply from another session.

        Returns:
            None: this caller makes the call, and then calls ``record`` or ``release``. Otherwise
            the reply, marked as replayed: this session has waited for another one that made it.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read or written.
        """
        alone = self._joined and self.sessions.is_alone
        if not self._joined:
            await asyncio.shield(asyncio.wrap_future(self.begin_session()))
            await self.claims.wait_for_others()
            self._joined = (
                True  # not set in the writer's thread, so that waiting callers go on in order
            )
        maker: int | None = None
        if not self.claims.take(identity):
            alone = False
            maker = await self.claims.wait(identity)
        # While this session is the only one, no other has recorded a reply since ``find``.
        if alone and self.sessions.is_alone:
            return None
        try:
            reply = await self._lookup.find(identity)
        except BaseException:
            self.claims.free(identity)
            raise
        if reply is not None:
            self.claims.free(identity)
            if maker is not None:
                self.claims.shared[maker] += 1
        return reply

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
            writer = self._writing()
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
            future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
            writer.enqueue(Record(row, reply, future))
        except BaseException:
            self.claims.free(identity)
            raise
        return await future  # the writer frees the claim

    def request(self, identity: bytes) -> Call | None:
        """Return the recorded call of an identity: model, messages, sampling and draw; or None.

        Raises:
            DamagedError: the call is not what was written.
        """
        with self._reading() as reader:
            row = reader.execute(
                "SELECT request, replicate, seat, repeat FROM replies WHERE identity = ?",
                (identity,),
            ).fetchone()
        if row is None:
            return None
        what = f"store {self.file}: the request {identity.hex()}"
        model, messages, sampling = decode_record(_decode_request, row[0], what)
        if any(type(each) is not int for each in row[1:]):
            raise DamagedError(what, "its draw cannot be read")
        return Call(model=model, messages=messages, sampling=sampling, draw=Draw(*row[1:]))

    def sum_spent(self, run: int) -> Spent:
        """Return the calls, tokens and US dollars that a run has paid, not those of replays.

        Tokens that an endpoint did not report are estimated, one for four bytes.
        """
        with self._reading() as reader:
            calls, tokens, cost, unknown = reader.execute(
                "SELECT COUNT(*), "
                "SUM(COALESCE(prompt_tokens, LENGTH(request) / 4)"
                " + COALESCE(completion_tokens, LENGTH(reply) / 4)), "
                "TOTAL(cost), COUNT(*) - COUNT(cost) FROM replies WHERE run = ?",
                (run,),
            ).fetchone()
        return Spent(calls=calls, tokens=tokens or 0, cost=cost, unknown_cost_calls=unknown)

    def open_lease(self, terms: BudgetTerms) -> Lease:
        """Return a lease of a part of a budget; of all of it where no other session has a part.

        Replies that are paid from it are recorded with the lease's number. Blocks for a commit, or
        two where no session has begun.
        """
        self.begin_session().result()
        return Lease(terms, self.sessions, self._reader, self._writing().do)

    def past_replies(self, models: Collection[str] | None = None) -> list[PastReply]:
        """Return the sizes of the newest calls, of all models or of these."""
        with self._reading() as reader:
            return list(_past_replies(reader, models))

    def begin_session(self) -> "Future[Session]":
        """Begin the store's own session, durably, unless it has begun."""
        beginning = self._session
        if beginning is None or (beginning.done() and beginning.exception()):
            beginning = self._session = self._writing().do(self._begin_session)
        return beginning

    def _begin_session(self, connection: sqlite3.Connection) -> Session:
        """Begin the session and its claims, in the writer's thread."""
        begun = self.sessions.own is not None
        session = self.sessions.begin(connection)
        if not begun:
            self.claims.begin()
        return session


def _past_replies(
    connection: sqlite3.Connection, models: Collection[str] | None
) -> Iterator[PastReply]:
    """Yield the sizes of the newest replies, of these models if given; damaged ones are skipped."""
    found = connection.execute(
        "SELECT model, request, prompt_tokens, completion_tokens FROM replies "
        "ORDER BY id DESC LIMIT ?",
        (_NEWEST,),
    )
    for model, request, prompt, completion in found:
        if models is not None and model not in models:
            continue
        try:
            _, _, sampling = _decode_sampling(request)
        except (msgspec.MsgspecError, ValueError, TypeError):
            continue
        if not all(count is None or isinstance(count, int) for count in (prompt, completion)):
            continue
        size = 0 if WITHHELD.encode() in request else len(request)
        yield PastReply(model, sampling, size, prompt, completion)
