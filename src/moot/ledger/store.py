"""The store: every reply that was paid for, and the runs and debates that were made of them."""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep, time
from types import TracebackType
from typing import Any, Self
from zlib import crc32

import msgspec

from moot.core.calls import Call, Draw, Message, Reply, Sampling
from moot.core.errors import DamagedError, StoreError
from moot.core.events import Transcript
from moot.core.stored import (
    DebateRow,
    DebateValues,
    PastReply,
    RunRow,
    Session,
    Spent,
    Status,
    Terms,
    decode_record,
)
from moot.core.texts import clean
from moot.ledger import runs
from moot.ledger.batch import Record, Save, copied
from moot.ledger.claims import Claims
from moot.ledger.connect import check_missing, check_whole, read_connection, write_connection
from moot.ledger.digests import reply_digest
from moot.ledger.leases import Lease
from moot.ledger.lookup import Lookup
from moot.ledger.parts import Parts
from moot.ledger.past import past_replies
from moot.ledger.place import FILE, store_error
from moot.ledger.sessions import Sessions
from moot.ledger.texts import encode, storable
from moot.ledger.writer import Writer

_BACKLOG = 512
_LOOK = 0.05  # seconds between two looks at whether the store can be written again
_AGAIN = 0.01  # seconds between two attempts to open what another process is about to close
_decode_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode


def _busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


class Store(Parts):
    """One store, open: the ledger of replies (``moot.core.ports.Ledger``), runs and debates.

    Everything is read in the calling thread and written in one other, by ``Writer``. An error of
    the disk or the file is a ``StoreError`` that says what to do; what was recorded before stays.

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
        self._lookup = Lookup(reader, file, lambda: writer.newest if writer else -1)
        self._session: Future[Session] | None = None
        self._joined = False
        self._closed = self._told_of_loss = False

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False, patience: float = 30.0) -> "Store":
        """Open the store in the folder ``path``; make folder and file where there are none.

        Args:
            path: a folder; see ``moot.ledger.place.store_path``.
            readonly: write nothing, also where the folder could not be written.
            patience: the seconds to wait for another process that writes.

        Raises:
            StoreError: it cannot be opened, is damaged, or was made by a newer moot.
        """
        file = path / FILE
        end = monotonic() + patience
        while True:
            try:
                return cls._opened(file, readonly=readonly, patience=patience)
            except (sqlite3.Error, OSError) as error:
                # The last process to close folds the log into the file; SQLite itself does not
                # wait for that, however patient its connections are.
                if not _busy(error) or monotonic() > end:
                    raise store_error(error, file) from error
            sleep(_AGAIN)

    @classmethod
    def _opened(cls, file: Path, *, readonly: bool, patience: float) -> "Store":
        if readonly:
            # Where not even a log's index may be written, there is no log; see read_connection.
            with suppress(sqlite3.OperationalError):
                check_whole(file, patience)
            reading = read_connection(file, patience)
            try:
                check_missing(file, reading)
            except BaseException:
                reading.close()
                raise
            return cls(file, reading, None)
        writing = write_connection(file, patience)
        try:
            reading = read_connection(file, patience)
        except BaseException:
            writing.close()
            raise
        writer = Writer(writing, file, patience)
        try:
            return cls(file, reading, writer)
        except BaseException:
            reading.close()
            writer.stop()
            raise

    async def close(self) -> None:
        """Write all that is queued, let go of the file; raises what ``save_debate`` could not."""
        if self._closed:
            return
        self._closed = True
        writer = self._writer
        # The reader first: the last connection to close folds the write-ahead log into the file.
        self._reader.close()
        # To its end, also where the task that waits is cancelled: a session that is left open would
        # live as long as the process.
        await asyncio.shield(asyncio.to_thread(self._let_go))
        if writer:
            self._raise_trouble(writer)

    def _let_go(self) -> None:
        if self._writer is not None:
            self._writer.stop()
        self.claims.close()
        self.sessions.close()

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

    async def flush(self) -> None:
        """Return once all that is queued is durable; raises what ``save_debate`` could not."""
        writer = self._writing()
        await asyncio.wrap_future(writer.do(lambda _: None))
        self._raise_trouble(writer)

    def fold(self) -> None:
        """Have the write-ahead log folded into the file, as closing does, and go on meanwhile."""
        self._writing().fold()

    # Replies

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
                raise copied(reason)
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
            reply = await self._lookup.find(identity, anew=True)
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
            self._lookup.mark(identity)
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
            return list(past_replies(reader, models))

    # Runs and debates

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

    def begin_run(self, key: str, name: str, study: bytes) -> RunRow:
        """Make a run, durably, unless there is one of this key, and run it; give the run.

        It counts as running until ``set_status`` says otherwise, and no other session can run it
        until then, or until this one ends. Blocks for one commit: a few milliseconds.

        Raises:
            RunBusy: another session is running it.
        """
        session = self.begin_session().result()
        beginning = partial(runs.begin, key=key, name=name, study=study)
        beginning = partial(beginning, session=session.id, lives=self.sessions.lives)
        run: RunRow = self._writing().do(beginning, small=True).result()
        return run

    async def open_debate(
        self, key: str, name: str, study: bytes, replicate: int | None = 0
    ) -> tuple[RunRow, int]:
        """As ``begin_run`` for one debate of the run, which any session may run others of.

        Args:
            key: of the run.
            name: of the run, where it is made.
            study: kept with it, where it is made.
            replicate: which debate of the same question it is; None: one that never was begun, by
                whatever process.

        Returns:
            The run, and the replicate.
        """
        session = self.sessions.own
        if session is None:
            session = await asyncio.shield(asyncio.wrap_future(self.begin_session()))
        beginning = partial(runs.begin_debate, key=key, name=name, study=study, replicate=replicate)
        beginning = partial(beginning, session=session.id)
        return await asyncio.wrap_future(self._writing().do(beginning, small=True))

    def set_status(self, run: int, status: Status) -> None:
        """Say how a run stands, durably. Blocks for one commit."""
        self._standing(run, status).result()

    def leave_status(self, run: int, status: Status) -> None:
        """Say how a run stands, in its turn, and wait for nothing.

        An error in writing it is raised by the next ``save_debate``, ``flush`` or ``close``.
        """
        writer = self._writing()

        def told(standing: "Future[Any]") -> None:
            if isinstance(error := standing.exception(), StoreError):
                writer.trouble = error

        self._standing(run, status).add_done_callback(told)

    def _standing(self, run: int, status: Status) -> "Future[Any]":
        own = self.sessions.own
        setting = partial(
            runs.set_status, run=run, status=status, session=None if own is None else own.id
        )
        return self._writing().do(setting, small=True)

    @property
    def backlog(self) -> int:
        """Records that are not yet written."""
        return self._writer.backlog() if self._writer else 0

    def runs(self) -> list[RunRow]:
        """Every run, the last begun first."""
        with self._reading() as reader:
            return [self.sessions.checked(row) for row in runs.newest_first(reader)]

    def run_named(self, prefix: str) -> RunRow:
        """The run of this key; else the newest of this name; else the one whose key begins so.

        Raises ``InputError`` when several keys begin so and ``UnknownName`` when none does.
        """
        with self._reading() as reader:
            return self.sessions.checked(runs.named(reader, prefix))

    async def save_debate(
        self,
        run: int,
        arm: str,
        dataset: str,
        question: str,
        replicate: int,
        transcript: Transcript,
        values: dict[str, float | None],
    ) -> None:
        """Keep a debate, in place of an earlier one of the same key.

        Returns before it is durable; ``flush`` and ``close`` wait for that. An error in writing it
        is raised by the next ``save_debate``, ``flush`` or ``close``.
        """
        writer = self._writing()
        self._raise_trouble(writer)
        key = (run, clean(arm), clean(dataset), clean(question), replicate)
        failed = transcript.failed is not None
        measured, shown = encode(values), encode(transcript.shown)
        writer.put(Save((*key, failed, measured, shown, crc32(measured), crc32(shown))))
        if writer.backlog() > _BACKLOG:  # debates that only replay outrun the disk
            await self.flush()

    def debates(
        self,
        run: int,
        arm: str | None = None,
        question: str | None = None,
        dataset: str | None = None,
    ) -> Iterator[DebateRow]:
        """The debates of a run, or those of one arm, question id or dataset, in a fixed order."""
        with self._reading() as reader:
            yield from runs.debates(reader, run, arm, question, dataset)

    def values(self, run: int) -> Iterator[DebateValues]:
        """The metric values of a run's debates, in the order of ``debates``."""
        with self._reading() as reader:
            yield from runs.values(reader, run)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._reader
        except (sqlite3.Error, DamagedError) as error:
            raise store_error(error, self.file) from error

    def _writing(self) -> Writer:
        if self._closed:
            raise StoreError(f"store {self.file}: it is closed")
        if self._writer is None:
            raise StoreError(f"store {self.file}: it was opened for reading only")
        return self._writer

    def _raise_trouble(self, writer: Writer) -> None:
        trouble, writer.trouble = writer.trouble, None
        if (halt := writer.patience.halt) is not None and not self._told_of_loss:
            self._told_of_loss = True
            raise copied(halt)
        if trouble:
            raise trouble
