"""The embeddings format: what is sent for texts, and what is read from a response."""

import binascii
from base64 import b64decode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]


class _Vector(msgspec.Struct):
    embedding: list[float] | str
    index: int | None = None


class Response(msgspec.Struct):
    """Whatever a server may send.

    Attributes:
        data: the vectors, in whatever order.
        usage: what it says of tokens.
        error: what it says went wrong, with the status of a success.
    """

    data: list[_Vector] | None = None
    usage: Any = None
    error: Any = None

    def rows(self, n: int) -> "list[Matrix] | None":
        """The vectors in the order of their n texts; None unless there is a good one for each.

        A vector is a list of numbers, or base64 of little-endian floats of 32 bits.
        """
        data: Sequence[_Vector] = self.data or []
        if len(data) != n:
            return None
        if all(each.index is not None for each in data):
            data = sorted(data, key=lambda each: each.index or 0)
            if [each.index for each in data] != list(range(n)):
                return None
        rows = [_row(each.embedding) for each in data]
        good = [row for row in rows if row is not None]
        return good if len(good) == n else None

    @property
    def tokens(self) -> int | None:
        """The tokens that the model read; None where the endpoint does not say."""
        usage = self.usage if isinstance(self.usage, dict) else {}
        said = usage.get("prompt_tokens", usage.get("total_tokens"))
        usable = isinstance(said, int) and not isinstance(said, bool) and said > 0
        return said if usable else None


_decode = msgspec.json.Decoder(Response).decode


def encode(model: str, texts: Sequence[str]) -> bytes:
    """The request's body."""
    return msgspec.json.encode({"model": model, "input": texts})


def read(body: bytes) -> Response:
    """A response's body; an empty response for one that is no JSON or of another form."""
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Response()


def _row(embedding: list[float] | str) -> "Matrix | None":
    import numpy as np

    try:
        row = (
            np.frombuffer(b64decode(embedding, validate=True), dtype="<f4").astype(np.float32)
            if isinstance(embedding, str)
            else np.array(embedding, dtype=np.float32)
        )
    except (binascii.Error, ValueError):
        return None
    return row if len(row) and np.isfinite(row).all() else None
