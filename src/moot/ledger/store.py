"""A store: the ledger of paid replies, and the runs and debates made of them."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from functools import cached_property, partial
from time import time
from types import TracebackType
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from moot.core.calls import Call, Reply
from moot.core.errors import StoreError
from moot.core.finish import finish
from moot.core.stored import BudgetTerms, RunRow, Session
from moot.ledger.database import Database, OpenDatabase, Record, databases
from moot.ledger.parts import StorePart, make_tables
from moot.ledger.records import Records
from moot.ledger.runs import Runs
from moot.ledger.sqlite import open_sqlite
from moot.ledger.store_place import StorePlace
from moot.ledger.stored_records import reply_digest, storable
from moot.ledger.writer import Writer

if TYPE_CHECKING:
    from moot.ledger.batches import Batches
    from moot.ledger.leases import Lease
    from moot.ledger.values import StoredValues


class Store:
    """An open store, in any database: a ledger (``moot.core.ports.Ledger``), and its parts.

    Any number of processes may use a store. One that pays with it has a session: a record of host
    and process, and a sign that disappears when the process ends in any way. A run is run by one
    session at a time. Everything is read in the calling thread, which never waits for writing, and
    written in one other, by ``Writer``, in order. An error of the database is a ``StoreError`` that
    says what to do; all earlier records stay.

    Args:
        database: the database.
        patience: seconds to wait for another process that writes, or a server that went away.

    Attributes:
        file: the file or the address, for messages.
        database: the database.
        sessions: the processes that pay with this store. The store's own session begins with its
            first run or debate.
        claims: claims of calls, so that only one of several sessions makes a call.
        writer: the thread that writes.
        run: the run that pays for replies recorded from now on; None for no run.
        lease: the lease of a budget that they are paid from; None where no budget is capped.
    """

    def __init__(self, database: Database, patience: float = 30.0) -> None:
        self.database, self.file = database, database.place
        self.sessions, self.claims = database.sessions, database.claims
        self.run: int | None = None
        self.lease: int | None = None
        self._lookup = database.lookup
        self._session: Future[Session] | None = None
        self._joined = self._closed = False
        self._extended = set[str]()
        self.writer = writer = Writer(database, patience)
        self.change, self.flush, self.ready = writer.change, writer.flush, writer.ready
        self.checkpoint, self.release = writer.fold, self.claims.free
        self.open_reader, self.has_table = database.open_reader, database.has_table

        records = Records(self.file, database.reader, self.sessions)
        self.query, self.request = records.query, records.request
        self.runs, self.find_run = records.runs, records.find_run
        self.count_begun, self.find_debates = records.count_begun, records.find_debates
        self.debates, self.values = records.debates, records.values
        self.sum_spent, self.past_replies = records.sum_spent, records.past_replies

        runs = Runs(writer, self.sessions, self.begin_session)
        self._begin_run, self.open_debate = runs.begin, runs.open_debate
        self.set_status, self.save_debate = runs.set_status, runs.save_debate

    @cached_property
    def batches(self) -> "Batches":
        """The batches that runs have sent, and the calls that were refused in them."""
        from moot.ledger.batches import Batches

        return Batches(self.query, self.change)

    @cached_property
    def debate_values(self) -> "StoredValues":
        """The metric values of recorded debates, for measuring them again."""
        from moot.ledger.values import StoredValues

        return StoredValues(self.file, self.query, self.writer.do)

    @staticmethod
    def opens(*schemes: str) -> Callable[[OpenDatabase], OpenDatabase]:
        """Register the function it decorates: it opens the database of such addresses."""

        def register(function: OpenDatabase) -> OpenDatabase:
            for scheme in schemes:
                databases.add(scheme, function)
            return function

        return register

    @classmethod
    def open(cls, place: StorePlace, *, readonly: bool = False, patience: float = 30.0) -> "Store":
        """Open the store in a folder, or in the database of an address.

        Folder, file and tables are made where there are none.

        Args:
            place: as ``moot.ledger.store_place.find_place`` returns it.
            readonly: write nothing; then a folder may be read-only.
            patience: seconds to wait for another process that writes, or a server that went away.

        Raises:
            InputError: no database has the scheme of the address, or its driver is not installed.
            StoreError: the store cannot be opened, is damaged, or was made by a newer moot.
        """
        if not isinstance(place, str):
            return cls(open_sqlite(place, readonly, patience), patience)
        return cls(databases.get(urlsplit(place).scheme)(place, readonly, patience), patience)

    async def close(self) -> None:
        """Write all that is queued, and close all connections.

        Raises:
            StoreError: an earlier debate or status could not be written.
        """
        if self._closed:
            return
        self._closed = True
        # The reader first: the last connection of SQLite to close folds its log into the file.
        self.database.reader.close()
        # When this task is cancelled, the session must end all the same, and not live as long as
        # the process.
        await finish(asyncio.to_thread(self.database.close, self.writer.stop))
        self.writer.raise_trouble()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            await self.close()
        except StoreError as trouble:
            if error is None:
                raise
            error.add_note(str(trouble))

    # The ledger

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be written now."""
        return self.writer.patience.blocked

    async def find(self, identity: bytes) -> Reply | None:
        """Return the recorded reply, marked as replayed, or None.

        This waits while the store cannot be written: a reply that is paid for now could be lost.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read, or cannot be written any more.
        """
        if self.writer.patience.blocked:
            await self.ready()
        return await self._lookup.find(identity)

    async def claim(self, identity: bytes) -> Reply | None:
        """Return the recorded reply of a call, marked as replayed; or claim the call.

        This waits while another session has the claim, and as ``find`` does.

        Returns:
            None: this caller makes the call, and then calls ``record`` or ``release``.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read or written.
        """
        if self.writer.patience.blocked:
            await self.ready()
        if not self._joined:
            # A session begins only where a call is made.
            if (reply := await self._lookup.find(identity)) is not None:
                return reply
            await asyncio.shield(asyncio.wrap_future(self.begin_session()))
            if not self.claims.others_known:
                await self.claims.wait_for_others()
            # Not set in the writer's thread, so that waiting callers go on in order.
            self._joined = True
        return await self.claims.obtain(identity)

    async def record(
        self,
        identity: bytes,
        call: Call,
        request: bytes,
        reply: Reply,
        *,
        payer: tuple[int | None, int | None] | None = None,
    ) -> Reply:
        """Record a reply; return, once it is durable, the reply that ``find`` returns from now on.

        It is recorded even when the waiting task is cancelled. Characters that are not Unicode are
        removed. If another process was first, its reply is kept, and returned as replayed. The
        messages about a secret question are not stored.

        Args:
            identity: the identity of the call.
            call: the call.
            request: the call as it was sent.
            reply: the reply.
            payer: the run and the lease that pay; those of the store if not given.
        """
        run, lease = payer or (self.run, self.lease)
        try:
            request, reply = call.redact(request, reply)
            reply, encoded = storable(reply)
            row = (
                *(identity, run, time(), call.model, *call.draw),
                *(reply.prompt_tokens, reply.completion_tokens, reply.cost),
                *(reply_digest(identity, run, encoded), lease, request, encoded),
            )
            future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
            self.writer.enqueue(Record(row, reply, future))
        except BaseException:
            self.claims.free(identity)
            raise
        return await future  # the writer frees the claim

    def open_lease(self, terms: BudgetTerms) -> "Lease":
        """Return a lease of a part of a budget; of all of it where no other session has a part.

        Replies that are paid from it are recorded with the lease's number. Blocks for a commit, or
        two where no session has begun.
        """
        self.begin_session().result()
        from moot.ledger.leases import Lease  # without a cap there is none

        return Lease(terms, self.sessions, self.database.reader, self.writer.do)

    def count_shared(self) -> dict[str, int]:
        """Return how many replies came from other processes after waiting, by process."""
        found: Counter[str] = Counter()
        for number, replies in self.claims.shared.items():
            session = self.sessions.get(number)
            found["another process" if session is None else session.process] += replies
        return dict(found)

    # Sessions and runs

    def begin_session(self) -> "Future[Session]":
        """Begin the store's own session and its claims, durably, unless they have begun."""
        beginning = self._session
        if beginning is None or (beginning.done() and beginning.exception()):
            begin = partial(self.sessions.begin, then=self.claims.begin)
            beginning = self._session = self.writer.do(begin)
        return beginning

    def begin_run(self, key: str, name: str, study: bytes) -> RunRow:
        """Return the run of a key, run by this session from now on; see ``Runs.begin``."""
        run = self._begin_run(key, name, study)
        self._joined = self._joined or self.claims.others_known
        return run

    async def extend(self, part: StorePart) -> None:
        """Make the tables of a part that the store does not have, durably."""
        if part.name not in self._extended:
            translate = self.database.translate
            await self.change(lambda writing: make_tables(writing, part, translate))
            self._extended.add(part.name)


class RunLedger:
    """The ledger of one of several runs that use a store at the same time.

    Args:
        store: the store.
        run: the run that pays for the replies recorded here.
        lease: the lease of a budget that they are paid from, if any; see ``Lease``.
    """

    def __init__(self, store: Store, run: int, lease: int | None = None) -> None:
        self.find, self.claim, self.release = store.find, store.claim, store.release
        self.ready = store.ready
        self._store, self._payer = store, (run, lease)

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be written now."""
        return self._store.blocked

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Record a reply; see ``Ledger.record``."""
        return await self._store.record(identity, call, request, reply, payer=self._payer)
