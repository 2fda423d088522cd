"""A user's documents: the files of a folder, divided into passages."""

import os
import re
import stat
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from moot import InputError
from moot.contrib.documents.document_blocks import HeadingStack, is_caption
from moot.contrib.documents.document_parts import find_parts
from moot.contrib.documents.document_readers import (
    READERS,
    DocumentDetails,
    ReadDocument,
    find_ending,
    read_document,
)

FILES = 10_000
"""Documents that a folder has at most."""
BYTES = 64 * 2**20
"""Bytes that they have at most together."""
LONGEST = 1200
"""Characters of a passage: a longer paragraph is divided, after a sentence where it can be."""

FolderStamp = tuple[tuple[str, int, int], ...]
"""Every document's path within the folder, its size, and when it was written."""


class UnnumberedPassage(NamedTuple):
    """A passage before it has a number.

    Attributes:
        source: its document with the line.
        text: its words, below the headings above it.
        heads: how many characters of the text are headings, captions and heads of tables that
            other passages have, too.
    """

    source: str
    text: str
    heads: int = 0


class ReadFolder(NamedTuple):
    """What is in the documents of a folder.

    Attributes:
        pieces: all passages, by document and line.
        left_out: what is not read, by document: ``a.docx: 2 comments``.
        documents: the name of each document that has passages, and the place of its first.
        details: what each document says of itself, by its name.
    """

    pieces: tuple[UnnumberedPassage, ...]
    left_out: tuple[str, ...]
    documents: tuple[tuple[str, int], ...]
    details: dict[str, DocumentDetails]

    def name_document(self, place: int) -> str:
        """Return the name of the document that has the passage at a place."""
        return self.documents[bisect_right(self.documents, place, key=itemgetter(1)) - 1][0]

    def neighbours(self, place: int) -> range:
        """Return the places of a passage and of those beside it in its document."""
        near = range(max(0, place - 1), min(len(self.pieces), place + 2))
        own = [each for each in near if self.name_document(each) == self.name_document(place)]
        return range(own[0], own[-1] + 1)


def read_folder(folder: str) -> tuple[UnnumberedPassage, ...]:
    """Return all passages of a folder, by document and line: read anew when a document changes.

    Raises:
        InputError: it is missing, is none, has no document with words in it, more than ``FILES``
            documents or ``BYTES`` bytes, or one that cannot be read as UTF-8.
    """
    return read_documents(folder).pieces


def read_documents(folder: str) -> ReadFolder:
    """Return all that is in a folder's documents. Raises ``InputError`` as ``read_folder`` does."""
    return _read_passages(folder, _stamp_folder(folder))


def hash_folder(folder: str) -> str:
    """A hash of all passages of a folder and of where they stand. Raises ``InputError``."""
    made = blake2b(digest_size=16)
    for piece in read_folder(folder):
        made.update(f"UnnumberedPassage(source={piece.source!r}, text={piece.text!r})".encode())
    return made.hexdigest()


def _stamp_folder(folder: str) -> FolderStamp:
    root = Path(folder)
    if not root.is_dir():
        told = "it is no folder" if root.exists() else "there is no such folder"
        raise InputError(f"{told}; give one with documents that end in {', '.join(READERS)}")
    return _stamp(_list_files(root))


def _stamp(files: Iterable[tuple[str, int, int]]) -> FolderStamp:
    found = sorted(each for each in files if find_ending(each[0]))
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
    return _sort_unread(_list_files(Path(folder)))


def _sort_unread(files: Iterable[tuple[str, int, int]]) -> list[str]:
    return sorted(name for name, *_ in files if not find_ending(name))


def read_with_unread(folder: str) -> tuple[ReadFolder, list[str]]:
    """Return ``read_documents`` and ``list_unread`` of a folder, which is walked through once."""
    files = list(_list_files(Path(folder)))
    return _read_passages(folder, _stamp(files)), _sort_unread(files)


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
def _read_passages(folder: str, stamp: FolderStamp) -> ReadFolder:
    pieces: list[UnnumberedPassage] = []
    left_out: list[str] = []
    documents: list[tuple[str, int]] = []
    details: dict[str, DocumentDetails] = {}
    for name, _, _ in stamp:
        document, first = _read_file(Path(folder), name), len(pieces)
        pieces += (
            UnnumberedPassage(f"{name}{part.place or f':{line}'}", text, heads)
            for part in document.parts
            for line, text, heads in split_passages(part.text, part.heads)
        )
        if len(pieces) > first:
            documents.append((name, first))
            details[name] = document.details
        if document.left_out:
            left_out.append(f"{name}: {', '.join(document.left_out)}")
    if not pieces:
        raise InputError("its documents are empty")
    return ReadFolder(tuple(pieces), tuple(left_out), tuple(documents), details)


def _read_file(root: Path, name: str) -> ReadDocument:
    try:
        content = (root / name).read_bytes()
    except OSError as error:
        raise InputError(f"{name}: it cannot be read: {error.strerror}") from None
    return find_parts(root / name, content) or read_document(name, content)


def split_passages(text: str, heads: Sequence[str] = ()) -> Iterator[tuple[int, str, int]]:
    """The passages of a document: first line, from 1, text, and the characters of its headings.

    A passage is a paragraph, what stands between blank lines, below the headings above it. A table
    is one with its caption and its head; a longer one makes several, each with both. A paragraph of
    more than ``LONGEST`` characters makes several passages.

    Args:
        text: of the document, or of a part of it.
        heads: the headings above the part.
    """
    stack = HeadingStack()
    line = 1
    for line, paragraph, named in _join_captions(_split_paragraphs(text)):
        if match := _HEADING.fullmatch(paragraph):
            yield from ((line, head, 0) for head in stack.push(len(match[1]), paragraph))
            continue
        above = "".join(f"{head}\n" for head in (*heads, *stack.above()))
        split = _split_table if _is_table(paragraph) else _split_paragraph
        for at, part, repeated in split(line, named + paragraph):
            yield at, above + part, len(above) + repeated
    if left := stack.end():
        yield line, "\n".join(left), 0


def _join_captions(
    paragraphs: Iterator[tuple[int, str]],
) -> Iterator[tuple[int, str, str]]:
    """Yield paragraphs, each table with the caption that stands before it."""
    caption: tuple[int, str] | None = None
    for line, paragraph in paragraphs:
        if caption and _is_table(paragraph):
            yield caption[0], paragraph, f"{caption[1]}\n"
            caption = None
            continue
        if caption:
            yield *caption, ""
        caption = (line, paragraph) if "\n" not in paragraph and is_caption(paragraph) else None
        if not caption:
            yield line, paragraph, ""
    if caption:
        yield *caption, ""


_HEADING = re.compile(rf"(#{{1,6}})\s[^\n]{{1,{LONGEST}}}")
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")


def _split_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs and headings, each with its first line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found: list[str] = []
    fenced = False
    for number, said in enumerate([*lines, ""], 1):
        fenced ^= bool(_FENCE.match(said))
        is_heading = not fenced and bool(_HEADING.fullmatch(said.strip()))
        if found and (is_heading or not said.strip()):
            yield number - len(found), "\n".join(found).strip()
            found = []
        if is_heading:
            yield number, said.strip()
        elif said.strip():
            found.append(said)


_RULE_LINE = re.compile(r"[\s|:+-]+")


def _is_table(paragraph: str) -> bool:
    """Return whether a paragraph is a table: rows of cells with a bar between them."""
    rows = [each for each in paragraph.split("\n") if "|" in each.strip().strip("|")]
    return len(rows) > 1 and len(rows) >= paragraph.count("\n")


def _split_table(line: int, table: str) -> Iterator[tuple[int, str, int]]:
    """Yield a table in parts of at most ``LONGEST`` characters, each with its caption and head."""
    rows = table.split("\n")
    first = next(place for place, row in enumerate(rows) if "|" in row)
    top = first + 1 + (len(rows) > first + 1 and bool(_RULE_LINE.fullmatch(rows[first + 1])))
    head = "".join(f"{row}\n" for row in rows[:top])
    if len(table) <= LONGEST or len(head) > LONGEST // 2:
        yield from _split_paragraph(line, table)
        return
    part, at = "", line
    for place, row in enumerate(rows[top:], top):
        if part and len(head) + len(part) + len(row) > LONGEST:
            yield at, head + part.rstrip("\n"), len(head)
            part, at = "", line + place - first
        part += f"{row[: LONGEST - len(head)]}\n"
    if part:
        yield at, head + part.rstrip("\n"), len(head)


def _split_paragraph(line: int, paragraph: str) -> Iterator[tuple[int, str, int]]:
    """Yield a paragraph in parts of at most ``LONGEST`` characters, each with its first line."""
    at = 0
    while at < len(paragraph):
        end = len(paragraph)
        if end - at > LONGEST:
            window = paragraph[at : at + LONGEST]
            ends = [each.end() for each in _SENTENCE.finditer(window)] or [window.rfind(" ") + 1]
            end = at + (ends[-1] if ends[-1] > LONGEST // 2 else LONGEST)
        if part := paragraph[at:end].strip():
            yield line, part, 0
        line += paragraph.count("\n", at, end)
        at = end


_SENTENCE = re.compile(r"[.!?…][\"'”’»)]*\s")


def take_beginning(text: str, most: int) -> str:
    """Return the first sentences of a text, of at most so many characters; cut in a long one."""
    flat = " ".join(text.split())
    ends = [each.end() for each in _SENTENCE.finditer(flat[: most + 1])]
    if len(flat) <= most:
        return flat
    return flat[: ends[-1]].rstrip() if ends else f"{flat[: most - 1].rpartition(' ')[0]}…"


def take_end(text: str, most: int) -> str:
    """Return the last sentences of a text, of at most so many characters; cut in a long one."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    starts = [each.end() for each in _SENTENCE.finditer(flat) if each.end() >= len(flat) - most]
    return flat[starts[0] :] if starts else f"…{flat[1 - most :].partition(' ')[2]}"
