"""Claims of calls in PostgreSQL: rows of a table that a crash of the server empties.

All calls of one turn of the event loop are claimed by one statement. A row of a session that has
ended is taken over by the next that wants the call.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from threading import Lock
from time import monotonic

from moot.ledger.postgres_link import CallerConnections
from moot.ledger.postgres_sessions import ALIVE, PostgresSessions
from moot.ledger.postgres_writer import PostgresWriter
from moot.ledger.storage import DatabaseFault
from moot.ledger.store_place import store_error

_CLAIM = f"""
    INSERT INTO claims SELECT unnest($1::bytea[]), $2
    ON CONFLICT (identity) DO UPDATE SET session = EXCLUDED.session
    WHERE NOT {ALIVE.format("claims.session")}
    RETURNING identity
"""
_FREE = "DELETE FROM claims WHERE identity = ? AND session = ?"
_MAKER = "SELECT session FROM claims WHERE identity = $1"
_SOONEST, _LATEST = 0.005, 1.0


class PostgresClaims:
    """The claims of a store's own session; see ``CallClaims``.

    Args:
        sessions: the sessions of the store; its own has begun before the first claim.
        connection: the connections for claims and look-ups.
        writer: the writer; it frees a claim together with writing the reply.
        place: the address without a password.
    """

    def __init__(
        self,
        sessions: PostgresSessions,
        connection: CallerConnections,
        writer: PostgresWriter | None,
        place: str,
    ) -> None:
        self._sessions, self._connection, self._place = sessions, connection, place
        self._writer = writer
        if writer is not None:
            writer.on_freed = self.forget
        self.waiting: Counter[int] = Counter()
        self.shared: Counter[int] = Counter()
        self.locked = True
        self._wanted: list[tuple[bytes, asyncio.Future[bool]]] = []
        # A row may be deleted, and claimed again, before the writer says that it was deleted: so
        # claims are counted, and the second one is not forgotten with the first.
        self._own: Counter[bytes] = Counter()
        self._changing = Lock()
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Begin, once the own session has begun."""

    async def obtain(self, identity: bytes) -> int | None:
        """Claim a call; wait while another session or caller has it; see ``CallClaims``."""
        try:
            if await self._take(identity):
                return None
            return await self._wait(identity)
        except DatabaseFault as fault:
            raise store_error(fault, self._place) from fault

    async def _wait(self, identity: bytes) -> int:
        found = await self._connection.fetch(_MAKER, identity)
        maker: int = found[0][0] if found else 0
        self.waiting[maker] += 1
        began = monotonic()
        try:
            while True:
                waited = monotonic() - began
                await asyncio.sleep(min(_LATEST, max(_SOONEST, waited / 3)))
                if await self._take(identity):
                    return maker
        finally:
            self.waiting[maker] -= 1

    async def wait_for_others(self) -> None:
        """Return at once: rows of a table are seen by all."""

    async def _take(self, identity: bytes) -> bool:
        """Claim a call together with all others of this turn of the loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[bool] = loop.create_future()
        if not self._wanted:
            loop.call_soon(self._begin)
        self._wanted.append((identity, future))
        return await future

    def _begin(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._take_all())

    async def _take_all(self) -> None:
        own = self._sessions.own
        assert own is not None
        try:
            while wanted := self._wanted:
                self._wanted = []
                # In one order, so that two processes never wait for each other in a circle.
                identities = sorted({identity for identity, _ in wanted})
                work = asyncio.ensure_future(self._connection.fetch(_CLAIM, identities, own.id))
                await asyncio.wait([work])
                self._answer(wanted, work)
        finally:
            self._task = None

    def _answer(
        self,
        wanted: Sequence[tuple[bytes, "asyncio.Future[bool]"]],
        done: "asyncio.Future[list[tuple[bytes]]]",
    ) -> None:
        """Resolve the futures; the first caller of a call has it."""
        error = None if done.cancelled() else done.exception()
        free = set() if error or done.cancelled() else {row[0] for row in done.result()}
        with self._changing:
            self._own.update(free)
        for identity, future in wanted:
            if future.done():  # cancelled: the claim goes to the next caller, or is given up
                continue
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(identity in free)
                free.discard(identity)
        for identity in free:
            self.free(identity)

    def free(self, identity: bytes) -> None:
        """Free a claim; may be called in any thread."""
        own, writer = self._sessions.own, self._writer
        if own is None or writer is None or not self._drop(identity):
            return  # its reply is written, and that freed it
        writer.do(lambda connection: connection.execute(_FREE, (identity, own.id)), small=True)

    def forget(self, identities: Iterable[bytes]) -> None:
        """Forget claims whose rows are deleted; may be called in any thread."""
        for identity in identities:
            self._drop(identity)

    def _drop(self, identity: bytes) -> bool:
        """Count one claim less; return whether there was one."""
        with self._changing:
            count = self._own.pop(identity, 0)
            if count > 1:
                self._own[identity] = count - 1
        return count > 0

    def close(self) -> None:
        """Free all that is left."""
        for identity in list(self._own):
            self.free(identity)
