"""The port of a store's database: it reads, writes, claims and waits, and names the living.

A folder has SQLite. The database of an address joins by an entry point in ``moot.databases``, which
has the scheme of the address as its name.
"""

from asyncio import Future
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future as Promise
from typing import Any, Protocol

import msgspec

from moot.core.calls import Reply
from moot.core.errors import DamagedError, StoreError
from moot.core.registry import Registry
from moot.core.stored import Session
from moot.ledger.lookup import Lookup, TakeRows
from moot.ledger.reader import StoreReader
from moot.ledger.sessions import Sessions
from moot.ledger.storage import StoreConnection
from moot.ledger.store_place import StorePlace
from moot.ledger.stored_records import decode_reply

WriteOutcome = Reply | StoreError


class Record(msgspec.Struct, frozen=True, eq=False):
    """A reply to write.

    Attributes:
        row: identity, run, time, model, draw, tokens, cost, digest, lease, request and reply.
        reply: the same reply, decoded.
        future: gets the reply that is stored then.
    """

    row: tuple[Any, ...]
    reply: Reply
    future: "Future[Reply]"

    def read(self, stored: tuple[Any, ...], what: str = "a reply") -> WriteOutcome:
        """Return the reply that another process has stored first, or why it cannot be read."""
        try:
            return decode_reply(self.row[0], stored, what)
        except DamagedError as error:
            return error


class Save(msgspec.Struct, frozen=True, eq=False):
    """A debate to write, in place of that of the same key; no task waits for it.

    Attributes:
        row: run, arm, dataset, question, replicate, whether it failed, the values and the
            transcript as they are stored, their digests, and the seals of the transcript and of the
            values.
    """

    row: tuple[Any, ...]


class Do(Protocol):
    """The queue of the thread that writes; see ``Writer.do``."""

    def __call__(
        self, work: Callable[[StoreConnection], Any], *, small: bool = False
    ) -> "Promise[Any]":
        """Queue work for the thread; return the promise of its result."""


class CallClaims(Protocol):
    """The claims of a store's own session.

    Attributes:
        waiting: the number of calls that wait now, by the session that makes them; 0 for unknown.
        shared: the number of replies from other sessions after waiting, by session.
        others_known: whether all other sessions show their claims.
    """

    waiting: Counter[int]
    shared: Counter[int]
    others_known: bool

    def begin(self, own: Session) -> None:
        """Begin, once the own session has begun; called in the thread that writes."""

    async def obtain(self, identity: bytes) -> Reply | None:
        """Return the recorded reply of a call; or claim the call, and return None.

        This waits while another session, or another caller of this one, has the claim.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read or written.
        """

    def free(self, identity: bytes) -> None:
        """Free a claim; may be called in any thread."""

    async def wait_for_others(self) -> None:
        """Wait until every other live session shows which calls it makes."""


class Database(Protocol):
    """The database of one open store.

    Errors of connections are those of ``storage.DATABASE_ERRORS``.

    Attributes:
        most: the most entries in one commit.
        sessions: the processes that pay with the store.
        lookup: finds recorded replies.
    """

    most: int
    sessions: Sessions
    lookup: Lookup

    @property
    def place(self) -> StorePlace:
        """The file, or the address without a password; for messages."""

    @property
    def reader(self) -> StoreConnection:
        """The connection that reads in the thread of the caller."""

    @property
    def writer(self) -> StoreConnection | None:
        """The connection of the thread that writes; None where the store is only read."""

    @property
    def claims(self) -> CallClaims:
        """Claims of calls, so that only one of several sessions makes a call."""

    def look_up(self, identities: Sequence[bytes], take: TakeRows) -> None:
        """Query the replies to these calls; ``take`` gets what returns their rows, or raises."""

    def open_reader(self) -> StoreReader:
        """Return a reader with a connection of its own, for use in another thread.

        Raises:
            StoreError: the store cannot be read.
        """

    def has_table(self, table: str) -> bool:
        """Return whether the store has a table of this name."""

    def translate(self, statement: str) -> str:
        """Return a statement that makes a table, from SQLite's types to those of the database."""

    def close(self, stop: Callable[[], None]) -> None:
        """End the session and close all connections but ``reader``.

        Args:
            stop: waits until all that is queued is written, and ends the thread that writes.
        """

    # In the thread that writes

    def attach(self, do: Do, stop: Callable[[StoreError], None]) -> None:
        """Take the queue of the thread before it starts, and what lets no more calls be made."""

    def insert_replies(self, records: Sequence[Record]) -> list[WriteOutcome]:
        """Write replies in one transaction.

        Returns:
            For each the reply that is stored then, or why it cannot be read.
        """

    def insert_debates(self, saves: Sequence[Save]) -> StoreError | None:
        """Write debates in one transaction; return why some are not to be written, or None."""

    def note(self, table: str, newest: int) -> None:
        """Note that the rows of a table up to this number are durable."""

    def fold(self) -> None:
        """Fold the write-ahead log into the tables, as closing does."""

    def check(self, *, last: bool) -> StoreError | None:
        """Return why the store can be used no more; looked at about once a second, and at last."""

    def end_writing(self) -> None:
        """Close the connection that writes."""


OpenDatabase = Callable[[str, bool, float], Database]
"""Opens the database of an address: whether it is only read, seconds of patience."""

databases = Registry[OpenDatabase]("database", "", group="moot.databases")
