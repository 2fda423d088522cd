"""A user's documents: the files of a folder, divided into passages."""

import os
import re
import stat
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from moot.core.errors import InputError
from moot.debate.document_readers import READERS, DocumentPart, find_ending, read_document

FILES = 10_000
"""Documents that a folder has at most."""
BYTES = 64 * 2**20
"""Bytes that they have at most together."""
LONGEST = 1200
"""Characters of a passage: a longer paragraph is divided, after a sentence where it can be."""

FolderStamp = tuple[tuple[str, int, int], ...]
"""Every document's path within the folder, its size, and when it was written."""


class UnnumberedPassage(NamedTuple):
    """A passage before it has a number: its document with the line, and its words."""

    source: str
    text: str


def read_folder(folder: str) -> tuple[UnnumberedPassage, ...]:
    """Return all passages of a folder, by document and line: read anew when a document changes.

    Raises:
        InputError: it is missing, is none, has no document with words in it, more than ``FILES``
            documents or ``BYTES`` bytes, or one that cannot be read as UTF-8.
    """
    return _read_passages(folder, _stamp_folder(folder))


def hash_folder(folder: str) -> str:
    """A hash of all passages of a folder and of where they stand. Raises ``InputError``."""
    made = blake2b(digest_size=16)
    for piece in read_folder(folder):
        made.update(repr(piece).encode())
    return made.hexdigest()


def _stamp_folder(folder: str) -> FolderStamp:
    root = Path(folder)
    if not root.is_dir():
        told = "it is no folder" if root.exists() else "there is no such folder"
        raise InputError(f"{told}; give one with documents that end in {', '.join(READERS)}")
    found = sorted(each for each in _list_files(root) if find_ending(each[0]))
    if not found:
        raise InputError(f"it has no document; their names end in {', '.join(READERS)}")
    size = sum(size for _, size, _ in found)
    if len(found) > FILES or size > BYTES:
        raise InputError(
            f"it has {len(found):,} documents with {size:,} bytes; at most {FILES:,} with "
            f"{BYTES:,} are searched"
        )
    return tuple(found)


def list_unread(folder: str) -> list[str]:
    """Return the files of a folder that are not searched, since no reader knows their ending."""
    return sorted(name for name, *_ in _list_files(Path(folder)) if not find_ending(name))


def _list_files(root: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the files in a folder and in those below it; no links, and nothing hidden."""

    def unread(error: OSError) -> None:
        raise InputError(f"it cannot be read: {error.strerror}") from None

    for path, folders, names in os.walk(root, onerror=unread):  # it goes into no linked folder
        folders[:] = [name for name in folders if not name.startswith(".")]
        within = Path(path).relative_to(root).as_posix()
        for name in names:
            if not name.startswith("."):
                about = os.lstat(os.path.join(path, name))  # noqa: PTH118 -- a third of the time
                if stat.S_ISREG(about.st_mode):
                    place = name if within == "." else f"{within}/{name}"
                    yield place, about.st_size, about.st_mtime_ns


@lru_cache(maxsize=8)
def _read_passages(folder: str, stamp: FolderStamp) -> tuple[UnnumberedPassage, ...]:
    pieces = tuple(
        UnnumberedPassage(f"{name}{part.place or f':{line}'}", text)
        for name, _, _ in stamp
        for part in _read_file(Path(folder), name)
        for line, text in split_passages(part.text)
    )
    if not pieces:
        raise InputError("its documents are empty")
    return pieces


def _read_file(root: Path, name: str) -> list[DocumentPart]:
    try:
        content = (root / name).read_bytes()
    except OSError as error:
        raise InputError(f"{name}: it cannot be read: {error.strerror}") from None
    return read_document(name, content)


def split_passages(text: str) -> Iterator[tuple[int, str]]:
    """The passages of a document, each with the number of its first line, from 1.

    A passage is a paragraph: what stands between blank lines. A Markdown heading goes with what it
    heads. A paragraph of more than ``LONGEST`` characters makes several passages.
    """
    heads: list[tuple[int, str]] = []
    for line, paragraph in _split_paragraphs(text):
        if paragraph.startswith("#") and "\n" not in paragraph and len(paragraph) < LONGEST:
            heads.append((line, paragraph))
            continue
        for at, part in _split_paragraph(line, paragraph):
            first = heads[0][0] if heads else at
            yield first, "\n".join([*(head for _, head in heads), part])
            heads = []
    if heads:
        yield heads[0][0], "\n".join(head for _, head in heads)


def _split_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for words, group in groupby(enumerate(lines, 1), key=lambda each: bool(each[1].strip())):
        if words:
            numbers, found = zip(*group, strict=True)
            yield numbers[0], "\n".join(found).strip()


def _split_paragraph(line: int, paragraph: str) -> Iterator[tuple[int, str]]:
    """Yield a paragraph in parts of at most ``LONGEST`` characters, each with its first line."""
    at = 0
    while at < len(paragraph):
        end = len(paragraph)
        if end - at > LONGEST:
            window = paragraph[at : at + LONGEST]
            ends = [each.end() for each in _SENTENCE.finditer(window)] or [window.rfind(" ") + 1]
            end = at + (ends[-1] if ends[-1] > LONGEST // 2 else LONGEST)
        if part := paragraph[at:end].strip():
            yield line, part
        line += paragraph.count("\n", at, end)
        at = end


_SENTENCE = re.compile(r"[.!?…][\"'”’»)]*\s")
