"""The embeddings format: the request for a text, and the reply with its vector.

An embedding is a call like any other. Its last message is the text. The text of its reply is the
vector: base64 of little-endian floats of 32 bits, so that no digit is lost.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from moot.core.calls import Call, Message, Reply, Sampling
from moot.core.encoding import drop_mark
from moot.core.errors import NOT_JSON
from moot.models import chat_format

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Row = NDArray[np.float32]

PATH = "/embeddings"
"""The path of embeddings below an address."""
SAMPLING = Sampling(max_tokens=1)
"""The sampling of every embedding call: a budget sets aside one token for the reply."""


class _Vector(msgspec.Struct):
    embedding: list[float] | str


class _Response(msgspec.Struct):
    # Values of any type are decoded; the functions below check them.
    data: list[_Vector] | None = None
    usage: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Response).decode


def embedding_call(model: str, text: str) -> Call:
    """Return the call for the embedding of a text; ``model`` is the model's name in calls."""
    return Call(model=model, messages=(Message("user", text),), sampling=SAMPLING)


def decode_vector(reply: str) -> "Row":
    """Return the vector in the text of a reply. Raises ``ValueError`` if there is none."""
    import numpy as np

    packed = np.frombuffer(b64decode(reply, validate=True), dtype="<f4")
    if not len(packed) or not np.isfinite(packed).all():
        raise ValueError("a vector has numbers")
    return packed.astype(np.float32)


def fields(
    model: str,
    call: Call,
    *,
    seed: str | None,  # noqa: ARG001  an embedding has no seed
    changes: Mapping[str, str | None],  # noqa: ARG001  no parameter is optional
) -> dict[str, Any]:
    """Return the request's JSON object; see ``chat_format.fields``."""
    return {"model": model, "input": [call.messages[-1].content]}


def read(body: bytes, seconds: float) -> Reply:
    """Return the reply with the vector of a response.

    A vector is a list of numbers, or base64 of them as in ``decode_vector``. Tokens that are
    missing or impossible are unknown.

    Raises:
        chat_format.Unreadable: there is no vector in it.
    """
    try:
        found = _decode(drop_mark(body))
    except NOT_JSON:
        raise chat_format.Unreadable("the response holds no embedding") from None
    packed = _pack(found.data[0].embedding) if found.data and len(found.data) == 1 else None
    if packed is None:
        raise chat_format.Unreadable("the response holds no embedding", found.error)
    return Reply(
        text=packed, prompt_tokens=_tokens(found.usage), completion_tokens=0, seconds=seconds
    )


EMBEDDINGS = chat_format.WireFormat(PATH, fields, read)
"""Embeddings, a text a call."""


def _pack(embedding: list[float] | str) -> str | None:
    """Return a vector as the text of a reply; None where it is empty or not finite."""
    import numpy as np

    try:
        if isinstance(embedding, str):
            decode_vector(embedding)
            return embedding
        with np.errstate(over="ignore"):  # ``decode_vector`` refuses what is too large for 32 bits
            packed = b64encode(np.array(embedding, dtype="<f4").tobytes()).decode("ascii")
        decode_vector(packed)
    except (binascii.Error, ValueError, OverflowError):
        return None
    return packed


def _tokens(usage: object) -> int | None:
    """Return the tokens that the model read; None where the endpoint does not report them."""
    count = usage.get("prompt_tokens", usage.get("total_tokens")) if isinstance(usage, dict) else 0
    usable = isinstance(count, int) and not isinstance(count, bool) and 0 < count < 2**53
    return count if usable else None
