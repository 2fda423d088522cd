"""What tells a damaged record from a sound one: a digest beside each, and guarded decoding.

Request and draw of a reply are told by its identity. Nothing told its text: a byte that is flipped
inside a JSON text leaves valid JSON, and other words. Records of an older moot have no digest.
"""

from typing import Any
from zlib import crc32

import msgspec

from moot.core.calls import Reply
from moot.core.errors import DamagedError
from moot.core.stored import RunRow, decode_record

CHANGED = "its content is not what was written"

_decode_reply = msgspec.json.Decoder(Reply).decode
_decode_values = msgspec.json.Decoder(dict[str, float | None]).decode


def reply_digest(identity: bytes, run: int | None, encoded: bytes) -> int:
    """The digest of a reply: of who paid for it, its identity and its JSON."""
    return crc32(encoded, crc32(identity, run or 0))


def decode_reply(identity: bytes, row: tuple[Any, ...], what: str = "a reply") -> Reply:
    """A stored reply as it is given out: its cost and time kept, and marked as replayed.

    Args:
        identity: of the call.
        row: the run that paid, the reply's JSON and its digest, as they are stored.
        what: which reply it is, for the error's text.

    Raises:
        DamagedError: it is not what was stored.
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


def check_content(content: object, digest: object, what: str) -> bytes:
    """The content of a record, if it is what was stored. Raises ``DamagedError``."""
    if not isinstance(content, bytes):
        raise DamagedError(what, f"it is of type {type(content).__name__}")
    if digest is not None and crc32(content) != digest:
        raise DamagedError(what, CHANGED)
    return content


def decode_values(content: object, digest: object, what: str) -> dict[str, float | None]:
    """The metric values of a debate, from their JSON and its digest. Raises ``DamagedError``."""
    return decode_record(_decode_values, check_content(content, digest, what), what)


RUN_COLUMNS = ("id", "key", "name", "created", "status", "study")
"""The columns of a run that ``decode_run`` takes, in its order."""


def decode_run(row: tuple[Any, ...]) -> RunRow:
    """A run from its row. Raises ``DamagedError``."""
    named = dict(zip(RUN_COLUMNS, row, strict=True))
    try:
        return msgspec.convert(named, RunRow)
    except msgspec.ValidationError as error:
        raise DamagedError(f"run {row[1]!r}", str(error)) from None


def check_key(row: tuple[Any, ...], run: object) -> None:
    """Raise ``DamagedError`` unless these are arm, dataset, question and replicate."""
    if tuple(map(type, row)) != (str, str, str, int):
        raise DamagedError(f"a debate of run {run}", "what it is a debate of cannot be read")
