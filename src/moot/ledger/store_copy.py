"""Copy runs from one store to another: a page of records at a time, each read back and compared.

What is in the other store already stays as it is. So a copy that was stopped at any point is
finished by copying again, and a second copy adds nothing.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from moot.core.calls import Reply
from moot.core.errors import StoreError
from moot.core.stored import RunRow, describe_transcript
from moot.ledger.database import Record, Save
from moot.ledger.parts import StorePart, add_rows, list_tables, read_rows, store_parts
from moot.ledger.reader import DebateKey
from moot.ledger.storage import StoreConnection, transaction
from moot.ledger.store import Store
from moot.ledger.stored_records import DEBATE_KEY, check_content, decode_reply, reply_digest

_PAGE = 128
"""Replies that are copied at a time; half as many debates."""
_REPLY = (
    "identity, run, created, model, replicate, seat, repeat, prompt_tokens, completion_tokens, "
    "cost, digest, request, reply"
)
_KEY = ", ".join(DEBATE_KEY)
_DEBATE = (
    f"{_KEY}, failed, metrics, values_digest, transcript, transcript_digest, made_by, measured_by"
)
_ORIGIN = "SELECT created, taken, study FROM runs WHERE id = ?"
_LEASE = "began, ended, calls, tokens, cost, flying, lost_calls, lost_tokens, lost_cost"


class CopyCount(msgspec.Struct):
    """What was copied of a run, so far.

    Attributes:
        run: the key of the run; empty for the replies that no run has paid.
        debates: the debates that are the same in both stores now.
        replies: the replies that are the same in both stores now.
        new_debates: those of the debates that the other store did not have.
        new_replies: those of the replies that the other store did not have.
        unlike_debates: debates of the same key that the other store had before, with another
            content. It keeps its own.
        unlike_replies: replies to the same calls that the other store had before. It keeps its own.
    """

    run: str
    debates: int = 0
    replies: int = 0
    new_debates: int = 0
    new_replies: int = 0
    unlike_debates: int = 0
    unlike_replies: int = 0

    @property
    def unlike(self) -> int:
        """The records that differ."""
        return self.unlike_debates + self.unlike_replies


class _ReplyRow(NamedTuple):
    """A row of ``replies``, without its number and its lease."""

    identity: bytes
    run: int | None
    created: float
    model: str
    replicate: int
    seat: int
    repeat: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    digest: int | None
    request: bytes
    encoded: bytes

    def decode(self) -> Reply:
        """Return the reply. Raises ``DamagedError`` if it is not what was written."""
        stored = self.run, self.encoded, self.digest
        return decode_reply(self.identity, stored, f"the reply {self.identity.hex()}")

    def is_same(self, other: "_ReplyRow") -> bool:
        """Return whether all columns are equal, dates and prices too; see ``_clean_name``."""
        return self._replace(model="") == other._replace(model="") and (
            _clean_name(self.model) == _clean_name(other.model)
        )


class _DebateRow(NamedTuple):
    """A row of ``debates``, without its number and its run."""

    arm: str
    dataset: str
    question: str
    replicate: int
    failed: int
    metrics: bytes
    values_digest: int | None
    transcript: bytes
    transcript_digest: int | None
    made_by: bytes | None
    measured_by: bytes | None

    def decode(self) -> tuple[bytes, bytes]:
        """Return values and transcript, as JSON. Raises ``DamagedError`` if they are damaged."""
        what = describe_transcript(*self[:4])
        values = check_content(self.metrics, self.values_digest, f"the values of {what}")
        return values, check_content(self.transcript, self.transcript_digest, what)


class _CalledEvent(msgspec.Struct):
    call: str = ""


class _CalledTranscript(msgspec.Struct):
    events: tuple[_CalledEvent, ...] = ()


_decode_calls = msgspec.json.Decoder(_CalledTranscript).decode


class StoreCopy:
    """A copy of runs from one store to another.

    Args:
        source: the store to read.
        target: the store to write.
        report: called with the counts of the run that is being copied, after each page.
    """

    def __init__(self, source: Store, target: Store, report: Callable[[CopyCount], None]) -> None:
        self._source, self._target, self._report = source, target, report
        self._numbers: dict[int | None, int | None] = {None: None}
        """The numbers of runs in ``target``, by those in ``source``; None where it has no such."""

    async def copy(self, runs: Sequence[str] = ()) -> list[CopyCount]:
        """Copy runs with all that a replay needs; return the counts of each.

        Args:
            runs: keys, their beginnings, or names. Without any the whole store is copied, with the
                replies that no run has paid.

        Raises:
            RunBusy: another process is running one of them in ``target``.
            StoreError: a store cannot be read or written, or a record is not what was written.
        """
        list_tables()  # a part that cannot be loaded is an error before anything is copied
        source = self._source
        found = [source.find_run(run) for run in runs] or source.runs()
        rows = sorted({row.id: row for row in found}.values(), key=lambda row: row.id)
        counts = [await self._copy_run(row, alone=bool(runs)) for row in rows]
        if not runs:
            counts.append(CopyCount(""))
            await self._copy_replies(counts[-1], "run IS NULL")
        return counts

    async def _copy_run(self, row: RunRow, *, alone: bool) -> CopyCount:
        count, target = CopyCount(row.key), self._target
        self._report(count)
        run = target.begin_run(row.key, row.name, row.study).id
        self._numbers[row.id] = run
        origin = self._source.query(_ORIGIN, row.id)
        ((created, taken, *_),) = origin
        await target.change(partial(_set_origin, run=run, created=created, taken=taken))
        await self._copy_replies(count, "run = ?", row.id)
        for page in self._pages("debates", _DEBATE, "run = ?", row.id, size=_PAGE // 2):
            await self._copy_debates(count, run, [_DebateRow(*each) for each in page], alone=alone)
        await self._copy_rest(row.id, run)
        if [each[::2] for each in target.query(_ORIGIN, run)] != [each[::2] for each in origin]:
            raise StoreError(f"run {row.key}: its date or its study is not what was copied")
        target.set_status(run, "stopped" if row.status == "running" else row.status)
        return count

    def _pages(
        self, table: str, columns: str, where: str, *values: object, size: int = _PAGE
    ) -> Iterator[list[tuple[Any, ...]]]:
        """Yield rows of ``source`` in the order of their numbers, a page at a time."""
        query = f"SELECT id, {columns} FROM {table} WHERE {where} AND id > ? ORDER BY id LIMIT ?"  # noqa: S608  own
        last = 0
        while page := self._source.query(query, *values, last, size):
            last = page[-1][0]
            yield [row[1:] for row in page]

    # Replies

    async def _copy_replies(self, count: CopyCount, where: str, *values: object) -> None:
        for page in self._pages("replies", _REPLY, where, *values):
            await self._copy_page(count, {row[0]: _ReplyRow(*row) for row in page})

    async def _copy_called(self, count: CopyCount, transcripts: Collection[bytes]) -> None:
        """Copy the replies in debates that another run has paid, or none."""
        events = [event for each in transcripts for event in _decode_calls(each).events]
        called = {bytes.fromhex(event.call) for event in events if event.call}
        missing = sorted(called.difference(_find_replies(self._target, called)))
        for start in range(0, len(missing), _PAGE):
            page = _find_replies(self._source, missing[start : start + _PAGE])
            await self._copy_page(count, page)

    async def _copy_page(self, count: CopyCount, page: dict[bytes, _ReplyRow]) -> None:
        """Copy replies by identity, read them back and compare."""
        wanted = {key: row.decode() for key, row in page.items()}
        there = _find_replies(self._target, page)
        new = [self._translate(row) for key, row in page.items() if key not in there]
        loop, write = asyncio.get_running_loop(), self._target.writer.enqueue
        writes = [loop.create_future() for _ in new]
        for row, written in zip(new, writes, strict=True):
            write(Record((*row[:11], None, *row[11:]), wanted[row[0]], written))
        await asyncio.gather(*writes)
        unpaid = [self._translate(page[key]) for key, row in there.items() if row.run is None]
        if paid := [row for row in unpaid if row.run is not None]:
            await self._target.change(partial(_set_payer, rows=paid))
        there, added = _find_replies(self._target, page), {row.identity: row for row in new}
        for key, reply in wanted.items():
            same = (
                key in there
                and there[key].decode() == reply
                and there[key].request == page[key].request
                and (key not in added or there[key].is_same(added[key]))
            )
            count.replies += same
            count.unlike_replies += not same
        count.new_replies += len(new)
        self._report(count)

    def _translate(self, row: _ReplyRow) -> _ReplyRow:
        """Return a row with the number that its run has in ``target``."""
        if row.run not in self._numbers:
            key = self._source.query("SELECT key FROM runs WHERE id = ?", row.run)[0]
            found = self._target.query("SELECT id FROM runs WHERE key = ?", *key)
            self._numbers[row.run] = found[0][0] if found else None
        run = self._numbers[row.run]
        return row._replace(run=run, digest=reply_digest(row.identity, run, row.encoded))

    # Debates

    async def _copy_debates(
        self, count: CopyCount, run: int, page: Sequence[_DebateRow], *, alone: bool
    ) -> None:
        """Copy debates, read them back and compare.

        Args:
            count: the counts to add to.
            run: the number of their run in ``target``.
            page: the debates.
            alone: whether the replies in them may be of runs that are not copied.
        """
        wanted = {_clean_key(row): (bool(row.failed), *row.decode()) for row in page}
        if alone:
            await self._copy_called(count, [content[-1] for content in wanted.values()])
        there = _find_debates(self._target, run, wanted)
        new = [
            row
            for row in page
            if (known := there.get(_clean_key(row))) is None or (known.failed and not row.failed)
        ]
        for row in new:
            saved = (run, *row[:6], row.transcript, row.values_digest, *row[8:])
            self._target.writer.enqueue(Save(saved))
        if new:
            await self._target.flush()
        there = _find_debates(self._target, run, wanted)
        for key, content in wanted.items():
            known = there.get(key)
            same = known is not None and (bool(known.failed), *known.decode()) == content
            count.debates += same
            count.unlike_debates += not same
        count.new_debates += len(new)
        self._report(count)

    # Tables of parts, batches and budgets

    async def _copy_rest(self, run: int, copied: int) -> None:
        source, target = self._source, self._target
        for part in store_parts.all():
            await self._copy_part(part, run, copied)
        await target.batches.add_copies(copied, source.batches.list_sent(run))
        await target.batches.refuse(copied, source.batches.list_refused(run))
        query = f"SELECT {_LEASE} FROM leases WHERE budget = ?"  # noqa: S608  own
        leases = source.query(f"{query} AND (ended IS NULL OR lost_calls > 0)", f"run {run}")
        await target.change(partial(_add_leases, run=copied, leases=leases))

    async def _copy_part(self, part: StorePart, run: int, copied: int) -> None:
        """Copy the rows of a part's tables that belong to a run."""
        source, target, numbers = self._source, self._target, {"runs": {run: copied}}
        for name, table in part.tables.items():
            if not source.has_table(name):
                return
            rows = read_rows(source.query, name, table, numbers.get(table.parent, {}))
            if not rows:
                continue
            await target.extend(part)
            adding = partial(add_rows, name=name, table=table, rows=rows)
            numbers[name] = await target.change(adding)
            if len(numbers[name]) < len({row[0] for row in rows}):
                raise StoreError(f"store {target.file}: a {table.kind} of another run has its key")
            target.database.note(name, max(numbers[name].values()))


def _find_replies(store: Store, identities: Collection[bytes]) -> dict[bytes, _ReplyRow]:
    """Return the replies of a store to these calls, by identity."""
    wanted, found = [*identities], dict[bytes, _ReplyRow]()
    for start in range(0, len(wanted), _PAGE):
        some = wanted[start : start + _PAGE]
        marks = ", ".join("?" * len(some))
        query = f"SELECT {_REPLY} FROM replies WHERE identity IN ({marks})"  # noqa: S608  own
        found |= {row[0]: _ReplyRow(*row) for row in store.query(query, *some)}
    return found


def _find_debates(
    store: Store, run: int, keys: Collection[DebateKey]
) -> dict[DebateKey, _DebateRow]:
    """Return the debates of a run of these keys."""
    mark = "(CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT))"
    query = (
        f"SELECT {_DEBATE} FROM debates WHERE run = ? "  # noqa: S608  own
        f"AND ({_KEY}) IN (VALUES {', '.join([mark] * len(keys))})"
    )
    rows = store.query(query, run, *(part for key in keys for part in key))
    return {_clean_key(row): _DebateRow(*row) for row in rows}


def _clean_name(text: str) -> str:
    """Return a name without the character NUL, which PostgreSQL cannot store."""
    return text.replace("\0", "\ufffd")


def _clean_key(row: Sequence[Any]) -> DebateKey:
    """Return the key of a debate with clean names."""
    arm, dataset, question = map(_clean_name, row[:3])
    return arm, dataset, question, row[3]


def _set_origin(connection: StoreConnection, run: int, created: float, taken: int) -> None:
    """Give a copied run its time, and the replicates that were taken."""
    connection.execute(
        "UPDATE runs SET created = ?, taken = CASE WHEN taken > ? THEN taken ELSE ? END "
        "WHERE id = ?",
        (created, taken, taken, run),
    )


def _set_payer(connection: StoreConnection, rows: Sequence[_ReplyRow]) -> None:
    """Record the run that paid replies which were copied before it."""
    with transaction(connection):
        connection.executemany(
            "UPDATE replies SET run = ?, digest = ? WHERE identity = ? AND run IS NULL",
            [(row.run, row.digest, row.identity) for row in rows],
        )


def _add_leases(connection: StoreConnection, run: int, leases: Sequence[tuple[Any, ...]]) -> None:
    """Copy the leases of sessions that died: calls that they had in flight count as spent.

    They become leases of this session; the next one that asks for more of the budget ends those
    that are still open, as after any death.
    """
    budget = f"run {run}"
    with transaction(connection):
        for lease in leases:
            connection.execute(
                f"INSERT INTO leases (budget, session, since, {_LEASE}) "  # noqa: S608  own
                "SELECT ?, (SELECT session FROM runs WHERE id = ?), "
                f"(SELECT COALESCE(MAX(id), 0) FROM replies), {', '.join('?' * len(lease))} "
                "WHERE NOT EXISTS (SELECT 1 FROM leases WHERE budget = ? AND began = ?)",
                (budget, run, *lease, budget, lease[0]),
            )
