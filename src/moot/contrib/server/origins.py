"""Origins of pages of other sites that may ask a server."""

import re

from moot import InputError

ANY = "*"
"""Allows the pages of every site."""
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:\d{1,5})?|https?://\[[0-9a-f:]+\](:\d{1,5})?")


def check_origin(text: str, where: str) -> str:
    """Return an origin as browsers write it. Raises ``InputError`` for any other text."""
    origin = text.strip().lower()
    if origin != ANY and not _ORIGIN.fullmatch(origin):
        raise InputError(
            f"{where}: {text!r} is no origin: write https://HOST or http://HOST:PORT, without a "
            "path; or * for every site"
        )
    return origin
