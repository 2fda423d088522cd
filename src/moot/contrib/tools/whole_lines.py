"""UTF-8 as a codec that decodes whole lines: what a server of tools writes is read line by line.

The SDK adds each piece to a text that it copies, so that a line takes time by the square of its
length, and no line is too long for it. With this codec as the encoding of the connection a line
comes whole, in one copy; of one that is longer than ``LARGEST`` nothing is kept, and the answer
to the request that it belongs to says so.
"""

import codecs
import re
from functools import cache

LARGEST = 64 << 20
"""The most bytes of a line."""
NAME = "moot_utf_8_lines"
"""The codec's name."""
_ID = re.compile(rb'"id"\s*:\s*(\d+|"[^"\\]{1,100}")')
_HEAD = 1 << 10
"""Bytes of a line, at its beginning, in which the number of its request is looked for."""


class WholeLines(codecs.IncrementalDecoder):
    """A decoder that returns complete lines alone."""

    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._pieces: list[bytes] = []
        self._size = 0

    def decode(self, given: bytes, final: bool = False) -> str:  # type: ignore[override]  # noqa: FBT001, FBT002 -- as codecs has it
        """Return the lines that these bytes end; what follows the last of them is kept."""
        line, mark, rest = given.partition(b"\n")
        self._keep(line + mark)
        text = self._take() if mark else ""
        more, mark, rest = rest.rpartition(b"\n")
        text += (more + mark).decode("utf-8", self.errors)
        self._keep(rest)
        return text + self._take() if final else text

    def reset(self) -> None:
        """Forget the line that has not ended."""
        self._pieces, self._size = [], 0

    def _keep(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= LARGEST or not self._pieces:
            self._pieces.append(piece)
        else:  # too long: the beginning alone, which says to whom it is
            self._pieces = [b"".join(self._pieces)[:_HEAD]]

    def _take(self) -> str:
        """Return what was kept, and keep nothing."""
        whole, size = b"".join(self._pieces), self._size
        self.reset()
        if size > LARGEST:
            found = _ID.search(whole, 0, _HEAD)
            number = found[1].decode() if found else "null"
            return (
                f'{{"jsonrpc":"2.0","id":{number},"error":{{"code":-32603,'
                f'"message":"its reply has more than {LARGEST >> 20} MB"}}}}\n'
            )
        return whole.decode("utf-8", self.errors)


@cache
def register_codec() -> str:
    """Make the codec known to Python, once; return its name."""
    utf8 = codecs.lookup("utf-8")
    info = codecs.CodecInfo(utf8.encode, utf8.decode, incrementaldecoder=WholeLines, name=NAME)
    codecs.register(lambda name: info if name == NAME else None)
    return NAME
