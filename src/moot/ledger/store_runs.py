"""The runs and debates of a store, and its opening and closing, for both databases."""

import asyncio
from abc import abstractmethod
from concurrent.futures import Future
from time import time
from types import TracebackType
from typing import Any, Self
from zlib import crc32

import msgspec

from moot.core.errors import RunBusy, StoreError
from moot.core.events import Transcript
from moot.core.redaction import redact
from moot.core.stored import DebateOrigin, RunRow, Status
from moot.core.texts import replace_surrogates
from moot.ledger.batch import Save, copy_error
from moot.ledger.batches import Batches
from moot.ledger.compression import compress
from moot.ledger.rankings import Rankings
from moot.ledger.reader import StoreReader
from moot.ledger.seals import make_seal
from moot.ledger.storage import StoreConnection
from moot.ledger.store_replies import StoreReplies
from moot.ledger.stored_records import encode, encode_values, read_runs
from moot.ledger.transaction import transaction
from moot.ledger.values import StoredValues
from moot.ledger.writer import Writer

_BACKLOG = 512


class StoreRuns(StoreReplies):
    """The ledger, and the runs and debates that were made of its replies, in either database.

    Any number of processes may use a store. One that pays with it has a session: a record of host
    and process, and a sign that disappears when the process ends in any way. A run is run by one
    session at a time. Reading never waits for writing. Everything is written in one thread, by
    ``Writer``, in order. An error of the database is a ``StoreError`` that says what to do; all
    earlier records stay.
    """

    async def close(self) -> None:
        """Write all that is queued, and close all connections.

        Raises:
            StoreError: an earlier debate or status could not be written.
        """
        if self._closed:
            return
        self._closed = True
        writer = self._writer
        # The reader first: the last connection of SQLite to close folds its log into the file.
        self._reader.close()
        # Shielded: when this task is cancelled, the session must end all the same, and not live as
        # long as the process.
        await asyncio.shield(asyncio.to_thread(self._release))
        if writer:
            self._raise_trouble(writer)

    @abstractmethod
    def _release(self) -> None:
        """Write what is queued, and end the session."""

    @abstractmethod
    def open_reader(self) -> StoreReader:
        """Return a reader with a connection of its own, for use in another thread.

        Raises:
            StoreError: the store cannot be read.
        """

    @abstractmethod
    def checkpoint(self) -> None:
        """Begin to fold the write-ahead log into the tables, as closing does; wait for nothing."""

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
        """Wait until all that is queued is durable.

        Raises:
            StoreError: an earlier debate or status could not be written.
        """
        writer = self._writing()
        await asyncio.wrap_future(writer.do(lambda _: None))
        self._raise_trouble(writer)

    @property
    def debate_values(self) -> StoredValues:
        """The metric values of recorded debates, for measuring them again."""
        return StoredValues(self)

    @property
    def batches(self) -> Batches:
        """The batches that runs have sent, and the calls that were refused in them."""
        return Batches(self)

    @property
    def rankings(self) -> Rankings:
        """The raters of essays and their choices."""
        return Rankings(self, lambda newest: self._writing().note_rankings(newest))

    def _raise_trouble(self, writer: Writer) -> None:
        """Raise the error of an earlier write that no task has waited for, if there is one."""
        trouble, writer.trouble = writer.trouble, None
        if (halt := writer.patience.halt_error) is not None and not self._loss_raised:
            self._loss_raised = True
            raise copy_error(halt)
        if trouble:
            raise trouble

    # Runs and debates

    def begin_run(self, key: str, name: str, study: bytes) -> RunRow:
        """Return the run of a key, run by this session from now on; make it where there is none.

        Its status is ``running`` until ``set_status`` changes it. No other session can run it until
        then, or until this session ends. Blocks for one commit: a few milliseconds.

        Raises:
            RunBusy: another session is running it.
        """
        session, alive = self.begin_session().result(), self.sessions.is_alive

        def begin(connection: StoreConnection) -> RunRow:
            with transaction(connection):
                run = _make_run(connection, key, name, study)
                holder = self.sessions.of(run.id, connection)
                held = holder and holder != session and alive(holder.id)
                if holder and held and run.status == "running":
                    raise RunBusy(
                        f"run {key} is being run by {holder.process} since {holder.since}"
                    )
                _set_status(connection, run.id, "running", session.id)
            return msgspec.structs.replace(run, status="running")

        run: RunRow = self._writing().do(begin, small=True).result()
        self.sessions.runs.add(run.id)
        self._joined = self._joined or self.claims.others_known
        return run

    async def open_debate(
        self, key: str, name: str, study: bytes, replicate: int | None = 0
    ) -> tuple[RunRow, int]:
        """Begin one debate of a run; other sessions may run other debates of it.

        The status of the run does not change.

        Args:
            key: the key of the run; it is made where there is none.
            name: the name of a new run.
            study: the study of a new run.
            replicate: which debate of the same question it is; None: one that no process has ever
                begun.

        Returns:
            The run, and the replicate.
        """
        session = self.sessions.own
        if session is None:
            session = await asyncio.shield(asyncio.wrap_future(self.begin_session()))

        def begin(connection: StoreConnection) -> tuple[RunRow, int]:
            with transaction(connection):
                run = _make_run(connection, key, name, study)
                (free,) = connection.execute(_FREE, (run.id,) * 3).fetchone()
                took = free if replicate is None else replicate
                connection.execute(
                    "UPDATE runs SET taken = ?, session = ? WHERE id = ?",
                    (max(free, took + 1), session.id, run.id),
                )
            return run, took

        return await self.change(begin, small=True)

    def set_status(self, run: int, status: Status) -> None:
        """Store the status of a run, durably. Blocks for one commit."""
        self._queue_status(run, status).result()

    def queue_status(self, run: int, status: Status) -> None:
        """Queue the status of a run, and wait for nothing.

        An error in writing it is raised by the next ``save_debate``, ``flush`` or ``close``.
        """
        writer = self._writing()

        def keep_error(written: "Future[Any]") -> None:
            if isinstance(error := written.exception(), StoreError):
                writer.trouble = error

        self._queue_status(run, status).add_done_callback(keep_error)

    def _queue_status(self, run: int, status: Status) -> "Future[Any]":
        own = self.sessions.own
        session = None if own is None else own.id
        # Of a run that this session runs alone: another one may have taken it over meanwhile.
        alone = run in self.sessions.runs
        if status != "running":
            self.sessions.runs.discard(run)
        return self._writing().do(
            lambda connection: _set_status(connection, run, status, session, alone=alone),
            small=True,
        )

    @property
    def backlog(self) -> int:
        """The number of records that are queued and not yet written."""
        return self._writer.backlog() if self._writer else 0

    async def save_debate(
        self,
        run: int,
        arm: str,
        dataset: str,
        question: str,
        replicate: int,
        transcript: Transcript,
        values: dict[str, float | None],
        origin: DebateOrigin | None = None,
    ) -> None:
        """Store a debate, in place of an earlier one of the same key.

        Returns before it is durable; ``flush`` and ``close`` wait for that. An error in writing it
        is raised by the next ``save_debate``, ``flush`` or ``close``.
        """
        writer = self._writing()
        self._raise_trouble(writer)
        made_by, measured_by = origin or (None, None)
        failed, measured = transcript.failed is not None, encode_values(values)
        encoded = encode(redact(transcript))
        packed = compress(encoded)
        names = map(replace_surrogates, (arm, dataset, question))
        digests = crc32(measured), crc32(encoded)
        seals = make_seal(made_by, packed), make_seal(measured_by, measured)
        self.save_row((run, *names, replicate, failed, measured, packed, *digests, *seals))
        if writer.backlog() > _BACKLOG:  # replayed debates end faster than the disk writes
            await self.flush()

    def save_row(self, row: tuple[Any, ...]) -> None:
        """Queue a row of ``debates``; it replaces the one of the same key. See ``save_debate``.

        Args:
            row: run, arm, dataset, question, replicate, whether it failed, the values and the
                transcript as they are stored, their digests, and the seals of the transcript and
                of the values.
        """
        self._writing().enqueue(Save(row))


_FREE = """
    SELECT MAX(free) FROM (
        SELECT taken AS free FROM runs WHERE id = ?
        UNION ALL SELECT MAX(replicate) + 1 FROM debates
            WHERE run = (SELECT id FROM runs WHERE id = ? AND taken = 0)
        UNION ALL SELECT MAX(replicate) + 1 FROM replies
            WHERE run = (SELECT id FROM runs WHERE id = ? AND taken = 0)
    ) AS found
"""
"""The first replicate that no debate has taken; in runs of an older moot, by their records."""


def _make_run(connection: StoreConnection, key: str, name: str, study: bytes) -> RunRow:
    """Return the run of a key; make it where there is none."""
    connection.execute(
        "INSERT INTO runs (key, name, created, status, study) VALUES (?, ?, ?, 'running', ?) "
        "ON CONFLICT (key) DO NOTHING",
        (key, replace_surrogates(name), time(), study),
    )
    return read_runs(connection, "WHERE key = ?", key)[0]


def _set_status(
    connection: StoreConnection,
    run: int,
    status: Status,
    session: int | None,
    *,
    alone: bool = False,
) -> None:
    """Store the status of a run, and the session that runs it, if given.

    With ``alone`` nothing is changed where another session runs it.
    """
    if not alone:
        change = "UPDATE runs SET status = ?, session = COALESCE(?, session) WHERE id = ?"
        connection.execute(change, (status, session, run))
    else:
        change = "UPDATE runs SET status = ? WHERE id = ? AND session = ?"
        connection.execute(change, (status, run, session))
