"""The runs of a store and their debates, as they are written."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from time import time
from typing import Any
from zlib import crc32

import msgspec

from moot.core.encoding import replace_surrogates
from moot.core.errors import RunBusy, StoreError
from moot.core.events import Transcript
from moot.core.redaction import redact
from moot.core.stored import DebateOrigin, RunRow, Session, Status
from moot.ledger.compression import compress
from moot.ledger.database import Save
from moot.ledger.derived import refer
from moot.ledger.sessions import Sessions
from moot.ledger.storage import StoreConnection, transaction
from moot.ledger.stored_records import encode, encode_values, make_seal, read_runs
from moot.ledger.writer import Writer

_BACKLOG = 512


class Runs:
    """Begins runs of a store, and writes their status and their debates.

    Args:
        writer: the thread that writes.
        sessions: the sessions of the store.
        begin_session: begins the store's own session, unless it has begun.
    """

    def __init__(
        self,
        writer: Writer,
        sessions: Sessions,
        begin_session: "Callable[[], Future[Session]]",
    ) -> None:
        self._writer, self._sessions, self._begin_session = writer, sessions, begin_session

    def begin(self, key: str, name: str, study: bytes) -> RunRow:
        """Return the run of a key, run by this session from now on; make it where there is none.

        Its status is ``running`` until ``set_status`` changes it. No other session can run it until
        then, or until this session ends. Blocks for one commit: a few milliseconds.

        Raises:
            RunBusy: another session is running it.
        """
        session, alive = self._begin_session().result(), self._sessions.is_alive

        def begin(connection: StoreConnection) -> RunRow:
            with transaction(connection):
                run = _make_run(connection, key, name, study)
                holder = self._sessions.of(run.id, connection)
                held = holder and holder != session and alive(holder.id)
                if holder and held and run.status == "running":
                    raise RunBusy(
                        f"run {key} is being run by {holder.process} since {holder.since}"
                    )
                change = "UPDATE runs SET status = 'running', session = ? WHERE id = ?"
                connection.execute(change, (session.id, run.id))
            return msgspec.structs.replace(run, status="running")

        run: RunRow = self._writer.do(begin, small=True).result()
        self._sessions.runs.add(run.id)
        self._sessions.begun.add(run.id)
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
        session = self._sessions.own
        if session is None:
            session = await asyncio.shield(asyncio.wrap_future(self._begin_session()))

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

        return await self._writer.change(begin, small=True)

    def set_status(
        self, run: int, status: Status, *, wait: bool = True, study: bytes | None = None
    ) -> None:
        """Store the status of a run, and a study in place of its own, durably. Blocks for a commit.

        Without ``wait`` it is queued: an error in writing it is raised by the next ``save_debate``,
        ``flush`` or ``close``.
        """
        writer, own = self._writer, self._sessions.own
        if status != "running":
            self._sessions.runs.discard(run)
        change = "UPDATE runs SET status = ?, study = COALESCE(?, study), "
        change += "session = COALESCE(?, session) WHERE id = ?"
        values = status, study, None if own is None else own.id, run
        if run in self._sessions.begun:  # another session may have taken it over meanwhile
            change = "UPDATE runs SET status = ?, study = COALESCE(?, study) "
            change += "WHERE session = ? AND id = ?"
        written = writer.do(lambda connection: connection.execute(change, values), small=True)

        def keep_error(written: "Future[Any]") -> None:
            if isinstance(error := written.exception(), StoreError):
                writer.trouble = error

        if wait:
            written.result()
        else:
            written.add_done_callback(keep_error)

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
        base: tuple[str, Transcript] | None = None,
    ) -> None:
        """Store a debate, in place of an earlier one of the same key.

        Returns before it is durable; ``flush`` and ``close`` wait for that. An error in writing it
        is raised by the next ``save_debate``, ``flush`` or ``close``. Of one that follows from a
        base, the arm of that debate and its transcript, no turn is stored again.
        """
        writer = self._writer
        writer.raise_trouble()
        made_by, measured_by = origin or (None, None)
        failed, measured = transcript.failed is not None, encode_values(values)
        encoded = encode(redact(transcript)) if base is None else refer(transcript, *base)
        packed = compress(encoded) if base is None else encoded
        names = map(replace_surrogates, (arm, dataset, question))
        digests = crc32(measured), crc32(encoded)
        seals = make_seal(made_by, packed), make_seal(measured_by, measured)
        row = (run, *names, replicate, failed, measured, packed, *digests, *seals)
        writer.enqueue(Save(row))
        if writer.backlog() > _BACKLOG:  # replayed debates end faster than the disk writes
            await writer.flush()


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
