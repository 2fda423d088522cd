"""The replies of a store: found, claimed, recorded, and counted against budgets."""

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
from moot.core.stored import PastReply, Session, Spent, Terms, decode_record
from moot.ledger.batch import Record, copy_error
from moot.ledger.claims import Claims
from moot.ledger.leases import Lease
from moot.ledger.lookup import Lookup
from moot.ledger.parts import Parts
from moot.ledger.records import reply_digest, storable
from moot.ledger.sessions import Sessions
from moot.ledger.writer import Writer

_LOOK = 0.05  # seconds between two looks at whether the store can be written again
_NEWEST = 2000
"""The newest replies of a store; ``past_replies`` reads so many."""
_decode_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode
_decode_sampling = msgspec.json.Decoder(tuple[str, msgspec.Raw, Sampling]).decode


class Replies(Parts):
    """The replies of a store, for those who make calls (``moot.core.ports.Ledger``).

    Attributes:
        file: the SQLite file.
        run: the run that pays for what is recorded from now on; None for none.
        lease: the part of a budget out of which that is paid; None where no budget is capped.
        sessions: which processes pay with this store. The store's own session begins with the
            first run or debate that it begins.
        claims: of calls, so that of several sessions one makes them.
    """

    def __init__(self, file: Path, reader: sqlite3.Connection, writer: Writer | None) -> None:
        self.file = file
        self.run: int | None = None
        self.lease: int | None = None
        self._reader, self._writer = reader, writer
        self.sessions = Sessions(file, reader, readonly=writer is None)
        self.claims = Claims(self.sessions)
        if writer is not None:
            writer.settled, writer.locked = self.claims.free, self.sessions.locked
        self._lookup = Lookup(reader, file)
        self._session: Future[Session] | None = None
        self._joined = False
        self._closed = self._loss_raised = False

    async def find(self, identity: bytes) -> Reply | None:
        """The recorded reply, marked as replayed, or None.

        While the store cannot be written this waits: a reply that is paid for now could be lost.

        Raises:
            DamagedError: it is recorded, but is not what was recorded.
            StoreError: the store cannot be read, or not be written any more.
        """
        if self._writer is not None and self._writer.patience.blocked:
            await self.ready()
        return await self._lookup.find(identity)

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be kept now."""
        return self._writer is not None and self._writer.patience.blocked

    async def ready(self) -> None:
        """Wait until replies can be kept. Raises ``StoreError`` where they never will be again."""
        while self._writer is not None and self._writer.patience.blocked:
            if (reason := self._writer.patience.halt or self._writer.ended) is not None:
                raise copy_error(reason)
            await asyncio.sleep(_LOOK)

    async def claim(self, identity: bytes) -> Reply | None:
        """Claim a call that ``find`` did not find, or get its reply from another session.

        Returns:
            None: this caller makes the call, and then records its reply, which frees the claim, or
            releases it. Otherwise the reply, marked as replayed: another session has made the call
            meanwhile, and this one has waited for it.

        Raises:
            DamagedError: the reply is recorded, but is not what was recorded.
            StoreError: the store cannot be read or written.
        """
        alone = self._joined and self.sessions.alone
        if not self._joined:
            await asyncio.shield(asyncio.wrap_future(self.begin_session()))
            await self.claims.hear()
            self._joined = True  # here and not in the writer's thread: those who wait go in order
        maker: int | None = None
        if not self.claims.take(identity):
            alone = False
            maker = await self.claims.wait(identity)
        # As long as this session is the only one, no other has recorded anything since ``find``.
        if alone and self.sessions.alone:
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

    def shared(self) -> dict[str, int]:
        """How many replies were waited for and came from which other process, in words."""
        found: Counter[str] = Counter()
        for number, replies in self.claims.shared.items():
            session = self.sessions.get(number)
            found["another process" if session is None else session.process] += replies
        return dict(found)

    def release(self, identity: bytes) -> None:
        """Give back the claim of a call that came to no reply."""
        self.claims.free(identity)

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Keep a reply; returns once it is durable, what ``find`` will give from now on.

        It is kept also when the task that waits here is cancelled. Texts that are no Unicode lose
        what is none. If another process was first, its reply is kept and returned as replayed. Of
        a call about a secret question all is kept but the messages.
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
        """Keep a reply that this run pays for out of this lease; see ``record``."""
        try:
            writer = self._writing()
            reply, encoded = storable(call.kept_reply(reply))
            row = (
                *(identity, run, time(), call.model, *call.draw),
                *(reply.prompt_tokens, reply.completion_tokens, reply.cost),
                *(reply_digest(identity, run, encoded), lease, call.kept(request), encoded),
            )
            future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
            writer.put(Record(row, reply, future))
        except BaseException:
            self.claims.free(identity)
            raise
        return await future  # the writer frees the claim

    def request(self, identity: bytes) -> Call | None:
        """The call behind an identity: model, messages, sampling and draw; None if not recorded.

        Raises ``DamagedError`` where it is not what was recorded.
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

    def spent(self, run: int) -> Spent:
        """What a run has paid for, replies found in the ledger not counted.

        Tokens that an endpoint did not tell are estimated, one for four bytes.
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

    def open_lease(self, terms: Terms) -> Lease:
        """Lease a part of a budget; blocks for a commit, or two where no session has begun.

        All of it where no other session has a part. What is paid out of it is recorded with the
        lease's number.
        """
        self.begin_session().result()
        return Lease(terms, self.sessions, self._reader, self._writing().do)

    def past_replies(self, models: Collection[str] | None = None) -> list[PastReply]:
        """How large the newest calls were, of all models or of those that calls name so."""
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
