"""Records of the store: made fit to be stored, encoded, checked by a digest, and decoded.

The identity of a reply is the digest of its request and draw. Its text needs another one: a flipped
byte inside a JSON text leaves valid JSON with other words. Records of an older moot have no digest.

A seal says whether a debate is the one that would be made again, without making it. It has the
first bytes of a digest, of all that the record depends on, and the CRC-32 of the stored bytes.
"""

from collections.abc import Mapping
from functools import lru_cache
from itertools import filterfalse
from math import isfinite
from operator import itemgetter
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec

from moot.core.calls import Reply
from moot.core.encoding import replace_surrogates
from moot.core.errors import DamagedError
from moot.core.named_values import NamedValues
from moot.core.stored import RunRow, decode_record
from moot.ledger.compression import LARGEST, decompress
from moot.ledger.storage import StoreConnection

ALL = 1 << 62
"""The limit of rows where there is none; PostgreSQL refuses a negative one."""
CHANGED = "its content is not what was written"
DEBATE_KEY = ("arm", "dataset", "question", "replicate")
"""The columns that name a debate of a run."""
RUN_COLUMNS = ("id", "key", "name", "created", "status", "study")
"""The columns of a run that ``decode_run`` takes, in its order."""

METRIC_NAMES = tuple(Path(__file__).with_name("metric_names.txt").read_text("utf-8").split())
"""The metrics whose values stand in records without their names.

Stores need the order: a name is added at the end of the file, and none is ever taken out.
"""
SEAL_SIZE = 8
"""The bytes of the digest in a seal."""

_LISTED, _get_listed = frozenset(METRIC_NAMES), itemgetter(*METRIC_NAMES)
_MAX = 2**53  # the largest integer that JSON and SQLite both hold exactly
_encode = msgspec.json.Encoder().encode
_decode_reply = msgspec.json.Decoder(Reply).decode
_decode_named = msgspec.json.Decoder(dict[str, float | None]).decode
_decode_listed = msgspec.json.Decoder(
    tuple[tuple[float | None, ...], dict[str, float | None]]
).decode


def encode(value: object) -> bytes:
    """Return a value as JSON; texts that are not Unicode are cleaned."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encode(_clean_all(msgspec.to_builtins(value)))


def storable(reply: Reply) -> tuple[Reply, bytes]:
    """Return a reply as it can be stored, and its JSON.

    Counts and prices that are impossible (negative, not finite, too large) become unknown.
    """
    sound = (
        0 <= (reply.prompt_tokens or 0) < _MAX
        and 0 <= (reply.completion_tokens or 0) < _MAX
        and 0 <= reply.cached_tokens < _MAX
        and 0 <= (reply.reasoning_tokens or 0) < _MAX
        and (reply.cost is None or isfinite(reply.cost))
        and isfinite(reply.seconds)
    )
    try:
        if sound:
            return reply, _encode(reply)
    except UnicodeEncodeError:
        pass
    reply = msgspec.structs.replace(
        reply,
        text=replace_surrogates(reply.text),
        prompt_tokens=_count(reply.prompt_tokens),
        completion_tokens=_count(reply.completion_tokens),
        cached_tokens=_count(reply.cached_tokens) or 0,
        cost=reply.cost if reply.cost is not None and isfinite(reply.cost) else None,
        seconds=reply.seconds if isfinite(reply.seconds) else 0.0,
        thought=replace_surrogates(reply.thought),
        reasoning_tokens=_count(reply.reasoning_tokens),
    )
    return reply, _encode(reply)


def _count(tokens: int | None) -> int | None:
    return tokens if tokens is not None and 0 <= tokens < _MAX else None


def _clean_all(value: Any) -> Any:  # noqa: ANN401  any JSON
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, dict):
        return {replace_surrogates(key): _clean_all(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_all(entry) for entry in value]
    return value


def reply_digest(identity: bytes, run: int | None, encoded: bytes) -> int:
    """Return the digest of a reply: of the run that paid, its identity and its JSON."""
    return crc32(encoded, crc32(identity, run or 0))


def decode_reply(identity: bytes, row: tuple[Any, ...], what: str = "a reply") -> Reply:
    """Return a stored reply, marked as replayed, with its cost and time.

    Args:
        identity: the identity of the call.
        row: the run that paid, the reply's JSON and its digest, as they are stored.
        what: the name of the reply, for the error's text.

    Raises:
        DamagedError: it is not what was written.
    """
    run, encoded, digest = row
    reply = decode_record(_decode_reply, encoded, what)
    if digest is not None:
        try:
            changed = reply_digest(identity, run, encoded) != digest
        except TypeError:  # a damaged column may be of any type
            changed = True
        if changed:
            raise DamagedError(what, CHANGED)
    return msgspec.structs.replace(reply, replayed=True)


def check_content(content: object, digest: object, what: str, most: int = LARGEST) -> bytes:
    """Return the JSON of a debate's record, decompressed.

    Args:
        content: the record as it is stored, or the beginning of it.
        digest: that of the JSON; None where there is none, or only the beginning is read.
        what: the name of the record, for the error's text.
        most: return at most so many bytes of its beginning.

    Raises:
        DamagedError: it is not what was written.
    """
    if not isinstance(content, bytes):
        raise DamagedError(what, f"it is of type {type(content).__name__}")
    content = decompress(content, what, most)
    if digest is not None and crc32(content) != digest:
        raise DamagedError(what, CHANGED)
    return content


def encode_values(values: Mapping[str, float | None]) -> bytes:
    """Return the metric values of a debate as JSON: an array of the listed ones, a table of others.

    They are a table of all names where any listed metric is missing.
    """
    try:
        listed = _get_listed(values)
    except KeyError:
        return encode(dict(values))
    others = filterfalse(_LISTED.__contains__, values)
    return encode((listed, {name: values[name] for name in others}))


def decode_values(content: object, digest: object, what: str) -> NamedValues:
    """Return the metric values of a debate. Raises ``DamagedError`` if they were not written so."""
    return parse_values(check_content(content, digest, what), what)


def parse_values(content: bytes, what: str) -> NamedValues:
    """Return metric values from their JSON: of ``encode_values``, or an older moot's table.

    Where a newer moot has written it, it has values of metrics that this one does not know. They
    are counted in ``NamedValues.surplus``.

    Raises:
        DamagedError: it is neither.
    """
    listed: tuple[float | None, ...] = ()
    if content[:1] == b"[":
        listed, others = decode_record(_decode_listed, content, what)
    else:
        others = decode_record(_decode_named, content, what)
    most = len(METRIC_NAMES)
    known, unknown = listed[:most], listed[most:]
    places = _place_names(len(known), tuple(others))
    return NamedValues(places, (*known, *others.values(), *unknown))


@lru_cache(maxsize=1024)
def _place_names(listed: int, others: tuple[str, ...]) -> dict[str, int]:
    """Return the place of each name's value: so many listed names, then the others."""
    return {name: place for place, name in enumerate((*METRIC_NAMES[:listed], *others))}


def decode_run(row: tuple[Any, ...]) -> RunRow:
    """Return the run of a row. Raises ``DamagedError`` if it cannot be read."""
    named = dict(zip(RUN_COLUMNS, row, strict=True))
    try:
        return msgspec.convert(named, RunRow)
    except msgspec.ValidationError as error:
        raise DamagedError(f"run {row[1]!r}", str(error)) from None


def read_runs(
    connection: StoreConnection, where: str = "", *values: object, limit: int = ALL
) -> list[RunRow]:
    """Return the runs that meet a condition, the newest first, at most ``limit`` of them."""
    query = f"SELECT {', '.join(RUN_COLUMNS)} FROM runs {where} ORDER BY id DESC LIMIT ?"  # noqa: S608  own
    return [decode_run(row) for row in connection.execute(query, (*values, limit)).fetchall()]


def check_key(row: tuple[Any, ...], run: object) -> None:
    """Raise ``DamagedError`` unless these are arm, dataset, question and replicate."""
    if tuple(map(type, row)) != (str, str, str, int):
        raise DamagedError(f"a debate of run {run}", "what it is a debate of cannot be read")


def make_seal(digest: bytes | None, stored: bytes) -> bytes | None:
    """Return the seal of a record; None where there is no digest of what it depends on."""
    return None if digest is None else digest + crc32(stored).to_bytes(4, "big")


def read_seal(seal: object, stored: object) -> bytes | None:
    """Return the digest in a seal; None where the record is not what was sealed."""
    if not isinstance(seal, bytes) or not isinstance(stored, bytes):
        return None
    return seal[:-4] if seal[-4:] == crc32(stored).to_bytes(4, "big") else None
