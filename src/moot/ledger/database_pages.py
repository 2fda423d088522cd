"""Rows read directly from the pages of an SQLite file, so that damage elsewhere hides none.

SQLite reaches a row through pages that point to pages. Behind a damaged one all rows are out of
reach. Here every page is read by itself, and a row's table follows from its columns. Rows of unused
pages may be among them. The format is https://sqlite.org/fileformat2.html.
"""

from collections.abc import Iterator
from pathlib import Path
from struct import unpack_from
from typing import Any, NamedTuple

from moot.ledger.log import PAGE, pages_of

_LEAF = 0x0D
_FIXED = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
_LARGEST = 1 << 30  # the most bytes of a row in SQLite


class RawRow(NamedTuple):
    """A row: its number in its table, and its columns."""

    number: int
    columns: tuple[Any, ...]


class _Torn(Exception):
    """A row cannot be read."""


def rows_of(file: Path) -> Iterator[RawRow]:
    """Yield every readable row of a database and its log, without those of its schema."""
    content = file.read_bytes() if file.exists() else b""
    size = _page_size(content)
    later = pages_of(file)

    def page(number: int) -> bytes:
        found = later.get(number) or content[(number - 1) * size : number * size]
        if len(found) != size:
            raise _Torn
        return found

    # A damaged log may name any page.
    for number in sorted({*range(2, len(content) // size + 1), *later} - {0, 1}):
        try:
            here = page(number)
        except _Torn:
            continue
        if here[0] == _LEAF:
            for place in range(min(unpack_from(">H", here, 3)[0], (size - 8) // 2)):
                try:
                    yield _row(here, unpack_from(">H", here, 8 + 2 * place)[0], size, page)
                except (_Torn, IndexError, ValueError, ArithmeticError):
                    continue


def _page_size(content: bytes) -> int:
    size = unpack_from(">H", content, 16)[0] if len(content) >= 100 else PAGE
    size = 65536 if size == 1 else size
    sound = size in {1 << bits for bits in range(9, 17)} and len(content) % size == 0
    return size if sound else PAGE


def _row(here: bytes, at: int, size: int, page: Any) -> RawRow:  # noqa: ANN401  a function
    """Return the row that begins at a position of a page."""
    length, at = _number(here, at)
    number, at = _number(here, at)
    if not 0 < length < _LARGEST or number < 1:
        raise _Torn
    most = size - 35
    if length <= most:
        payload = here[at : at + length]
    else:  # the rest is in overflow pages
        least = (size - 12) * 32 // 255 - 23
        own = least + (length - least) % (size - 4)
        own = own if own <= most else least
        parts = [here[at : at + own]]
        (following,) = unpack_from(">I", here, at + own)
        left = length - own
        while left > 0:
            if following < 2:
                raise _Torn
            more = page(following)
            parts.append(more[4 : 4 + min(left, size - 4)])
            (following,) = unpack_from(">I", more, 0)
            left -= size - 4
        payload = b"".join(parts)
    if len(payload) != length:
        raise _Torn
    return RawRow(number, tuple(_columns(payload)))


def _columns(payload: bytes) -> Iterator[Any]:
    """Yield the values of a row."""
    end, at = _number(payload, 0)
    if not 0 < end <= len(payload):
        raise _Torn
    body = end
    while at < end:
        kind, at = _number(payload, at)
        size = _FIXED[kind] if kind < 10 else (kind - 12) // 2 if kind >= 12 else -1
        if size < 0 or body + size > len(payload):
            raise _Torn
        yield _value(kind, payload[body : body + size])
        body += size


def _value(kind: int, content: bytes) -> Any:  # noqa: ANN401  any value of SQLite
    if kind >= 12:
        if kind % 2 == 0:
            return content
        try:
            return content.decode()
        except UnicodeDecodeError:
            return content
    if kind == 7:
        return unpack_from(">d", content)[0]
    if kind in {8, 9}:
        return kind - 8
    return int.from_bytes(content, "big", signed=True) if kind else None


def _number(content: bytes, at: int) -> tuple[int, int]:
    """Return a number of one to nine bytes, and the position of its end."""
    value = 0
    for count in range(9):
        byte = content[at + count]
        if count == 8:
            return (value << 8) | byte, at + 9
        value = (value << 7) | (byte & 127)
        if byte < 128:
            return value, at + count + 1
    raise _Torn
