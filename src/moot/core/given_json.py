"""JSON that others wrote: what it says, or why it is none."""

from typing import Any

import msgspec

from moot.core.encoding import describe_not_json, drop_mark
from moot.core.errors import NOT_JSON, InputError


def decode_json(content: bytes, kind: Any = Any) -> Any:  # noqa: ANN401 -- JSON is anything
    """Decode JSON in UTF-8 as a value of a type.

    Raises:
        InputError: it is none; the text says why.
    """
    try:
        return msgspec.json.decode(drop_mark(content), type=kind)
    except NOT_JSON as error:
        raise InputError(describe_not_json(error, content)) from None
