"""The body of a response: unpacked piece by piece, up to a limit."""

import zlib
from collections.abc import Iterator, Mapping

LARGEST = 64 << 20
"""The most bytes of a response's body, packed and unpacked (64 MB).

No reply comes near: 400,000 tokens of escaped text are some 10 MB, an embedding is 100 kB.
"""
FAILURE_BYTES = 256 << 10
"""Bytes that are read of the body of a failure. Its beginning says what is wrong."""

_STEP = 256 << 10
"""Bytes unpacked at once."""
_MEMBERS = 64
"""The most members of a packed body."""
_PLAIN = frozenset({b"{", b"["})
"""The first byte of nearly every body that is not packed. No packed body begins so."""
_GZIP, _ZLIB = 0x1F, 0x8
"""The first byte of gzip; the lower half of the first byte of zlib."""


class TransportError(Exception):
    """There is no response. The text says why, and holds no part of the request.

    Attributes:
        final: whether another attempt would fail in the same way.
        lacking: the resource that this machine has too little of, where that is the reason; else
            empty.
    """

    def __init__(self, why: str, *, final: bool = False, lacking: str = "") -> None:
        super().__init__(why)
        self.final, self.lacking = final, lacking


class Body:
    """Collects the body of one response.

    Args:
        status: of the response. The body of a failure is cut after ``FAILURE_BYTES`` bytes.
        headers: of the response.

    Attributes:
        received: bytes received so far.
        full: whether no more is read: the body is too large, or cannot be unpacked.
    """

    __slots__ = (
        "_begun",
        "_data",
        "_failure",
        "_headers",
        "_most",
        "_packing",
        "_problem",
        "full",
        "received",
    )

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        self._headers = headers
        self._failure = not 200 <= status < 300
        self._most = FAILURE_BYTES if self._failure else LARGEST
        self._data = bytearray()
        self._packing: Packing | None = None
        self._problem: TransportError | None = None
        self._begun = self.full = False
        self.received = 0

    def add(self, piece: bytes) -> None:
        """Add the next piece."""
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
        # The packed size counts as well: a large body may unpack to nothing.
        if max(self.received, len(self._data)) > self._most:
            self._stop(_too_large())

    def whole(self) -> bytes:
        """Return the body, once all of it was added or it is full.

        Raises:
            TransportError: it is too large, or cannot be unpacked.
        """
        if self._packing is not None and not self._packing.ended:
            self._stop(_broken_packing())
        if self._problem is not None:
            raise self._problem
        return bytes(self._data)

    def _look_for_packing(self) -> None:
        """Read from the headers how the body is packed, if it is; moot asks for no packing."""
        kind = self._headers.get("content-encoding", "identity").strip().lower()
        if kind in {"gzip", "x-gzip", "deflate"}:
            self._packing = Packing()
        elif kind not in {"", "identity"}:
            text = f"the response is packed in a way not asked for: {kind[:20]!r}"
            self._stop(TransportError(text, final=True))

    def _unpack(self, packing: "Packing", piece: bytes) -> None:
        try:
            for part in packing.unpack(piece):
                self._data += part
                if len(self._data) > self._most:
                    break
        except zlib.error:
            self._stop(_broken_packing())

    def _stop(self, why: TransportError) -> None:
        """Read no more. Of a failure the status and the beginning of the body are enough."""
        self.full, self._packing = True, None
        if self._failure:
            del self._data[FAILURE_BYTES:]
        elif self._problem is None:
            self._data, self._problem = bytearray(), why


def _too_large() -> TransportError:
    return TransportError(
        f"the response is larger than {LARGEST >> 20} MB, which no reply is; it was not read to "
        "its end",
        final=True,
    )


def _broken_packing() -> TransportError:
    return TransportError("the response's packing is broken")


class Packing:
    """Unpacks gzip, zlib and bare deflate, piece by piece. It ignores the name in the header."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj()
        self._members = 0

    @property
    def ended(self) -> bool:
        """Whether the last member is complete."""
        return self._member.eof

    def unpack(self, piece: bytes) -> Iterator[bytes]:
        """Yield the content of a piece, in parts of at most ``_STEP`` bytes.

        Raises:
            zlib.error: it cannot be unpacked.
        """
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
        """Begin a member if none is open; return False where the piece is padding."""
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
