"""Rows of an audit, packed: a log of gigabytes has a million of them."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from types import GenericAlias
from typing import Generic, TypeVar, overload

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)
_TOGETHER = 1024
"""The rows that are packed together."""
_LEVEL = 1


class PackedRows(Sequence[Row], Generic[Row]):
    """A sequence of structs of one type, in a few dozen bytes each; rows are added at its end.

    Args:
        kind: the type of the rows.
    """

    def __init__(self, kind: type[Row]) -> None:
        self._decode = msgspec.msgpack.Decoder(GenericAlias(list, (kind,))).decode
        self._packed: list[bytes] = []
        self._last: list[Row] = []

    def append(self, row: Row) -> None:
        """Add a row."""
        self._last.append(row)
        if len(self._last) == _TOGETHER:
            self._packed.append(zlib.compress(msgspec.msgpack.encode(self._last), _LEVEL))
            self._last = []

    def __len__(self) -> int:
        return len(self._packed) * _TOGETHER + len(self._last)

    def __iter__(self) -> Iterator[Row]:
        for packed in self._packed:
            yield from self._decode(zlib.decompress(packed))
        yield from self._last

    @overload
    def __getitem__(self, place: int) -> Row: ...

    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        """Return a row, or some of them as a list; rows before these are unpacked."""
        if isinstance(place, slice):
            start, stop, step = place.indices(len(self))
            return list(islice(self, start, stop, step) if step > 0 else list(self)[place])
        return next(islice(iter(self), range(len(self))[place], None))
