"""A response's body as it comes in: unpacked piece by piece, and never more of it than a limit."""

import zlib
from collections.abc import Iterator, Mapping

from moot.models.transport import Broken

LARGEST = 64 << 20
"""Bytes that a response's body may have, as it comes and as it is unpacked (64 MB).

No reply comes near: 400,000 tokens of escaped text are some 10 MB, an embedding is 100 kB.
"""
TOLD = 256 << 10
"""Bytes that are read of the body of a failure, whose beginning says what is wrong."""

_STEP = 256 << 10
"""Bytes unpacked at once."""
_MEMBERS = 64
"""Parts that a packed body may be put together from."""
_PLAIN = frozenset({b"{", b"["})
"""What a body that is not packed begins with, nearly always; packed by gzip or zlib, none does."""
_GZIP, _ZLIB = 0x1F, 0x8
"""The first byte of gzip; the lower half of the first byte of zlib."""


class Body:
    """Collects a body.

    Args:
        status: of its response. The body of a failure is cut after ``TOLD`` bytes.
        headers: of its response.

    Attributes:
        received: bytes that have come.
        full: whether nothing more of it is wanted: it is too large, or cannot be unpacked.
    """

    __slots__ = (
        "_begun",
        "_broken",
        "_data",
        "_failure",
        "_headers",
        "_most",
        "_packing",
        "full",
        "received",
    )

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        self._headers = headers
        self._failure = not 200 <= status < 300
        self._most = TOLD if self._failure else LARGEST
        self._data = bytearray()
        self._packing: Packing | None = None
        self._broken: Broken | None = None
        self._begun = self.full = False
        self.received = 0

    def add(self, piece: bytes) -> None:
        """Take in the next piece."""
        self.received += len(piece)
        if not self._begun:
            self._begun = True
            if piece[:1] not in _PLAIN:
                self._look_for_packing()
        if self.full:
            return
        if self._packing is None:
            self._data += piece
        else:
            self._unpack(self._packing, piece)
        # What has come counts as well: it may be packed so as to hold nothing.
        if max(self.received, len(self._data)) > self._most:
            self._stop(too_large())

    def whole(self) -> bytes:
        """The body once all of it has come, or it is full. Raises ``Broken`` if it is none."""
        if self._packing is not None and not self._packing.ended:
            self._stop(_odd())
        if self._broken is not None:
            raise self._broken
        return bytes(self._data)

    def _look_for_packing(self) -> None:
        """Find out how it is packed, if it is. None was asked to."""
        kind = self._headers.get("content-encoding", "identity").strip().lower()
        if kind in {"gzip", "x-gzip", "deflate"}:
            self._packing = Packing()
        elif kind not in {"", "identity"}:
            said = f"the response is packed in a way not asked for: {kind[:20]!r}"
            self._stop(Broken(said, final=True))

    def _unpack(self, packing: "Packing", piece: bytes) -> None:
        try:
            for part in packing.unpack(piece):
                self._data += part
                if len(self._data) > self._most:
                    break
        except zlib.error:
            self._stop(_odd())

    def _stop(self, why: Broken) -> None:
        """Want no more. Of a failure its status says enough, and what there is of its body."""
        self.full, self._packing = True, None
        if self._failure:
            del self._data[TOLD:]
        elif self._broken is None:
            self._data, self._broken = bytearray(), why


def too_large() -> Broken:
    """What becomes of a response that is larger than any reply."""
    return Broken(
        f"the response is larger than {LARGEST >> 20} MB, which no reply is; it was not read to "
        "its end",
        final=True,
    )


def _odd() -> Broken:
    return Broken("the response's packing is broken")


class Packing:
    """Unpacks gzip, zlib and bare deflate, piece by piece, whatever the header calls it."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj()
        self._members = 0

    @property
    def ended(self) -> bool:
        """Whether what came so far is whole."""
        return self._member.eof

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        """What a piece holds, in parts of at most ``_STEP`` bytes. Raises ``zlib.error``."""
        while piece and self._begin(piece):
            member, tail = self._member, piece
            while not member.eof:
                part = member.decompress(tail, _STEP)
                tail = member.unconsumed_tail
                yield part
                if not tail and len(part) < _STEP:  # else there may be more of it inside
                    break
            piece = member.unused_data

    def _begin(self, piece: bytes) -> bool:
        """Be ready to unpack; False where what comes is no part of the body."""
        if self._members and not self._member.eof:
            return True
        gzip = piece[0] == _GZIP
        if self._members and not gzip:  # padding, which some servers add
            return False
        self._members += 1
        if self._members > _MEMBERS:
            raise zlib.error("too many members")
        bare = not gzip and piece[0] & 0xF != _ZLIB
        self._member = zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32)
        return True
