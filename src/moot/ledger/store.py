"""The store: every reply that was paid for, and the runs and debates that were made of them."""

import asyncio
import sqlite3
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self
from zlib import crc32

import msgspec

from moot.core.calls import Message, Sampling
from moot.core.errors import StoreError
from moot.core.events import Transcript
from moot.core.stored import (
    DebateRow,
    DebateValues,
    RunRow,
    Status,
)
from moot.core.texts import clean
from moot.ledger import runs
from moot.ledger.batch import Save
from moot.ledger.connect import check_missing, check_whole, read_connection, write_connection
from moot.ledger.place import FILE, store_error
from moot.ledger.rankings import Rankings
from moot.ledger.records import encode
from moot.ledger.replies import Replies
from moot.ledger.values import Values
from moot.ledger.writer import Writer

_BACKLOG = 512
_LOOK = 0.05  # seconds between two looks at whether the store can be written again
_AGAIN = 0.01  # seconds between two attempts to open what another process is about to close
_decode_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode


def _busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


class Store(Replies):
    """One store, open: the ledger of replies (``moot.core.ports.Ledger``), runs and debates.

    Everything is read in the calling thread and written in one other, by ``Writer``. An error of
    the disk or the file is a ``StoreError`` that says what to do; what was recorded before stays.
    """

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

    @property
    def measured(self) -> Values:
        """The metric values of recorded debates, for measuring them again."""
        return Values(self)

    @property
    def rankings(self) -> Rankings:
        """The raters of essays and their choices."""
        return Rankings(self, lambda newest: self._writing().mark.note(rankings=newest))

    # Runs and debates

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
            return [self.sessions.with_true_status(row) for row in runs.read_runs(reader)]

    def run_named(self, prefix: str) -> RunRow:
        """The run of this key; else the newest of this name; else the one whose key begins so.

        Raises ``InputError`` when several keys begin so and ``UnknownName`` when none does.
        """
        with self._reading() as reader:
            return self.sessions.with_true_status(runs.named(reader, prefix))

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
