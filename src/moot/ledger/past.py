"""What replies in the store tell of how large calls are."""

import sqlite3
from collections.abc import Collection, Iterator

import msgspec

from moot.core.calls import Sampling
from moot.core.questions import WITHHELD
from moot.core.stored import PastReply

NEWEST = 2000
"""Replies that are looked at: the newest of the store."""

_request = msgspec.json.Decoder(tuple[str, msgspec.Raw, Sampling])
_withheld = WITHHELD.encode()


def past_replies(
    connection: sqlite3.Connection, models: Collection[str] | None
) -> Iterator[PastReply]:
    """The newest replies of the store, of these models if given; damaged ones are left out."""
    found = connection.execute(
        "SELECT model, request, prompt_tokens, completion_tokens FROM replies "
        "ORDER BY id DESC LIMIT ?",
        (NEWEST,),
    )
    for model, request, prompt, completion in found:
        if models is not None and model not in models:
            continue
        try:
            _, _, sampling = _request.decode(request)
        except (msgspec.MsgspecError, ValueError, TypeError):
            continue
        if not all(count is None or isinstance(count, int) for count in (prompt, completion)):
            continue
        size = 0 if _withheld in request else len(request)
        yield PastReply(model, sampling, size, prompt, completion)
