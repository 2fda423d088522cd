"""The store: the ledger of paid replies, and the runs and debates that were made of them."""

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

from moot.core.errors import StoreError
from moot.core.events import Transcript
from moot.core.stored import (
    DebateRow,
    DebateValues,
    RunRow,
    Status,
)
from moot.core.texts import replace_surrogates
from moot.ledger import store_runs
from moot.ledger.batch import Save
from moot.ledger.connect import check_missing, check_whole, read_connection, write_connection
from moot.ledger.rankings import Rankings
from moot.ledger.store_place import STORE_FILE, store_error
from moot.ledger.store_replies import StoreReplies
from moot.ledger.stored_records import encode
from moot.ledger.values import StoredValues
from moot.ledger.writer import Writer

_BACKLOG = 512
_AGAIN = 0.01  # seconds between two attempts to open what another process is about to close


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


class Store(StoreReplies):
    """An open store in SQLite (``moot.core.ports.StorePort``).

    Everything is read in the calling thread and written in one other, by ``Writer``. An error of
    the disk or the file is a ``StoreError`` that says what to do; all earlier records stay.
    """

    @classmethod
    def open(cls, path: Path, *, readonly: bool = False, patience: float = 30.0) -> "Store":
        """Open the store in a folder; make folder and file where there are none.

        Args:
            path: the folder; see ``moot.ledger.store_place.store_path``.
            readonly: write nothing; then the folder may be read-only.
            patience: seconds to wait for another process that writes.

        Raises:
            StoreError: the store cannot be opened, is damaged, or was made by a newer moot.
        """
        file = path / STORE_FILE
        end = monotonic() + patience
        while True:
            try:
                return cls._open(file, readonly=readonly, patience=patience)
            except (sqlite3.Error, OSError) as error:
                # The last process to close folds the log into the file. SQLite does not wait for
                # that, even with a timeout.
                if not _is_busy(error) or monotonic() > end:
                    raise store_error(error, file) from error
            sleep(_AGAIN)

    @classmethod
    def _open(cls, file: Path, *, readonly: bool, patience: float) -> "Store":
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
        """Write all that is queued, and close the file.

        Raises:
            StoreError: an earlier debate or status could not be written.
        """
        if self._closed:
            return
        self._closed = True
        writer = self._writer
        # The reader first: the last connection to close folds the write-ahead log into the file.
        self._reader.close()
        # Shielded: when this task is cancelled, the session must end all the same, and not live as
        # long as the process.
        await asyncio.shield(asyncio.to_thread(self._release_file))
        if writer:
            self._raise_trouble(writer)

    def _release_file(self) -> None:
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
        """Wait until all that is queued is durable.

        Raises:
            StoreError: an earlier debate or status could not be written.
        """
        writer = self._writing()
        await asyncio.wrap_future(writer.do(lambda _: None))
        self._raise_trouble(writer)

    def checkpoint(self) -> None:
        """Begin to fold the write-ahead log into the file, as closing does; wait for nothing."""
        self._writing().checkpoint()

    @property
    def debate_values(self) -> StoredValues:
        """The metric values of recorded debates, for measuring them again."""
        return StoredValues(self)

    @property
    def rankings(self) -> Rankings:
        """The raters of essays and their choices."""
        return Rankings(self, lambda newest: self._writing().mark.note(rankings=newest))

    # Runs and debates

    def begin_run(self, key: str, name: str, study: bytes) -> RunRow:
        """Return the run of a key, run by this session from now on; make it where there is none.

        Its status is ``running`` until ``set_status`` changes it. No other session can run it until
        then, or until this session ends. Blocks for one commit: a few milliseconds.

        Raises:
            RunBusy: another session is running it.
        """
        session = self.begin_session().result()
        beginning = partial(store_runs.begin_run, key=key, name=name, study=study)
        beginning = partial(beginning, session=session.id, lives=self.sessions.is_alive)
        run: RunRow = self._writing().do(beginning, small=True).result()
        return run

    async def open_debate(
        self, key: str, name: str, study: bytes, replicate: int | None = 0
    ) -> tuple[RunRow, int]:
        """Begin one debate of a run; other sessions may run other debates of it.

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
        beginning = partial(
            store_runs.begin_debate, key=key, name=name, study=study, replicate=replicate
        )
        beginning = partial(beginning, session=session.id)
        return await asyncio.wrap_future(self._writing().do(beginning, small=True))

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
        setting = partial(
            store_runs.set_status, run=run, status=status, session=None if own is None else own.id
        )
        return self._writing().do(setting, small=True)

    @property
    def backlog(self) -> int:
        """The number of records that are queued and not yet written."""
        return self._writer.backlog() if self._writer else 0

    def runs(self) -> list[RunRow]:
        """Return every run, the newest first."""
        with self._reading() as reader:
            return [self.sessions.with_true_status(row) for row in store_runs.read_runs(reader)]

    def find_run(self, prefix: str) -> RunRow:
        """Return the run of this key; else the newest of this name; else that of this prefix.

        Raises:
            InputError: several keys begin so.
            UnknownName: no key begins so.
        """
        with self._reading() as reader:
            return self.sessions.with_true_status(store_runs.find_run(reader, prefix))

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
        """Store a debate, in place of an earlier one of the same key.

        Returns before it is durable; ``flush`` and ``close`` wait for that. An error in writing it
        is raised by the next ``save_debate``, ``flush`` or ``close``.
        """
        writer = self._writing()
        self._raise_trouble(writer)
        key = (
            run,
            replace_surrogates(arm),
            replace_surrogates(dataset),
            replace_surrogates(question),
            replicate,
        )
        failed = transcript.failed is not None
        measured, shown = encode(values), encode(transcript.redacted)
        writer.enqueue(Save((*key, failed, measured, shown, crc32(measured), crc32(shown))))
        if writer.backlog() > _BACKLOG:  # replayed debates end faster than the disk writes
            await self.flush()

    def debates(
        self,
        run: int,
        arm: str | None = None,
        question: str | None = None,
        dataset: str | None = None,
    ) -> Iterator[DebateRow]:
        """Yield the debates of a run, or of one arm, question id or dataset, in a fixed order."""
        with self._reading() as reader:
            yield from store_runs.debates(reader, run, arm, question, dataset)

    def values(self, run: int) -> Iterator[DebateValues]:
        """Yield the metric values of a run's debates, in the order of ``debates``."""
        with self._reading() as reader:
            yield from store_runs.values(reader, run)
