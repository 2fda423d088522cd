"""The records of a store, as they are read: runs, debates, and sums over replies."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any

import msgspec

from moot.core.calls import Call, Draw, Message, Sampling
from moot.core.errors import DamagedError, InputError, UnknownName
from moot.core.named_values import NamedValues
from moot.core.questions import WITHHELD
from moot.core.stored import (
    DebateRow,
    DebateValues,
    PastReply,
    RunRow,
    Spent,
    decode_record,
    describe_transcript,
)
from moot.core.texts import replace_surrogates
from moot.ledger.derived import expand
from moot.ledger.sessions import Sessions
from moot.ledger.storage import StoreConnection, explained
from moot.ledger.store_place import StorePlace
from moot.ledger.stored_records import (
    ALL,
    DEBATE_KEY,
    check_content,
    check_key,
    decode_values,
    read_runs,
)

_PAGE = 64
_NEWEST = 2000
"""The newest replies of a store; ``past_replies`` reads so many."""
_decode_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode
_decode_sampling = msgspec.json.Decoder(tuple[str, msgspec.Raw, Sampling]).decode


class Records:
    """Reads the records of a store in the calling thread.

    No cursor stays open between two calls: that would keep the write-ahead log from being reused.
    An error of the database is raised as a ``StoreError`` that says what to do.

    Args:
        place: the store's file or address.
        reader: the connection that reads.
        sessions: the processes that pay with this store.
    """

    def __init__(self, place: StorePlace, reader: StoreConnection, sessions: Sessions) -> None:
        self.place, self._reader, self._sessions = place, reader, sessions

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with explained(self.place):
            return self._reader.execute(statement, values).fetchall()

    def runs(self, where: str = "", *values: object, limit: int = ALL) -> list[RunRow]:
        """Return runs, the newest first. A run whose session has died is ``stopped``.

        Args:
            where: a condition in SQL; every run without one.
            values: the values in it.
            limit: the most runs.
        """
        with explained(self.place):
            found = read_runs(self._reader, where, *values, limit=limit)
            return [self._sessions.with_true_status(row) for row in found]

    def find_run(self, prefix: str) -> RunRow:
        """Return the run of this key; else the newest of this name; else that of this prefix.

        Raises:
            InputError: several keys begin so.
            UnknownName: no key begins so.
        """
        known = self.query("SELECT id, key, name FROM runs ORDER BY id DESC")
        exact = [run for run, key, _ in known if key == prefix]
        same = [run for run, _, name in known if name == prefix]
        close = [(run, key) for run, key, _ in known if prefix and key.startswith(prefix)]
        if not exact and not same and len(close) > 1:
            keys = ", ".join(key for _, key in close)
            raise InputError(f"run {prefix!r} may be any of {keys}: write more of it")
        for run in (*exact, *same, *(run for run, _ in close)):
            return self.runs("WHERE id = ?", run)[0]
        raise UnknownName("run", prefix, {text for _, *texts in known for text in texts})

    def count_begun(self, run: int) -> int:
        """Return how many debates of the same question were begun in a run; 0 for a study's."""
        ((begun,),) = self.query("SELECT taken FROM runs WHERE id = ?", run)
        return int(begun)

    def find_debates(
        self,
        run: str,
        question: str | None = None,
        arm: str | None = None,
        *,
        one_question: bool = False,
    ) -> list[DebateRow]:
        """Return the debates of the run that ``find_run`` finds, or of a question or an arm of it.

        Args:
            run: as ``find_run`` takes it.
            question: the question's id; of all questions if not given.
            arm: the arm's name; of all arms if not given.
            one_question: whether a run of several questions needs the name of one.

        Raises:
            InputError: no debate was held yet, or a question is to be named.
            UnknownName: there is no such run, question or arm.
        """
        row = self.find_run(run)
        if question is None and one_question:
            held = sorted({each.question for each in self.values(row.id)})
            if len(held) > 1:
                some = ", ".join(held[:20]) + " …" * (len(held) > 20)
                raise InputError(f"run {row.key}: it has {len(held)} questions; name one: {some}")
        found = list(self.debates(row.id, arm=arm, question=question))
        if not found:
            values = list(self.values(row.id))
            if arm is not None and arm not in (arms := {each.arm for each in values}):
                raise UnknownName("arm", arm, arms, where=f"run {row.key}")
            if question is not None and question not in {each.question for each in values}:
                known = sorted({each.question for each in values})[:20]
                raise UnknownName("question", question, known, where=f"run {row.key}")
            raise InputError(f"run {row.key}: no debate was held yet")
        return found

    def debates(
        self,
        run: int,
        arm: str | None = None,
        question: str | None = None,
        dataset: str | None = None,
    ) -> Iterator[DebateRow]:
        """Yield the debates of a run, or of one arm, question id or dataset, in a fixed order."""
        only = {"arm": arm, "question": question, "dataset": dataset}
        with explained(self.place):
            for row in self.pages(run, only, ", transcript, transcript_digest"):
                named, dataset, about, replicate, failed, metrics, digest, transcript, checked = row
                try:
                    encoded = check_content(transcript, checked, "")
                    encoded = expand(encoded, self.query, (run, *row[:4]))
                except DamagedError as error:
                    what = f"{describe_transcript(*row[:4])} of run {run}"
                    raise DamagedError(what, error.why) from None
                yield DebateRow(
                    arm=named,
                    dataset=dataset,
                    question=about,
                    replicate=replicate,
                    run=run,
                    failed=bool(failed),
                    values=_values(run, row, metrics, digest),
                    encoded=encoded,
                )

    def values(self, run: int) -> Iterator[DebateValues]:
        """Yield the metric values of a run's debates, in the order of ``debates``."""
        with explained(self.place):
            for row in self.pages(run):
                arm, dataset, question, replicate, failed, *content = row
                found = _values(run, row, *content)
                yield DebateValues(arm, dataset, question, replicate, bool(failed), found)

    def pages(
        self,
        run: int,
        only: Mapping[str, str | None] = MappingProxyType({}),
        more: str = "",
        size: int = _PAGE,
    ) -> Iterator[tuple[Any, ...]]:
        """Yield rows of debates: their key, whether they failed, values, digest, and more columns.

        Rows are read a page at a time. A page begins after the last row of the one before. SQLite
        finds it by the index only if that comparison leaves out the first columns where they have
        a fixed value.

        Raises:
            DamagedError: the key of a debate cannot be read.
        """
        wanted = {
            column: replace_surrogates(text) for column, text in only.items() if text is not None
        }
        first = len(list(takewhile(wanted.__contains__, DEBATE_KEY)))
        after = DEBATE_KEY[first:]
        query = (
            f"SELECT {', '.join(DEBATE_KEY)}, failed, metrics, values_digest{more} "  # noqa: S608  own
            f"FROM debates "
            f"WHERE run = ? AND ({', '.join(after)}) > ({', '.join('?' * len(after))}) "
            + "".join(f"AND {column} = ? " for column in wanted)
            + f"ORDER BY {', '.join(DEBATE_KEY)} LIMIT {size}"
        )
        last: tuple[Any, ...] = ("", "", "", -1)
        execute = self._reader.execute
        while page := execute(query, (run, *last[first:], *wanted.values())).fetchall():
            for row in page:
                check_key(row[:4], run)
                yield row
            last = page[-1][:4]

    def request(self, identity: bytes) -> Call | None:
        """Return the recorded call of an identity: model, messages, sampling and draw; or None.

        Raises:
            DamagedError: the call is not what was written.
        """
        query = "SELECT request, replicate, seat, repeat FROM replies WHERE identity = ?"
        for encoded, *draw in self.query(query, identity):
            what = f"store {self.place}: the request {identity.hex()}"
            model, messages, sampling = decode_record(_decode_request, encoded, what)
            if any(type(each) is not int for each in draw):
                raise DamagedError(what, "its draw cannot be read")
            return Call(model=model, messages=messages, sampling=sampling, draw=Draw(*draw))
        return None

    def sum_spent(self, run: int) -> Spent:
        """Return the calls, tokens and US dollars that a run has paid, not those of replays.

        Tokens that an endpoint did not report are estimated, one for four bytes.
        """
        ((calls, tokens, cost, unknown),) = self.query(
            "SELECT COUNT(*), "
            "SUM(COALESCE(prompt_tokens, LENGTH(request) / 4)"
            " + COALESCE(completion_tokens, LENGTH(reply) / 4)), "
            "COALESCE(SUM(cost), 0.0), COUNT(*) - COUNT(cost) FROM replies WHERE run = ?",
            run,
        )
        return Spent(calls=calls, tokens=int(tokens or 0), cost=cost, unknown_cost_calls=unknown)

    def past_replies(self, models: Collection[str] | None = None) -> list[PastReply]:
        """Return the sizes of the newest calls, of all models or of these; not of damaged ones."""
        query = (
            "SELECT model, request, prompt_tokens, completion_tokens FROM replies "
            "ORDER BY id DESC LIMIT ?"
        )
        past = list[PastReply]()
        with explained(self.place):
            for model, request, *counts in self._reader.execute(query, (_NEWEST,)):
                if models is not None and model not in models:
                    continue
                try:
                    _, _, sampling = _decode_sampling(request)
                except (msgspec.MsgspecError, ValueError, TypeError):
                    continue
                if all(count is None or isinstance(count, int) for count in counts):
                    size = 0 if WITHHELD.encode() in request else len(request)
                    past.append(PastReply(model, sampling, size, *counts))
        return past


def _values(run: int, row: Sequence[Any], metrics: object, digest: object) -> NamedValues:
    try:
        return decode_values(metrics, digest, "")
    except DamagedError as error:
        arm, dataset, question, replicate, *_ = row
        debate = f"question {question!r} of {dataset}, arm {arm!r}, {replicate = }, run {run}"
        raise DamagedError(f"the values of {debate}", error.why) from None
