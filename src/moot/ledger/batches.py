"""The batches that runs have sent, so that any process of a run picks them up."""

from collections.abc import Mapping, Sequence
from time import time
from typing import NamedTuple

from moot.ledger.storage import Change, Query, StoreConnection, transaction

CREATING = "creating"
"""The status of a batch whose creation was not confirmed."""


class SentBatch(NamedTuple):
    """A batch of a run.

    Attributes:
        id: its number in this store.
        run: the number of the run.
        key: moot's own key for it, which it has at its endpoint, too.
        model: the model's name.
        calls: the number of its calls.
        created: the time of its row, in Unix seconds.
        name: its id at the endpoint; None until its creation was confirmed.
        status: its last known status.
        taken: the time when all its replies were recorded, in Unix seconds; None before.
        learnt: what its endpoint takes, as far as it was known, as JSON; None for nothing.
    """

    id: int
    run: int
    key: str
    model: str
    calls: int
    created: float
    name: str | None
    status: str
    taken: float | None
    learnt: bytes | None = None


class RefusedCall(NamedTuple):
    """The response to a call that failed in a batch.

    Attributes:
        status: its HTTP status.
        body: its body.
        tries: how often the call has failed, where it may pass; None where it failed for good.
    """

    status: int
    body: bytes
    tries: int | None = None


_COLUMNS = ", ".join(SentBatch._fields)


class Batches:
    """The batches of runs; see ``Store.batches``. Writes are durable when a method returns.

    Every method raises ``StoreError`` where the store cannot be read or written.
    """

    def __init__(self, query: Query, change: Change) -> None:
        self._query, self._change = query, change

    async def begin(
        self, run: int, key: str, model: str, calls: int, learnt: bytes | None = None
    ) -> SentBatch:
        """Record that a batch is about to be created, and return it."""

        def work(connection: StoreConnection) -> SentBatch:
            connection.execute(
                "INSERT INTO batches (run, key, model, calls, created, status, learnt) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run, key, model, calls, time(), CREATING, learnt),
            )
            query = f"SELECT {_COLUMNS} FROM batches WHERE key = ?"  # noqa: S608  own names
            return SentBatch(*connection.execute(query, (key,)).fetchone())

        return await self._change(work)

    async def add_copies(self, run: int, batches: Sequence[SentBatch]) -> None:
        """Record the batches of a run of another store, as far as it knows more of them."""

        def work(connection: StoreConnection) -> None:
            with transaction(connection):
                connection.executemany(
                    "INSERT INTO batches "
                    "(run, key, model, calls, created, name, status, taken, learnt) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
                    "SET name = COALESCE(batches.name, excluded.name), status = excluded.status, "
                    "taken = excluded.taken WHERE batches.taken IS NULL",
                    [(run, *each[2:]) for each in batches],
                )

        await self._change(work)

    async def update(self, batch: int, name: str | None, status: str) -> None:
        """Record the id of a batch at its endpoint, and its status."""

        def work(connection: StoreConnection) -> None:
            connection.execute(
                "UPDATE batches SET name = COALESCE(?, name), status = ? WHERE id = ?",
                (name, status, batch),
            )

        await self._change(work)

    async def take(self, batch: int) -> None:
        """Record that all replies of a batch are in the store."""

        def work(connection: StoreConnection) -> None:
            connection.execute("UPDATE batches SET taken = ? WHERE id = ?", (time(), batch))

        await self._change(work)

    async def refuse(self, run: int, refused: Mapping[bytes, RefusedCall]) -> None:
        """Record calls of a run that failed, by identity."""

        def work(connection: StoreConnection) -> None:
            with transaction(connection):
                connection.executemany(
                    "INSERT INTO refusals (run, identity, status, body, tries) "
                    "VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, identity) DO UPDATE SET "
                    "status = excluded.status, body = excluded.body, tries = excluded.tries",
                    [(run, key, *each) for key, each in refused.items()],
                )

        await self._change(work)

    async def forget(self, run: int) -> None:
        """Forget the calls of a run that failed: they may be sent again."""

        def work(connection: StoreConnection) -> None:
            connection.execute("DELETE FROM refusals WHERE run = ?", (run,))

        await self._change(work)

    def list_sent(self, run: int) -> list[SentBatch]:
        """Return the batches that a run has sent, the oldest first."""
        query = f"SELECT {_COLUMNS} FROM batches WHERE run = ? ORDER BY id"  # noqa: S608  own names
        return [SentBatch(*row) for row in self._query(query, run)]

    def list_open(self, run: int) -> list[SentBatch]:
        """Return the batches of a run whose replies are not all in the store, the oldest first."""
        return [batch for batch in self.list_sent(run) if batch.taken is None]

    def list_refused(self, run: int) -> dict[bytes, RefusedCall]:
        """Return the calls of a run that failed in a batch, by identity."""
        query = "SELECT identity, status, body, tries FROM refusals WHERE run = ?"
        return {key: RefusedCall(*rest) for key, *rest in self._query(query, run)}
