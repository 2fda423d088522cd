"""A store for reading: over a connection of its own, a page at a time."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import msgspec

from moot.core.calls import Call
from moot.core.errors import DamagedError
from moot.core.stored import RunRow, describe_transcript
from moot.ledger.compression import decompress
from moot.ledger.derived import expand, expand_row
from moot.ledger.records import Records
from moot.ledger.sessions import Sessions
from moot.ledger.storage import StoreConnection, explained
from moot.ledger.store_place import StorePlace
from moot.ledger.stored_records import check_content, decode_values

DebateKey = tuple[str, str, str, int]  # arm, dataset, question, replicate: a debate of a run

HEAD = 20_000
"""The bytes that are read of a transcript that is too long to be read whole."""

_PAGE = 1_000


class RecordedProgress(NamedTuple):
    """The progress of a run.

    Attributes:
        debates: the number of recorded debates.
        newest: the greatest row number among them; 0 without any.
        replied: the time of its last paid reply, in Unix seconds; None without any.
    """

    debates: int
    newest: int
    replied: float | None


class ListedValues(msgspec.Struct, frozen=True, rename="kebab"):
    """The metrics that lists of debates are sorted and filtered by; None for no value."""

    accuracy: float | None = None
    unparsed: float | None = None
    wrong_to_right: float | None = None
    right_to_wrong: float | None = None
    cost: float | None = None
    prompt_tokens: float | None = None
    completion_tokens: float | None = None


class ListedDebate(NamedTuple):
    """A recorded debate without its transcript, and the number of its row."""

    number: int
    arm: str
    dataset: str
    question: str
    replicate: int
    failed: bool
    values: ListedValues


class RunSize(NamedTuple):
    """What changes of a run while it goes on; two equal ones mean that nothing was recorded.

    Attributes:
        status: as it is stored.
        session: the number of the session that runs it, or ran it last; 0 where it is unknown.
        debates: the number of recorded debates.
        newest: the greatest row number among them; 0 without any.
    """

    status: str
    session: int
    debates: int
    newest: int


class ListedRun(NamedTuple):
    """A run and its progress."""

    row: RunRow
    standing: RecordedProgress


_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_DEBATE = "the values of a debate of run"


class StoreReader:
    """Reads a store while others read and write it; for one thread at a time.

    Every method raises ``StoreError`` where the store cannot be read.

    Args:
        place: the store's file or address.
        connection: a connection that no other thread uses meanwhile.
        sessions: the processes that pay with this store.
        close: called at the end, to close the connection or to keep it for later.

    Attributes:
        records: reads what is not listed here.
    """

    HEAD = HEAD

    def __init__(
        self,
        place: StorePlace,
        connection: StoreConnection,
        sessions: Sessions,
        close: Callable[[], None],
    ) -> None:
        self.records = Records(place, connection, sessions)
        self.sessions, self._connection, self._close = sessions, connection, close
        self._place, self._query = place, self.records.query

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def run(self, key: str) -> RunRow | None:
        """Return the run of exactly this key, or None."""
        return next(iter(self.records.runs("WHERE key = ?", key)), None)

    def list_runs(
        self, name: str, *, other: bool, before: int | None, most: int
    ) -> list[ListedRun]:
        """Return runs, the newest first, each with its progress.

        Args:
            name: the name of their study.
            other: return the runs of all other studies instead.
            before: return only runs with a lower id.
            most: return at most so many.
        """
        where = f"WHERE (name = ?) != ? {'' if before is None else 'AND id < ?'} "
        values = (name, other, *(() if before is None else (before,)))
        found = self.records.runs(where, *values, limit=most)
        return [ListedRun(row, self.progress(row.id)) for row in found]

    def run_sizes(self) -> dict[int, RunSize]:
        """Return the size of every run, by its number."""
        counts = "SELECT run, COUNT(*), MAX(id) FROM debates GROUP BY run"
        held = {run: (debates, newest) for run, debates, newest in self._query(counts)}
        rows = self._query("SELECT id, status, COALESCE(session, 0) FROM runs")
        return {
            run: RunSize(status, session, *held.get(run, (0, 0))) for run, status, session in rows
        }

    def runs_of(self, numbers: Sequence[int]) -> list[RunRow]:
        """Return the runs of these numbers, the newest first; at most a thousand."""
        marks = ", ".join("?" * len(numbers))
        return self.records.runs(f"WHERE id IN ({marks})", *numbers) if numbers else []

    def sum_paid(self, numbers: Sequence[int]) -> dict[int, float | None]:
        """Return the US dollars that each of these runs has paid; None where a price is unknown.

        Runs that have paid for no reply are left out.
        """
        marks = ", ".join("?" * len(numbers))
        query = (
            "SELECT run, SUM(cost), COUNT(*) - COUNT(cost) FROM replies "  # noqa: S608  own
            f"WHERE run IN ({marks}) GROUP BY run"
        )
        found = self._query(query, *numbers) if numbers else []
        return {run: None if unknown else cost for run, cost, unknown in found}

    def newest_transcripts(self, numbers: Sequence[int], *, most: int) -> dict[int, bytes]:
        """Return the newest transcript of each of these runs, as JSON; see ``transcripts``."""
        marks = ", ".join("?" * len(numbers))
        query = f"SELECT run, MAX(id) FROM debates WHERE run IN ({marks}) GROUP BY run"  # noqa: S608  own
        runs = {row: run for run, row in self._query(query, *numbers)} if numbers else {}
        texts = self.transcripts(list(runs), most=most) if runs else {}
        return {runs[row]: text for row, text in texts.items()}

    def first_call(self, run: int) -> Call | None:
        """Return the first call that a run paid for; None without any."""
        query = "SELECT identity FROM replies WHERE run = ? ORDER BY id LIMIT 1"
        return next(
            (self.records.request(identity) for (identity,) in self._query(query, run)), None
        )

    def progress(self, run: int) -> RecordedProgress:
        """Return the progress of a run, in a few milliseconds for 100,000 debates."""
        counts = "SELECT COUNT(*), COALESCE(MAX(id), 0) FROM debates WHERE run = ?"
        reply = "SELECT created FROM replies WHERE run = ? ORDER BY id DESC LIMIT 1"
        ((debates, newest),), replied = self._query(counts, run), self._query(reply, run)
        return RecordedProgress(debates, newest, replied[0][0] if replied else None)

    def count_failures(self, run: int, newest: int) -> int:
        """Return the number of failed debates of a run among those after the row of this number."""
        # The plus keeps SQLite from the index of the run, which has all its earlier debates.
        query = "SELECT COALESCE(SUM(failed), 0) FROM debates WHERE id > ? AND +run = ?"
        return int(self._query(query, newest, run)[0][0])

    def list_debates(self, run: int) -> Iterator[ListedDebate]:
        """Yield every debate of a run, without its transcript."""
        with explained(self._place):
            for row in self.records.pages(run, more=", id", size=_PAGE):
                yield _make_row(run, row)

    def transcripts(self, numbers: Sequence[int], *, most: int) -> dict[int, bytes]:
        """Return the transcripts in these rows, as JSON; above ``most`` bytes the beginning."""
        marks = ", ".join("?" * len(numbers))
        query = (
            f"SELECT id, CASE WHEN LENGTH(transcript) <= ? THEN transcript "  # noqa: S608  own
            f"ELSE SUBSTR(transcript, 1, {HEAD}) END, "
            f"transcript_digest, LENGTH(transcript) <= ? FROM debates WHERE id IN ({marks})"
        )
        texts = dict[int, bytes]()
        with explained(self._place):
            for number, found, digest, whole in self._connection.execute(
                query, (most, most, *numbers)
            ):
                what = f"the transcript of debate {number}"
                if whole:
                    text = check_content(found, digest, what)
                    text = expand_row(text, self._query, number)
                else:
                    text = check_content(found, None, what, HEAD)
                texts[number] = text if len(text) <= most else text[:HEAD]
        return texts

    def transcript(self, run: int, key: DebateKey) -> bytes | None:
        """Return the transcript of a debate, as JSON, or None."""
        query = (
            "SELECT transcript, transcript_digest FROM debates WHERE run = ? AND arm = ? "
            "AND dataset = ? AND question = ? AND replicate = ?"
        )
        with explained(self._place):
            found = self._connection.execute(query, (run, *key)).fetchone()
            if not found:
                return None
            text = check_content(found[0], found[1], describe_transcript(*key))
            return expand(text, self._query, (run, *key))

    def find_words(self, numbers: Sequence[int], words: Sequence[str]) -> set[int]:
        """Return those of these rows whose transcripts may have the words, in this order.

        The words are searched in the JSON, so they may also be in another part of it. Upper and
        lower case are equal, and a letter beyond ASCII matches any.
        """
        marks = ", ".join("?" * len(numbers))
        query = f"SELECT id, transcript FROM debates WHERE id IN ({marks})"  # noqa: S608  own
        parts = [part for word in words for part in _split_word(word)]
        rows = self._query(query, *numbers)
        return {number for number, found in rows if self._has_parts(number, found, parts)}

    def _has_parts(self, number: int, stored: bytes, parts: Sequence[bytes]) -> bool:
        """Return whether a stored transcript has these parts, one after the other."""
        try:
            content, at = decompress(stored, "a transcript"), 0
            content = expand_row(content, self._query, number).lower()
        except (DamagedError, TypeError):  # lists without a search report it
            return False
        for part in parts:
            at = content.find(part, at)
            if at < 0:
                return False
            at += len(part)
        return True


def _make_row(run: int, row: tuple[Any, ...]) -> ListedDebate:
    arm, dataset, question, replicate, failed, metrics, digest, number = row
    what = f"{_DEBATE} {run} (row {number})"
    found = msgspec.convert(dict(decode_values(metrics, digest, what)), ListedValues)
    return ListedDebate(number, arm, dataset, question, replicate, bool(failed), found)


def _split_word(word: str) -> list[bytes]:
    """Return the parts of a word in JSON between letters beyond ASCII, in lower case."""
    inside = msgspec.json.encode(word).lower()[1:-1]
    return [part for part in _BEYOND_ASCII.split(inside) if part]
