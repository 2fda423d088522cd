"""Document parts beside a document: what was read of it once, so that it is not read again."""

from hashlib import blake2b
from pathlib import Path

import msgspec

from moot.contrib.documents.document_readers import (
    PLAIN,
    READERS,
    ReadDocument,
    find_ending,
    read_document,
)

READER = 3
"""Goes up when readers find other words or details in the same documents."""


class _Kept(msgspec.Struct, frozen=True):
    """The words of a document, by which reader, and the digest of its bytes."""

    reader: int
    digest: str
    document: ReadDocument


def parts_path(document: Path) -> Path:
    """Return where the parts of a document are kept: a hidden file beside it."""
    return document.with_name(f".{document.name}.parts")


def write_parts(path: Path, content: bytes, document: ReadDocument) -> None:
    """Keep what was read of a document."""
    kept = _Kept(READER, _digest(content), document)
    path.write_bytes(msgspec.json.encode(kept))
    path.chmod(0o600)


def find_parts(document: Path, content: bytes) -> ReadDocument | None:
    """Return the kept words of a document with these bytes; None where none are kept."""
    try:
        kept = msgspec.json.decode(parts_path(document).read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return None
    is_same = (kept.reader, kept.digest) == (READER, _digest(content))
    return kept.document if is_same else None


class DocumentFile:
    """Documents by name and bytes: how they are read, and where what was read of them is kept."""

    ENDINGS = tuple(READERS)
    find_ending = staticmethod(find_ending)
    read = staticmethod(read_document)
    keep = staticmethod(write_parts)
    find_parts = staticmethod(parts_path)

    @staticmethod
    def is_plain(name: str) -> bool:
        """Whether a document of this name is a text that is read as it is."""
        return find_ending(name) in PLAIN


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
