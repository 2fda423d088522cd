"""JSON of others, read item by item in bounded memory.

The reader is the standard library's, given as much text as one item needs. What it takes beyond
JSON (``NaN``, a key that stands twice, half a surrogate pair) is read, and noted with its place.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator
from json import JSONDecodeError, JSONDecoder
from typing import Any, NoReturn, Protocol

from moot import InputError

MOST_ITEM = 64 << 20
"""The most characters of one item: one debate of a log."""
MOST_TEXT = 8 << 20
"""The most characters of one text."""
MOST_DEPTH = 64
"""The most objects and lists within each other."""
_CHUNK = 1 << 18
_NEAR = 16
"""Characters at the end of a chunk in which a fault may only be the chunk's end."""
_blank = re.compile(r"[ \t\r\n]*").match
_escaped_half = re.compile(r"\\u[dD][89a-fA-F]").search
_half_pair = re.compile("[\ud800-\udfff]")
_NESTING = frozenset({dict, list})

Note = Callable[[str, str], None]
"""Takes a place and a remark on it."""


class Readable(Protocol):
    """An open file, read in pieces."""

    def read(self, most: int, /) -> bytes:
        """Return the next bytes, so many at most; none at the end."""


class JsonItems:
    """The JSON values in one file.

    Args:
        file: its bytes; a byte-order mark is skipped, UTF-16 is known by it.
        name: of the file, for places.
        note: takes what was read though it is no JSON.
    """

    def __init__(self, file: Readable, name: str, note: Note) -> None:
        self._file, self._name, self._note = file, name, note
        self._text, self._at, self._ended = "", 0, False
        self._line, self._counted, self._column = 1, 0, 1
        self._passed = 0
        self._bytes, self._decoder = 0, codecs.getincrementaldecoder("utf-8")()
        self._remarks: list[str] = []
        self._decode = JSONDecoder(
            object_pairs_hook=self._take_pairs, parse_constant=self._take_constant
        ).raw_decode

    @property
    def sign(self) -> str:
        """The next sign; empty at the end of the file."""
        return self._peek()

    @property
    def passed(self) -> int:
        """The characters read so far."""
        return self._passed + self._at

    @property
    def line(self) -> int:
        """The line of the next value, from 1."""
        self._skip()
        return self._count_lines()

    def read_values(self) -> Iterator[tuple[int, Any]]:
        """Yield the values of the top level, each with its line: JSON lines, or one value."""
        while self._peek():
            yield self.line, self._take_value()

    def read_members(self) -> Iterator[tuple[str | int, Any]]:
        """Yield the members of the only value, an object or a list."""
        opening = self._peek()
        if opening not in {"{", "["}:
            self._fail("an object or a list of JSON should begin here")
        self._at += 1
        closing = "}" if opening == "{" else "]"
        seen: set[int] = set()
        number = 0
        while (number := number + 1) and self._peek() != closing:
            if number > 1:
                self._expect(",")
            key: str | int = number
            if opening == "{":
                key = self._take_key(seen)
            yield key, self._take_value()
        self._at += 1
        if self._peek():
            self._fail("the file should end here")

    def _take_key(self, seen: set[int]) -> str:
        if self._peek() != '"':
            self._fail("a key in quotes should stand here")
        line = self.line
        key = str(self._take_value())
        if hash(key) in seen:
            self._note(f"{self._name}, line {line}", f"the key {key[:60]!r} stands twice")
        seen.add(hash(key))
        self._expect(":")
        return key

    def _take_value(self) -> Any:  # noqa: ANN401 -- any JSON
        """Return the value that begins here; read on until it has ended."""
        self._skip()
        while True:
            self._remarks.clear()
            try:
                value, end = self._decode(self._text, self._at)
            except JSONDecodeError as error:
                near = error.pos >= len(self._text) - _NEAR or error.msg.startswith("Unterminated")
                if self._ended or not near:
                    self._fail(error.msg, error.pos)
            except RecursionError:
                self._fail(f"more than {MOST_DEPTH} objects and lists within each other")
            except ValueError as error:
                self._fail(str(error))
            else:
                if self._ended or end < len(self._text) - _NEAR:
                    break
            self._fill()
        return self._check(value, end)

    def _check(self, value: Any, end: int) -> Any:  # noqa: ANN401 -- any JSON
        """Return a value that was read; note its oddities, refuse what would do harm later."""
        opened = sum(self._text.count(sign, self._at, end) for sign in "[{")
        if opened > MOST_DEPTH and _is_deep(value):
            self._fail(f"more than {MOST_DEPTH} objects and lists within each other")
        if end - self._at > MOST_TEXT and _has_long(value):
            self._fail(f"a text of more than {MOST_TEXT >> 20} million characters")
        if _escaped_half(self._text, self._at, end):
            value = self._mend(value)
        for remark in self._remarks:
            self._note(f"{self._name}, line {self.line}", remark)
        self._at = end
        return value

    def _mend(self, value: Any) -> Any:  # noqa: ANN401 -- any JSON
        """Return a value without halves of surrogate pairs, which no file can hold."""
        if isinstance(value, str) and _half_pair.search(value):
            self._remarks.append("half a surrogate pair: read as U+FFFD")
            return _half_pair.sub("\ufffd", value)
        if isinstance(value, list):
            return [self._mend(each) for each in value]
        if isinstance(value, dict):
            return {self._mend(key): self._mend(each) for key, each in value.items()}
        return value

    def _take_pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = counts.most_common(1)[0][0][:60]
            self._remarks.append(f"the key {twice!r} stands twice in one object: the last counts")
        return made

    def _take_constant(self, name: str) -> None:
        self._remarks.append(f"{name} is no JSON: read as null")

    def _peek(self) -> str:
        """Return the next sign; empty at the end of the file."""
        self._skip()
        return self._text[self._at : self._at + 1]

    def _expect(self, sign: str) -> None:
        if self._peek() != sign:
            self._fail(f"{sign!r} should stand here")
        self._at += 1

    def _skip(self) -> None:
        while True:
            found = _blank(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text) or self._ended:
                return
            self._fill()

    def _fill(self) -> None:
        """Read on: at least as much again as waits, so that no text is read many times."""
        rest = self._text[self._at :]
        if len(rest) > MOST_ITEM:
            self._fail(f"one item has more than {MOST_ITEM >> 20} million characters")
        self._count_lines()
        self._counted = 0
        self._passed += self._at
        self._column = self._count_columns(self._at)
        data = self._file.read(max(_CHUNK, len(rest)))
        if not self._bytes and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            self._decoder = codecs.getincrementaldecoder("utf-16")()
        text = self._read_text(data)
        self._text = rest + (text if self._bytes else text.removeprefix("\ufeff"))
        self._at, self._ended = 0, not data
        self._bytes += len(data)

    def _read_text(self, data: bytes) -> str:
        waiting = len(self._decoder.getstate()[0])
        try:
            return self._decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            byte = self._bytes - waiting + error.start
            raise InputError(
                f"{self._name}, byte {byte}: no {error.encoding.upper()} text: {error.reason}; "
                "save the file as UTF-8"
            ) from None

    def _fail(self, why: str, at: int | None = None) -> NoReturn:
        """Raise an error with line and column."""
        at = self._at if at is None else at
        line = self._count_lines() + self._text.count("\n", self._at, at)
        raise InputError(f"{self._name}, line {line}, column {self._count_columns(at)}: {why}")

    def _count_lines(self) -> int:
        """Return the line of where we are."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _count_columns(self, at: int) -> int:
        before = self._text.rfind("\n", 0, at)
        return at - before if before >= 0 else self._column + at


def _is_deep(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    """Return whether a value has too many objects and lists within each other."""
    level, depth = _list_nested([value]), 0
    while level and depth < MOST_DEPTH:
        depth += 1
        level = [inner for each in level for inner in _list_nested(each)]
    return bool(level)


def _list_nested(value: Any) -> list[Any]:  # noqa: ANN401 -- an object or a list
    """Return the objects and lists in an object or a list."""
    inner = value.values() if type(value) is dict else value
    if _NESTING.isdisjoint(map(type, inner)):
        return []
    return [each for each in inner if type(each) in _NESTING]


def _has_long(value: Any) -> bool:  # noqa: ANN401 -- any JSON
    if isinstance(value, dict | list):
        return any(map(_has_long, (*value, *value.values()) if isinstance(value, dict) else value))
    return isinstance(value, str) and len(value) > MOST_TEXT
