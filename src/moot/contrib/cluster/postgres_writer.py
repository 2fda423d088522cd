"""The writer of a store in PostgreSQL: one statement for a group of replies or debates."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from moot.contrib.cluster.postgres_link import STORE_LOCK, PostgresConnection
from moot.core.errors import DamagedError
from moot.ledger.batch import Record, Save, WriteOutcome, WrittenReplies
from moot.ledger.sessions import Sessions
from moot.ledger.stored_records import decode_reply
from moot.ledger.writer import Writer

REPLY_COLUMNS = {
    "identity": "bytea",
    "run": "bigint",
    "created": "float8",
    "model": "text",
    "replicate": "bigint",
    "seat": "bigint",
    "repeat": "bigint",
    "prompt_tokens": "bigint",
    "completion_tokens": "bigint",
    "cost": "float8",
    "digest": "bigint",
    "lease": "bigint",
    "request": "bytea",
    "reply": "bytea",
}
_DEBATE = {
    "run": "bigint",
    "arm": "text",
    "dataset": "text",
    "question": "text",
    "replicate": "bigint",
    "failed": "integer",
    "metrics": "bytea",
    "transcript": "bytea",
    "values_digest": "bigint",
    "transcript_digest": "bigint",
    "made_by": "bytea",
    "measured_by": "bytea",
}
_LEASE = [*REPLY_COLUMNS].index("lease")
_KEY = tuple(_DEBATE)[:5]


def _insert(table: str, columns: dict[str, str], source: str = "") -> str:
    arrays = ", ".join(f"${number}::{kind}[]" for number, kind in enumerate(columns.values(), 1))
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "  # noqa: S608  own text only
        f"SELECT rows.* FROM {source} unnest({arrays}) AS rows ({', '.join(columns)}) "
    )


# The claims end with the same commit.
_FREE = "freed AS (DELETE FROM claims WHERE identity = ANY($1::bytea[])) "
INSERT_REPLIES = (
    f"WITH {_FREE}"
    + _insert("replies", REPLY_COLUMNS)
    + "ON CONFLICT (identity) DO NOTHING RETURNING id, identity"
)
# What a lease pays for: a grant takes the same lock alone. So when it counts the replies up to the
# newest, none with a lower number is still to be committed: numbers are given under the lock.
_INSERT_LEASED = (
    f"WITH lock AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared({STORE_LOCK})), {_FREE}"
    + _insert("replies", REPLY_COLUMNS, "lock,")
    + "ON CONFLICT (identity) DO NOTHING RETURNING id, identity"
)
# Not of a run that this session has begun and another has taken over.
_IS_OWN = (
    "WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = rows.run "  # noqa: S608  own text only
    f"AND id = ANY(${len(_DEBATE) + 1}) AND session <> ${len(_DEBATE) + 2}) "
)
_INSERT_DEBATES = _insert("debates", _DEBATE) + (
    f"{_IS_OWN}ON CONFLICT ({', '.join(_KEY)}) DO UPDATE SET id = EXCLUDED.id, "
    + ", ".join(f"{column} = EXCLUDED.{column}" for column in _DEBATE if column not in _KEY)
    + " RETURNING id"
)
_STORED = "SELECT identity, run, reply, digest FROM replies WHERE identity = ANY($1::bytea[])"


class PostgresWriter(Writer):
    """The thread that writes to a database; see ``Writer``.

    Args:
        connection: the connection to the database; used in the thread alone.
        place: its address without a password.
        patience: as of ``Writer``.

    Attributes:
        on_freed: called in the thread with the calls whose claims have ended.
        sessions: the sessions of the store; they know which runs its own has begun.
    """

    def __init__(self, connection: PostgresConnection, place: str, patience: float = 30.0) -> None:
        self._database = connection
        self.on_freed: Callable[[Iterable[bytes]], None] = lambda _: None
        self.sessions: Sessions | None = None
        super().__init__(connection, place, patience)
        # Connect again at once, also where nothing is to be written: the session is locked by it.
        connection.on_lost = lambda: self.do(lambda writing: writing.execute("SELECT 1"))

    def warm_up(self) -> None:
        """Have the driver ask about the types of a group of replies, before the first comes."""
        none: list[Any] = []
        self.do(lambda _: self._fetch(INSERT_REPLIES, *[none] * len(REPLY_COLUMNS)), small=True)

    def _insert_replies(self, records: Sequence[Record]) -> WrittenReplies:
        # In one order, so that two processes never wait for each other in a circle.
        first = {record.row[0]: record.row for record in reversed(records)}
        rows = [_clean(first[identity]) for identity in sorted(first)]
        leased = any(row[_LEASE] is not None for row in rows)
        insert = _INSERT_LEASED if leased else INSERT_REPLIES
        new = {row[1]: row[0] for row in self._fetch(insert, *zip(*rows, strict=True))}
        self.on_freed(first)
        newest = max(new.values(), default=None)
        stored = dict[bytes, tuple[Any, ...]]()
        if len(new) < len(records):
            again = [record.row[0] for record in records]
            stored = {row[0]: tuple(row)[1:] for row in self._fetch(_STORED, again)}
        outcomes = list[WriteOutcome]()
        for record in records:
            identity = record.row[0]
            if new.pop(identity, None) is not None:
                outcomes.append(record.reply)
            else:
                outcomes.append(_read(identity, stored.get(identity, (None, None, None))))
        return WrittenReplies(outcomes, newest)

    def _insert_debates(self, saves: Sequence[Save]) -> int:
        rows = {save.row[:5]: save.row for save in saves}  # a statement changes a row once
        columns = zip(*(_clean(rows[key]) for key in sorted(rows)), strict=True)
        sessions = self.sessions
        own, began = (None, []) if sessions is None else (sessions.own, [*sessions.runs])
        number = 0 if own is None else own.id
        written = self._fetch(_INSERT_DEBATES, *columns, began, number)
        if len(written) < len(rows):
            self.trouble = self.patience.halt_error
        return max((row[0] for row in written), default=0)

    def _fetch(self, statement: str, *values: Any) -> list[Any]:  # noqa: ANN401  of any type
        link = self._database.link
        assert link is not None
        return link.run(self._database.fetch(statement, *values))


def _clean(row: Sequence[Any]) -> list[Any]:
    """Return a row without the character NUL in texts, which the server does not take."""
    return [each.replace("\0", "\ufffd") if type(each) is str else each for each in row]


def _read(identity: bytes, row: tuple[Any, ...]) -> WriteOutcome:
    """Return the reply that another process has stored first, or why it cannot be read."""
    try:
        return decode_reply(identity, row)
    except DamagedError as error:
        return error
