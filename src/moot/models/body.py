"""The body of a response: unpacked piece by piece, up to a limit."""

import zlib
from collections.abc import Callable, Mapping
from typing import Any

from moot.core.errors import ModelError, RefusedError, ShortageError, TransientError

TellBytes = Callable[[bytes], None]
"""Called with each piece of the body of a success, unpacked; it must not fail."""
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
_GZIP, _ZLIB = b"\x1f", 0x8
"""The first byte of gzip; the lower half of the first byte of zlib."""
_BROKEN = "the response's packing is broken"


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

    def make_model_error(self, model: str) -> ModelError:
        """Return the error that a caller of the model of this name gets."""
        text = f"{model}: {self}"
        if self.lacking:
            return ShortageError(text, self.lacking)
        return RefusedError(text) if self.final else TransientError(text)


class Body:
    """Collects the body of one response.

    Args:
        status: of the response. The body of a failure is cut after ``FAILURE_BYTES`` bytes.
        headers: of the response.
        tell: is called with each piece of the body.

    Attributes:
        status: of the response.
        headers: of the response.
        received: bytes received so far.
        full: whether no more is read: the body is too large, or cannot be unpacked.
    """

    received = _members = 0
    full = _packed = False
    _problem: TransportError | None = None
    _member: Any  # zlib names no type for it

    def __init__(
        self, status: int, headers: Mapping[str, str], tell: TellBytes | None = None
    ) -> None:
        self.status, self.headers, self._data = status, headers, bytearray()
        succeeded = 200 <= status < 300
        self._most = LARGEST if succeeded else FAILURE_BYTES
        self._tell = tell if succeeded else None

    def add(self, piece: bytes) -> None:
        """Add the next piece."""
        if not self.received and piece and piece[:1] not in _PLAIN:
            self._look_for_packing()
        self.received += len(piece)
        if self.full:
            return
        before = len(self._data)
        if self._packed:
            try:
                self._unpack(piece)
            except zlib.error:
                self._stop(TransportError(_BROKEN))
        else:
            self._data += piece
        # The packed size counts as well: a large body may unpack to nothing.
        if self.received > self._most or len(self._data) > self._most:
            self._stop(
                TransportError(
                    f"the response is larger than {LARGEST >> 20} MB, which no reply is; it was "
                    "not read to its end",
                    final=True,
                )
            )
        elif self._tell is not None:
            self._tell(bytes(self._data[before:]))

    def whole(self) -> bytes:
        """Return the body, once all of it was added or it is full.

        Raises:
            TransportError: it is too large, or cannot be unpacked.
        """
        if self._packed and not self.full and not self._member.eof:
            self._stop(TransportError(_BROKEN))
        if self._problem is not None:
            raise self._problem
        return bytes(self._data)

    def _look_for_packing(self) -> None:
        """Read from the headers how the body is packed, if it is; moot asks for no packing."""
        kind = self.headers.get("content-encoding", "identity").strip().lower()
        self._packed = kind in {"gzip", "x-gzip", "deflate"}
        if not self._packed and kind not in {"", "identity"}:
            text = f"the response is packed in a way not asked for: {kind[:20]!r}"
            self._stop(TransportError(text, final=True))

    def _unpack(self, piece: bytes) -> None:
        """Unpack a piece of gzip, zlib or bare deflate, not far beyond the limit.

        The name in the header does not count. After the first member only gzip may follow: some
        servers add padding.

        Raises:
            zlib.error: it cannot be unpacked.
        """
        part = b""
        while (piece or len(part) == _STEP) and len(self._data) <= self._most:
            if not self._members or self._member.eof:
                if self._members and piece[:1] != _GZIP:
                    return
                self._members += 1
                if self._members > _MEMBERS:
                    raise zlib.error("too many members")
                bare = piece[:1] != _GZIP and piece[0] & 0xF != _ZLIB
                bits = -zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32
                self._member = zlib.decompressobj(bits)
            part = self._member.decompress(piece, _STEP)
            self._data += part
            piece = self._member.unused_data or self._member.unconsumed_tail

    def _stop(self, why: TransportError) -> None:
        """Read no more. Of a failure the status and the beginning of the body are enough."""
        if not 200 <= self.status < 300:
            del self._data[FAILURE_BYTES:]
        elif not self.full:
            self._data, self._problem = bytearray(), why
        self.full = True
