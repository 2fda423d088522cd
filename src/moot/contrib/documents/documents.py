"""A user's documents: the files of folders, divided into passages.

The setting that names them is a folder or a file; or several, a line each, and in lines that begin
with ``!`` the names of documents that are left out.
"""

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
from moot.extend.words import on_one_line

FILES = 10_000
"""Documents that a folder has at most."""
BYTES = 64 * 2**20
"""Bytes that they have at most together."""
LONGEST = 1200
"""Characters of a passage: a longer paragraph is divided, after a sentence where it can be."""

MOST_NAMED = 5
"""The most documents that cannot be read and are named."""
LEFT_OUT = "!"
"""Stands before the name of a document that is left out, in the setting of several lines."""


class SourceFile(NamedTuple):
    """A file of the sources.

    Attributes:
        name: its path within its source, below the source's name where there are several.
        size: in bytes.
        written: when it was written last, in nanoseconds.
        path: where it is.
        skipped: whether the setting leaves it out.
    """

    name: str
    size: int
    written: int
    path: str
    skipped: bool = False


FolderStamp = tuple[SourceFile, ...]
"""Every document of the sources, by name."""


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
    """The contents of the documents of a folder.

    Attributes:
        pieces: all passages, by document and line.
        left_out: the parts of each document that are not read, by its name: ``2 comments``.
        documents: the name of each document that has passages, and the place of its first.
        details: what each document says of itself, by its name.
    """

    pieces: tuple[UnnumberedPassage, ...]
    left_out: dict[str, str]
    documents: tuple[tuple[str, int], ...]
    details: dict[str, DocumentDetails]

    @property
    def gaps(self) -> tuple[str, ...]:
        """All that is not read, each behind the name of its document: ``a.docx: 2 comments``."""
        return tuple(f"{name}: {words}" for name, words in self.left_out.items())

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
    return _read_passages(_stamp(_list_all(folder)))


def hash_folder(folder: str) -> str:
    """A hash of all passages of a folder and of where they stand. Raises ``InputError``."""
    made = blake2b(digest_size=16)
    for piece in read_folder(folder):
        made.update(f"UnnumberedPassage(source={piece.source!r}, text={piece.text!r})".encode())
    return made.hexdigest()


def join_sources(sources: Sequence[str | Path], *, skip_unreadable: bool = False) -> str:
    """Return the setting of several folders and files; that of one is its path.

    Args:
        sources: where they are.
        skip_unreadable: whether documents that cannot be read are left out; see
            ``find_unreadable``, which says why.

    Raises:
        InputError: one is no folder and no document, none can be read, or a path has a line's end
            or begins with ``!``, which the setting could not tell from a document left out.
    """
    for given in map(str, sources):
        if "\n" in given:
            raise InputError(f"{on_one_line(given)}: a path has no line's end; give each by itself")
        if given.startswith(LEFT_OUT):
            raise InputError(
                f"{given}: {LEFT_OUT} stands before a document that is left out; give the full "
                "path of one with such a name"
            )
    joined = "\n".join(map(str, sources))
    skipped = find_unreadable(joined) if skip_unreadable else ()
    return "\n".join([joined, *(f"{LEFT_OUT}{name}" for name in skipped)])


def resolve_sources(evidence: str, folder: Path) -> str:
    """Return the setting of a file, whose paths are relative to the file's folder."""
    return "\n".join(
        line if line.startswith(LEFT_OUT) else str(folder / line) for line in evidence.split("\n")
    )


class _Source(NamedTuple):
    """A folder or a file with documents.

    Attributes:
        path: where it is.
        prefix: what stands before the names of its documents, where there are several sources.
    """

    path: Path
    prefix: str


def _list_sources(evidence: str) -> tuple[list[_Source], set[str]]:
    """Return the folders and files of the setting, and the names that it leaves out.

    Raises:
        InputError: one is neither a folder nor a document.
    """
    lines = [line for line in evidence.split("\n") if line]
    paths = [Path(line) for line in lines if not line.startswith(LEFT_OUT)]
    if not paths:
        raise InputError(f"it names no folder and no document, only what is left out ({LEFT_OUT})")
    for path in paths:
        if not path.is_dir() and not (path.is_file() and find_ending(path.name)):
            told = "there is no such folder"
            if path.exists():
                told = "it is no folder" if path.is_file() else "it is neither a folder nor a file"
            named = f"{path}: " if len(paths) > 1 else ""
            raise InputError(
                f"{named}{told}; give one with documents that end in {', '.join(READERS)}"
            )
    several = len(paths) > 1
    sources = [
        _Source(path, f"{path.resolve().name}/" if several and path.is_dir() else "")
        for path in paths
    ]
    return sources, {line.removeprefix(LEFT_OUT) for line in lines if line.startswith(LEFT_OUT)}


def _list_all(evidence: str) -> Iterator[SourceFile]:
    """Yield the files of all sources, those that are left out as well.

    Raises:
        InputError: two have one name, or a name that is left out has no file.
    """
    sources, left_out = _list_sources(evidence)
    names = set[str]()
    for path, prefix in sources:
        for file in _list_files(path):
            if (named := f"{prefix}{file.name}") in names:
                raise InputError(f"{named}: two documents have this name; give the folder above")
            names.add(named)
            yield file._replace(name=named, skipped=named in left_out)
    if unknown := sorted(left_out - names):
        raise InputError(
            f"{LEFT_OUT}{unknown[0]}: no document has the name {unknown[0]}, so that none is left "
            "out; write it as the list of documents has it"
        )


def _stamp(files: Iterable[SourceFile]) -> FolderStamp:
    documents = sorted(each for each in files if find_ending(each.name))
    found = [each for each in documents if not each.skipped]
    if not found:
        raise InputError(f"it has no document; their names end in {', '.join(READERS)}")
    size = sum(each.size for each in found)
    if len(found) > FILES or size > BYTES:
        raise InputError(
            f"it has {len(found):,} documents with {size:,} bytes; at most {FILES:,} with "
            f"{BYTES:,} are searched"
        )
    return tuple(documents)


def list_unread(folder: str) -> list[str]:
    """Return the files of a folder that are not searched, since no reader knows their ending."""
    return _sort_unread(_list_all(folder))


def _sort_unread(files: Iterable[SourceFile]) -> list[str]:
    return sorted(each.name for each in files if not find_ending(each.name))


def read_with_unread(folder: str) -> tuple[ReadFolder, list[str]]:
    """Return ``read_documents`` and ``list_unread`` of a folder, which is walked through once."""
    files = list(_list_all(folder))
    return _read_passages(_stamp(files)), _sort_unread(files)


def _list_files(root: Path) -> Iterator[SourceFile]:
    """Yield a file, or those in a folder and in the folders below it; no links, nothing hidden."""
    if root.is_file():
        about = root.stat()
        yield SourceFile(root.name, about.st_size, about.st_mtime_ns, str(root))
        return

    def unread(error: OSError) -> None:
        raise InputError(f"it cannot be read: {error.strerror}") from None

    for path, folders, names in os.walk(root, onerror=unread):  # it goes into no linked folder
        folders[:] = [name for name in folders if not name.startswith(".")]
        within = Path(path).relative_to(root).as_posix()
        for name in names:
            if not name.startswith("."):
                file = f"{path}/{name}"
                about = os.lstat(file)
                if stat.S_ISREG(about.st_mode):
                    place = name if within == "." else f"{within}/{name}"
                    yield SourceFile(place, about.st_size, about.st_mtime_ns, file)


@lru_cache(maxsize=8)
def _read_passages(stamp: FolderStamp) -> ReadFolder:
    pieces: list[UnnumberedPassage] = []
    left_out: dict[str, str] = {}
    documents: list[tuple[str, int]] = []
    details: dict[str, DocumentDetails] = {}
    for name, document in _read_all(each for each in stamp if not each.skipped):
        first = len(pieces)
        pieces += (
            UnnumberedPassage(f"{name}{part.place or f':{line}'}", text, heads)
            for part in document.parts
            for line, text, heads in split_passages(part.text, part.heads)
        )
        if len(pieces) > first:
            documents.append((name, first))
            details[name] = document.details
        if document.left_out:
            left_out[name] = ", ".join(document.left_out)
    if not pieces:
        raise InputError("its documents are empty")
    left_out |= {each.name: _describe_skipped(each) for each in stamp if each.skipped}
    return ReadFolder(tuple(pieces), left_out, tuple(documents), details)


def _read_all(files: Iterable[SourceFile]) -> Iterator[tuple[str, ReadDocument]]:
    """Yield the documents in some files, with their names.

    Raises:
        InputError: at the end, if some cannot be read; names the first of them.
    """
    faults = []
    for file in files:
        try:
            document = _read_file(file)
        except InputError as error:
            faults.append(str(error))
        else:
            if not faults:
                yield file.name, document
    if faults:
        more = f"; and {len(faults) - MOST_NAMED:,} more" * (len(faults) > MOST_NAMED)
        raise InputError("; ".join(faults[:MOST_NAMED]) + more)


def _describe_skipped(file: SourceFile) -> str:
    """Describe a document that is left out: as was asked, or since it cannot be read."""
    fault = _find_fault(file)
    return f"{fault} (all of it is left out)" if fault else "all of it, as was asked"


def _find_fault(file: SourceFile) -> str:
    """Return the reason that a document cannot be read; empty for one that can."""
    try:
        _read_file(file)
    except InputError as error:
        return str(error).removeprefix(f"{file.name}: ")
    return ""


def find_unreadable(evidence: str) -> dict[str, str]:
    """Return the documents that cannot be read, and why. Raises ``InputError`` as ``read_folder``.

    The setting with a line ``!NAME`` for each reads the others.
    """
    faults = ((file.name, _find_fault(file)) for file in _stamp(_list_all(evidence)))
    return {name: fault for name, fault in faults if fault}


def _read_file(file: SourceFile) -> ReadDocument:
    path = Path(file.path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{file.name}: it cannot be read: {error.strerror}") from None
    return find_parts(path, content) or read_document(file.name, content)


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
