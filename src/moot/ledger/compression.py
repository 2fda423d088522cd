"""Compression of transcripts in a store: deflate with a dictionary of what most of them contain.

They are mostly names of settings and fields. The dictionary beside this module has them, so a store
needs nothing but its own rows and moot. A compressed record is a zlib stream, which names its
dictionary by that one's checksum. JSON begins with a bracket, which no such stream does: records
that are not compressed are read as they are. An older moot compressed metric values, too.

A dictionary never changes, since stores need it. A better one is added beside it.
"""

import zlib
from functools import cache
from pathlib import Path

from moot.core.errors import DamagedError

TRANSCRIPTS = "transcripts-1"
"""The dictionary of new records."""

LARGEST = 1 << 30
"""The most bytes of a record in SQLite."""

_FOLDER = Path(__file__).with_name("dictionaries")
_LEVEL = 3  # measured: a fifth smaller than level 1 in the same time; higher levels save 7 % more
_WINDOWS = ((1 << 11, 12, 5), (1 << 13, 13, 5), (1 << 14, 14, 7), (1 << 15, 15, 8))
"""The bytes of a record, and zlib's names for a window of its size: large ones take long to copy.
At a record's end the window misses a part of the dictionary, which loses next to nothing."""
_DICTIONARY_FLAG = 0x20


def compress(content: bytes) -> bytes:
    """Return the JSON of a transcript as it is stored; unchanged where it would not be shorter."""
    size = len(content)
    _, bits, memory = next((each for each in _WINDOWS if size <= each[0]), _WINDOWS[-1])
    packer = _prepare(bits, memory).copy()
    packed = packer.compress(content) + packer.flush()
    return packed if len(packed) < len(content) else content


def decompress(stored: bytes, what: str, most: int = LARGEST) -> bytes:
    """Return a JSON record that ``compress`` has made, at most so many bytes of its beginning.

    Args:
        stored: the record, or the beginning of it.
        what: the name of the record, for the error's text.
        most: bytes of the result, 1 or more.

    Raises:
        DamagedError: it is not what was written.
    """
    if not stored or stored[0] & 0xF != zlib.DEFLATED:  # JSON
        return stored[:most]
    known = b""
    if len(stored) > 6 and stored[1] & _DICTIONARY_FLAG:
        checksum = int.from_bytes(stored[2:6], "big")
        if checksum not in _dictionaries():
            raise DamagedError(what, f"moot has no dictionary of the checksum {checksum:08x}")
        known = _dictionaries()[checksum]
    try:
        reader = zlib.decompressobj(zlib.MAX_WBITS, known)
        content = reader.decompress(stored, most)
    except zlib.error as error:
        raise DamagedError(what, f"it cannot be decompressed ({error})") from None
    if most == LARGEST and not reader.eof:
        raise DamagedError(what, "it cannot be decompressed (its end is missing)")
    return content


@cache
def _prepare(bits: int, memory: int) -> "zlib._Compress":
    """Return a compressor that knows the dictionary: to copy it is faster than to read that again.

    Args:
        bits: zlib's name for the window.
        memory: zlib's name for the memory beside the window.
    """
    strategy, known = zlib.Z_DEFAULT_STRATEGY, (_FOLDER / f"{TRANSCRIPTS}.txt").read_bytes()
    return zlib.compressobj(_LEVEL, zlib.DEFLATED, bits, memory, strategy, known)


@cache
def _dictionaries() -> dict[int, bytes]:
    """Return every dictionary by its checksum."""
    return {zlib.adler32(each): each for each in map(Path.read_bytes, _FOLDER.glob("*.txt"))}
