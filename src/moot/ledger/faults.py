"""Faults of records: what is wrong with one, and the corrected record where there is one."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from moot.core.calls import Draw, Message, Reply, Sampling
from moot.core.calls import identity as identity_of
from moot.core.errors import DamagedError
from moot.core.questions import WITHHELD
from moot.core.stored import StudyRow, decode_record, decode_transcript
from moot.ledger import parts
from moot.ledger.derived import expand
from moot.ledger.storage import Query
from moot.ledger.stored_records import (
    CHANGED,
    check_content,
    check_key,
    decode_run,
    decode_values,
    reply_digest,
)

CheckedRow = dict[str, Any]
"""A row by the names of its columns; the values of a damaged row may be of any type."""

_request = msgspec.json.Decoder(tuple[str, tuple[Message, ...], Sampling]).decode
_reply = msgspec.json.Decoder(Reply).decode
_study = msgspec.json.Decoder(StudyRow).decode
_withheld = WITHHELD.encode()


class Fault(NamedTuple):
    """A fault of a record.

    Attributes:
        why: the fault in words.
        fixed: the record, corrected from its other columns; None where that is not possible.
    """

    why: str
    fixed: CheckedRow | None = None


class KnownRecords(NamedTuple):
    """The facts of other records of a store.

    Attributes:
        runs: the numbers of all runs.
        query: reads it.
    """

    runs: frozenset[int]
    query: Query


FindFault = Callable[[CheckedRow, KnownRecords], Fault | None]


def reply_fault(row: CheckedRow, known: KnownRecords) -> Fault | None:
    """Return the fault of a reply, or None.

    The identity is the digest of request and draw. ``digest`` is that of the reply, its identity
    and its run. All other columns follow from these.
    """
    draw = Draw(row["replicate"], row["seat"], row["repeat"])
    if any(type(each) is not int for each in draw):
        draw = Draw()
    asked, lost = None, ""
    try:
        reply = decode_record(_reply, row["reply"], "the reply")
        asked = decode_record(_request, row["request"], "the request")
    except DamagedError as error:
        lost = f"its request: {error.why}"
        if error.what == "the reply" or not isinstance(row["model"], str):
            return Fault(error.why)
    follows = None if asked is None else identity_of(row["request"], draw)
    hidden = asked is not None and (not asked[1] or _withheld in row["request"])
    found = _find_identity(row, known.runs, follows, hidden=hidden)
    if found is None:
        return Fault(lost or CHANGED)
    identity, payer = found
    if not isinstance(payer, int | None):
        return Fault("the run that paid for it cannot be read")
    if asked is not None and not hidden and identity != follows:
        lost = "its request is not what was asked"
    fixed = {**row, "identity": identity, "run": payer}
    if asked is not None and not (lost and isinstance(row["model"], str)):
        fixed["model"] = asked[0]
    if lost:
        fixed["request"] = msgspec.json.encode((fixed["model"], (), Sampling()))
    fixed |= {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": reply.cost,
        "created": row["created"] if _is_time(row["created"]) else 0.0,
        **draw._asdict(),
    }
    changed = [name for name in row if not _same(fixed[name], row[name])]
    if not changed:
        return None
    return Fault(lost or f"{', '.join(changed)}: not what was written", fixed)


def _find_identity(
    row: CheckedRow, runs: frozenset[int], follows: bytes | None, *, hidden: bool
) -> tuple[bytes, Any] | None:
    """Return the identity of a reply and the run that paid; None where neither can be found.

    Args:
        row: the reply.
        runs: the numbers of all runs.
        follows: the identity that follows from its request; None where that cannot be read.
        hidden: whether the messages of its request are not stored.
    """
    stored = row["identity"]
    known = isinstance(stored, bytes) and len(stored) == 16
    if row["digest"] is None:
        sound = stored == follows or (known and (hidden or follows is None))
        return (stored, row["run"]) if sound else None
    for identity in ([stored] if known else []) + ([follows] if follows else []):
        for payer in (row["run"], None, *sorted(runs)):
            with suppress(TypeError, OverflowError):  # a run that is no number
                if reply_digest(identity, payer, row["reply"]) == row["digest"]:
                    return identity, payer
    return None


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e11


def _same(one: object, other: object) -> bool:
    """Return whether two values are equal to SQLite, where 1 and 1.0 are."""
    return one == other and isinstance(one, bytes | str) == isinstance(other, bytes | str)


def run_fault(row: CheckedRow, _: KnownRecords) -> Fault | None:
    """Return the fault of a row of the table of runs; None if it can be read.

    A wrong status becomes "stopped" and a wrong time 0, where these are the only faults.
    """
    try:
        run = decode_run(tuple(row[n] for n in ("id", "key", "name", "created", "status", "study")))
        decode_record(_study, run.study, "its study")
    except DamagedError as error:
        status = row["status"] if row["status"] in ("running", "done", "stopped") else "stopped"
        fixed = {**row, "status": status}
        fixed["created"] = row["created"] if _is_time(row["created"]) else 0.0
        return Fault(error.why, fixed if fixed != row and run_fault(fixed, _) is None else None)
    return None


def debate_fault(row: CheckedRow, known: KnownRecords) -> Fault | None:
    """Return the fault of a debate, or None. A lost debate is run again from its replies."""
    key = (row["arm"], row["dataset"], row["question"], row["replicate"])
    try:
        check_key(key, row["run"])
        decode_values(row["metrics"], row["values_digest"], "its values")
        kept = check_content(row["transcript"], row["transcript_digest"], "its transcript")
        whole = expand(kept, known.query, (row["run"], *key))
        transcript = decode_transcript(whole, "its transcript")
    except DamagedError as error:
        return Fault(f"{error.what}: {error.why}")
    if row["run"] not in known.runs:
        return Fault("its run is not there")
    if transcript.question.id != row["question"]:
        return Fault("it is of another question than its transcript")
    failed = int(transcript.failed is not None)
    if row["failed"] != failed:
        return Fault("whether it failed: not what was written", {**row, "failed": failed})
    return None


def list_tables() -> dict[str, tuple[str, FindFault]]:
    """Return the kind of record in each table, and the function that finds its fault.

    Raises:
        InputError: a part with tables cannot be loaded.
    """
    others = {
        name: (each.kind, _find_types(each.columns)) for name, each in parts.list_tables().items()
    }
    return {**_TABLES, **others}


def _find_types(columns: Mapping[str, type]) -> FindFault:
    kinds = {name: NUMBER if kind is float else kind for name, kind in columns.items()}

    def find(row: CheckedRow, _: KnownRecords) -> Fault | None:
        wrong = [name for name, kind in kinds.items() if not isinstance(row[name], kind)]
        return Fault(f"{', '.join(wrong)}: cannot be read") if wrong else None

    return find


NUMBER = (int, float)
"""The types of a float that was read: SQLite stores one without a fraction as an integer."""
_TABLES: dict[str, tuple[str, FindFault]] = {
    "runs": ("run", run_fault),
    "replies": ("reply", reply_fault),
    "debates": ("debate", debate_fault),
}
