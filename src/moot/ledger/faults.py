"""Faults of records: what is wrong with one, and the corrected record where there is one."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

from moot.core.calls import Draw, Message, Reply, Sampling
from moot.core.calls import identity as identity_of
from moot.core.errors import DamagedError
from moot.core.questions import WITHHELD
from moot.core.stored import StudyRow, decode_record, decode_transcript
from moot.ledger.stored_records import (
    CHANGED,
    check_content,
    check_key,
    decode_run,
    decode_values,
    reply_digest,
)

TableRow = dict[str, Any]
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
    fixed: TableRow | None = None


FindFault = Callable[[TableRow, frozenset[int]], Fault | None]


def reply_fault(row: TableRow, runs: frozenset[int]) -> Fault | None:
    """Return the fault of a reply, or None.

    The identity is the digest of request and draw. ``digest`` is that of the reply and its run. All
    other columns follow from these.
    """
    try:
        reply = decode_record(_reply, row["reply"], "the reply")
        model, lost = _check_request(row)
    except DamagedError as error:
        return Fault(error.why)
    fixed = dict(row)
    identity = _identity(row, runs) if lost is None else row["identity"]
    if identity is None:
        return Fault(lost or CHANGED)
    fixed["identity"] = identity
    if row["digest"] is not None:
        payers = [row["run"], None, *sorted(runs)]
        payer = [each for each in payers if _digest(identity, each, row["reply"]) == row["digest"]]
        if not payer:
            return Fault(CHANGED)
        fixed["run"] = payer[0]
    elif not isinstance(row["run"], int | None):
        return Fault("the run that paid for it cannot be read")
    if lost is not None:
        fixed["request"] = msgspec.json.encode((model, (), Sampling()))
    fixed |= {
        "model": model,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": reply.cost,
        "created": row["created"] if _is_time(row["created"]) else 0.0,
    }
    draw = (row["replicate"], row["seat"], row["repeat"])
    if any(type(each) is not int for each in draw):
        fixed |= {"replicate": 0, "seat": 0, "repeat": 0}
    changed = [name for name in row if not _same(fixed[name], row[name])]
    if not changed:
        return None
    return Fault(lost or f"{', '.join(changed)}: not what was written", fixed)


def _check_request(row: TableRow) -> tuple[str, str | None]:
    """Return the model, and the fault of the request; None without a fault."""
    try:
        model, messages, _ = decode_record(_request, row["request"], "the request")
    except DamagedError as error:
        if not isinstance(row["model"], str):
            raise
        return row["model"], f"its request: {error.why}"
    secret = any(WITHHELD in message.content for message in messages)
    if secret or not messages or identity_of(row["request"], _draw(row)) == row["identity"]:
        return model, None
    if not isinstance(row["identity"], bytes) or len(row["identity"]) != 16:
        return model, None  # it follows from the request
    known = _digest(row["identity"], row["run"], row["reply"])
    if row["digest"] is not None and known == row["digest"]:
        found = row["model"] if isinstance(row["model"], str) else model
        return found, "its request is not what was asked"
    return model, None


def _draw(row: TableRow) -> Draw:
    draw = Draw(row["replicate"], row["seat"], row["repeat"])
    return draw if all(type(each) is int for each in draw) else Draw()


def _identity(row: TableRow, runs: frozenset[int]) -> bytes | None:
    """Return the identity of a reply, as stored or from its request; None if neither is right."""
    follows = identity_of(row["request"], _draw(row))
    stored: Any = row["identity"]
    if stored == follows:
        return follows
    known = isinstance(stored, bytes) and len(stored) == 16
    if row["digest"] is None:
        return stored if known and _withheld in row["request"] else None
    for each in ([stored] if known else []) + [follows]:
        if any(
            _digest(each, run, row["reply"]) == row["digest"] for run in (row["run"], None, *runs)
        ):
            return bytes(each)
    return None


def _digest(identity: bytes, run: Any, encoded: Any) -> int | None:  # noqa: ANN401  of any type
    try:
        return reply_digest(identity, run, encoded)
    except (TypeError, OverflowError):
        return None


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value < 1e11


def _same(one: object, other: object) -> bool:
    """Return whether two values are equal to SQLite, where 1 and 1.0 are."""
    return one == other and isinstance(one, bytes | str) == isinstance(other, bytes | str)


def run_fault(row: TableRow, _: frozenset[int]) -> Fault | None:
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


def debate_fault(row: TableRow, runs: frozenset[int]) -> Fault | None:
    """Return the fault of a debate, or None. A lost debate is run again from its replies."""
    key = (row["arm"], row["dataset"], row["question"], row["replicate"])
    try:
        check_key(key, row["run"])
        decode_values(row["metrics"], row["values_digest"], "its values")
        kept = check_content(row["transcript"], row["transcript_digest"], "its transcript")
        transcript = decode_transcript(kept, "its transcript")
    except DamagedError as error:
        return Fault(f"{error.what}: {error.why}")
    if row["run"] not in runs:
        return Fault("its run is not there")
    if transcript.question.id != row["question"]:
        return Fault("it is of another question than its transcript")
    failed = int(transcript.failed is not None)
    if row["failed"] != failed:
        return Fault("whether it failed: not what was written", {**row, "failed": failed})
    return None


def with_digests(table: str, row: TableRow) -> TableRow:
    """Return a sound row with its digests; a row of an older moot has none."""
    if table == "replies" and row["digest"] is None:
        return {**row, "digest": _digest(row["identity"], row["run"], row["reply"])}
    if table == "debates" and None in (row["values_digest"], row["transcript_digest"]):
        digests = crc32(row["metrics"]), crc32(row["transcript"])
        return {**row, "values_digest": digests[0], "transcript_digest": digests[1]}
    return row


def _find_types(kinds: Mapping[str, type]) -> FindFault:
    def find(row: TableRow, _: frozenset[int]) -> Fault | None:
        wrong = [name for name, kind in kinds.items() if not isinstance(row[name], kind)]
        return Fault(f"{', '.join(wrong)}: cannot be read") if wrong else None

    return find


TABLES: dict[str, tuple[str, FindFault]] = {
    "runs": ("run", run_fault),
    "replies": ("reply", reply_fault),
    "debates": ("debate", debate_fault),
    "raters": ("rater", _find_types({"run": int, "name": str, "key": str, "seed": int})),
    "rankings": (
        "ranking",
        _find_types({"rater": int, "question": str, "aspect": str, "arm": str, "place": int}),
    ),
}
"""The kind of record in each table, and the function that finds its fault."""
