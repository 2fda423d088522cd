"""Claims of calls in PostgreSQL: rows of a table that a crash of the server empties.

All calls of one turn of the event loop are looked up and claimed by one statement, the function
``claim`` of the schema. A row of a session that has ended is taken over by the next that wants the
call.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from threading import Lock
from time import monotonic
from typing import Any

from moot import Reply, StoreError
from moot.contrib.cluster.postgres_link import CallerConnections, ServerConnection
from moot.extend.stores import DatabaseFault, store_error
from moot.ledger.database import Do
from moot.ledger.lookup import Lookup
from moot.ledger.sessions import Sessions

_CLAIM = "SELECT * FROM claim($1, $2)"
_FREE = "DELETE FROM claims WHERE identity = ? AND session = ?"
_FREE_ALL = "DELETE FROM claims WHERE identity = ANY($1::bytea[]) AND session = $2"
_MAKER = "SELECT session FROM claims WHERE identity = $1"
_SOONEST, _LATEST = 0.005, 1.0
_Row = tuple[Any, ...]
_ClaimResult = tuple[bool, _Row | None]
"""Of a call: whether it was claimed, and its recorded reply; neither where another makes it."""


class PostgresClaims:
    """The claims of a store's own session; see ``CallClaims``.

    Args:
        sessions: the sessions of the store; its own has begun before the first claim.
        connection: the connections for claims and look-ups.
        lookup: reads recorded replies.
        place: the address without a password.

    Attributes:
        do: the queue of the thread that writes; None where the store is only read.
    """

    others_known = True

    def __init__(
        self, sessions: Sessions, connection: CallerConnections, lookup: Lookup, place: str
    ) -> None:
        self._sessions, self._connection, self._place = sessions, connection, place
        self._lookup = lookup
        self.do: Do | None = None
        self.waiting: Counter[int] = Counter()
        self.shared: Counter[int] = Counter()
        self._wanted: list[tuple[bytes, asyncio.Future[_ClaimResult]]] = []
        self._asked: list[bytes] = []
        """The calls of the statement that is under way."""
        connection.on_made_again = self._free_unknown
        # A row may be deleted, and claimed again, before the writer says that it was deleted: so
        # claims are counted, and the second one is not forgotten with the first.
        self._own: Counter[bytes] = Counter()
        self._changing = Lock()
        self._task: asyncio.Task[None] | None = None

    def begin(self, own: object) -> None:
        """Begin, once the own session has begun."""

    async def obtain(self, identity: bytes) -> Reply | None:
        """Return the recorded reply of a call, or claim the call; see ``CallClaims``."""
        try:
            is_claimed, row = await self._ask(identity)
            if not is_claimed and row is None:
                row = await self._wait(identity)
        except DatabaseFault as fault:
            raise store_error(fault, self._place) from fault
        return None if row is None else self._lookup.read(identity, row)

    async def _wait(self, identity: bytes) -> _Row | None:
        """Wait for the session that makes a call; return the reply, or claim the call."""
        while not (found := await self._connection.fetch(_MAKER, identity)):
            # It has ended the call before this one began to wait.
            is_claimed, row = await self._ask(identity)
            if is_claimed or row is not None:
                return row
        maker: int = found[0][0]
        self.waiting[maker] += 1
        began = monotonic()
        try:
            while True:
                waited = monotonic() - began
                await asyncio.sleep(min(_LATEST, max(_SOONEST, waited / 3)))
                is_claimed, row = await self._ask(identity)
                if row is not None:
                    self.shared[maker] += 1
                if is_claimed or row is not None:
                    return row
        finally:
            self.waiting[maker] -= 1

    async def wait_for_others(self) -> None:
        """Return at once: rows of a table are seen by all."""

    async def _ask(self, identity: bytes) -> _ClaimResult:
        """Look up and claim a call together with all others of this turn of the loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_ClaimResult] = loop.create_future()
        self._wanted.append((identity, future))
        if self._task is None or self._task.done():  # its loop may have ended before it began
            self._task = loop.create_task(self._ask_all())
        return await future

    async def _ask_all(self) -> None:
        """Ask for all that is wanted; then for all that was wanted meanwhile, and so on."""
        own = self._sessions.own
        assert own is not None
        try:
            while wanted := self._wanted:
                self._wanted = []
                # In one order, so that two processes never wait for each other in a circle.
                self._asked = sorted({identity for identity, _ in wanted})
                try:
                    rows = await self._connection.fetch(_CLAIM, b"".join(self._asked), own.id)
                except BaseException as error:
                    self._fail(wanted, error)
                    if not isinstance(error, Exception):
                        raise
                else:
                    self._answer(wanted, rows)
        finally:
            self._task = None

    async def _free_unknown(self, connection: ServerConnection) -> None:
        """Free what a statement has claimed whose result was lost with its connection."""
        unknown = [identity for identity in self._asked if identity not in self._own]
        if unknown and (own := self._sessions.own) is not None:
            await connection.execute(_FREE_ALL, unknown, own.id)

    def _fail(
        self,
        wanted: Sequence[tuple[bytes, "asyncio.Future[_ClaimResult]"]],
        error: BaseException,
    ) -> None:
        """Give an error to all that wait; without this they would never end."""
        for _, future in wanted:
            if isinstance(error, Exception) and not future.done():
                future.set_exception(error)
            else:
                future.cancel()

    def _answer(
        self,
        wanted: Sequence[tuple[bytes, "asyncio.Future[_ClaimResult]"]],
        rows: Sequence[Sequence[Any]],
    ) -> None:
        """Resolve the futures; the first caller of a call has it."""
        claimed = {row[0] for row in rows if row[2] is None}
        found = {row[0]: tuple(row)[1:] for row in rows if row[2] is not None}
        with self._changing:
            self._own.update(claimed)
        for identity, future in wanted:
            if future.done():  # cancelled: the claim goes to the next caller, or is given up
                continue
            row = found.get(identity)
            future.set_result((row is None and identity in claimed, row))
            if row is None:
                claimed.discard(identity)
        for identity in claimed:
            self.free(identity)

    def free(self, identity: bytes) -> None:
        """Free a claim; may be called in any thread."""
        own, do = self._sessions.own, self.do
        if own is None or do is None or not self._drop(identity):
            return  # its reply is written, and that freed it
        with suppress(StoreError):  # closed: a claim ends with its session
            do(lambda connection: connection.execute(_FREE, (identity, own.id)), small=True)

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
