"""Weights on the Hugging Face hub: ``hf:OWNER/REPO/FILE.gguf[@REVISION]``."""

import re

from moot.core.errors import InputError
from moot.hub.place import Place, locate

_SOURCE = re.compile(
    r"hf:(?P<repo>[^/@]+/[^/@]+)/(?P<file>[^@]+\.gguf)(@(?P<revision>.*))?", re.IGNORECASE
)


def parse(source: str) -> Place:
    """Take a source apart. Raises ``InputError`` if it is none."""
    match, why = _SOURCE.fullmatch(source), ""
    if match:
        revision = "main" if match["revision"] is None else match["revision"]
        try:
            return locate(match["repo"], match["file"], revision)
        except InputError as error:
            why = f"{error}; "
    raise InputError(
        f"weights {source!r}: {why}write hf:OWNER/REPO/FILE.gguf or "
        "hf:OWNER/REPO/FILE.gguf@REVISION"
    )
