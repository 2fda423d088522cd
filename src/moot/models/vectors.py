"""The embeddings format: what is sent for a text, and the reply that its vector makes.

An embedding is a call like any other: its last message is the text, and the text of its reply is
the vector, as base64 of little-endian floats of 32 bits, from which it is had back exactly.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from moot.core.calls import Call, Message, Reply, Sampling
from moot.core.errors import NOT_JSON
from moot.models import wire

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.float32]

PATH = "/embeddings"
"""What is added to an address to reach its embeddings."""
SAMPLING = Sampling(max_tokens=1)
"""Of every call for an embedding, so that next to nothing is set aside for what is written."""


class _Vector(msgspec.Struct):
    embedding: list[float] | str


class _Response(msgspec.Struct):
    # Whatever a server may send is read; what it may mean is decided below.
    data: list[_Vector] | None = None
    usage: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Response).decode


def asked(model: str, text: str) -> Call:
    """The call for the embedding of a text by the model that has this name in calls."""
    return Call(model=model, messages=(Message("user", text),), sampling=SAMPLING)


def vector(reply: str) -> "Row":
    """The vector that the text of a reply stands for. Raises ``ValueError`` if it is none."""
    import numpy as np

    packed = np.frombuffer(b64decode(reply, validate=True), dtype="<f4")
    if not len(packed) or not np.isfinite(packed).all():
        raise ValueError("a vector has numbers")
    return packed.astype(np.float32)


def fields(
    model: str,
    call: Call,
    *,
    seed: str | None,  # noqa: ARG001  nothing is drawn
    changes: Mapping[str, str | None],  # noqa: ARG001  there is nothing to leave out
) -> dict[str, Any]:
    """The request's JSON object; see ``wire.fields``."""
    return {"model": model, "input": [call.messages[-1].content]}


def read(body: bytes, seconds: float) -> Reply:
    """The reply that the vector in a response makes. Raises ``wire.Unreadable`` if it has none.

    A vector is a list of numbers, or base64 of them as in ``vector``. Tokens that are missing or
    senseless are unknown.
    """
    try:
        found = _decode(body)
    except NOT_JSON:
        raise wire.Unreadable("the response holds no embedding") from None
    packed = _packed(found.data[0].embedding) if found.data and len(found.data) == 1 else None
    if packed is None:
        raise wire.Unreadable("the response holds no embedding", found.error)
    return Reply(
        text=packed, prompt_tokens=_tokens(found.usage), completion_tokens=0, seconds=seconds
    )


EMBEDDINGS = wire.Format(PATH, fields, read)
"""Embeddings, a text a call."""


def _packed(embedding: list[float] | str) -> str | None:
    """A vector as the text of a reply; None if it is no good."""
    import numpy as np

    try:
        if isinstance(embedding, str):
            vector(embedding)
            return embedding
        with np.errstate(over="ignore"):  # what is too large for 32 bits is told by ``vector``
            packed = b64encode(np.array(embedding, dtype="<f4").tobytes()).decode("ascii")
        vector(packed)
    except (binascii.Error, ValueError, OverflowError):
        return None
    return packed


def _tokens(usage: object) -> int | None:
    """The tokens that the model read; None where the endpoint does not say."""
    said = usage.get("prompt_tokens", usage.get("total_tokens")) if isinstance(usage, dict) else 0
    usable = isinstance(said, int) and not isinstance(said, bool) and 0 < said < 2**53
    return said if usable else None
