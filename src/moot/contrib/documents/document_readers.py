"""Document readers: the words of a file, by the ending of its name, each with its place."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import NamedTuple

import msgspec

from moot import InputError
from moot.contrib.documents.document_blocks import DocumentPart, arrange
from moot.extend.words import format_things

MISSING = "it is read with {package}, which is not installed: pip install 'moot[essays]'"
PLAIN = (".txt", ".md")
"""Endings of texts that are read as they are."""
MOST_CHARACTERS = 20_000_000
"""Characters of a document's words: some 3 million words."""


class DocumentDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """The title, authors, year and address of a document; one that it does not state is empty.

    Attributes:
        title: its title.
        authors: their names, in order, as the document has them.
        year: of publication, four digits.
        address: a URL or a DOI's URL under which it can be had.
        coding: the name of the encoding as which a text was read that is no UTF-8.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    year: str = ""
    address: str = ""
    coding: str = ""


class ReadDocument(NamedTuple):
    """The words of a document.

    Attributes:
        parts: in order.
        left_out: what in it is not read, each with how often: ``2 comments``.
        details: what it says of itself.
    """

    parts: list[DocumentPart]
    left_out: tuple[str, ...] = ()
    details: DocumentDetails = DocumentDetails()


DocumentReader = Callable[[bytes, Counter[str]], Iterator[DocumentPart]]
"""Yields the parts of a file, and counts what it leaves out."""


def read_document(name: str, content: bytes) -> ReadDocument:
    """Return the words of a document.

    Args:
        name: its path, which says by its ending what it is.
        content: its bytes.

    Raises:
        InputError: it cannot be read as what its name says, or has no words; names the document.
    """
    from moot.contrib.documents.document_details import read_details

    ending = find_ending(name)
    package, read = READERS[ending]
    if package and find_spec(package) is None:
        raise InputError(f"{name}: {MISSING.format(package=package)}")
    left_out: Counter[str] = Counter()
    try:
        parts = [_without_surrogates(part) for part in _bound(read(content, left_out))]
        details = read_details(ending, content, parts)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except MemoryError:
        raise InputError(f"{name}: it takes more memory than there is") from None
    except Exception as error:  # noqa: BLE001 -- libraries raise anything over a damaged file
        raise InputError(f"{name}: it is no {ending} that can be read ({error})") from None
    if ending not in PLAIN and not any(part.text.strip() for part in parts):
        raise InputError(f"{name}: it has no words; a scan needs a program that reads it first")
    counted = (format_things(many, what) for what, many in sorted(left_out.items()) if many)
    return ReadDocument(parts, tuple(counted), details)


def _bound(parts: Iterator[DocumentPart]) -> Iterator[DocumentPart]:
    """Yield parts as long as they are no more words than a document may have."""
    size = 0
    for part in parts:
        size += len(part.text) + sum(map(len, part.heads))
        if size > MOST_CHARACTERS:
            raise InputError(f"it has more than {MOST_CHARACTERS:,} characters of words")
        yield part


def _without_surrogates(part: DocumentPart) -> DocumentPart:
    """Return a part whose halves of characters, which no text can be written with, are ``�``."""
    text, *heads = (
        each.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        for each in (part.text, *part.heads)
    )
    return part._replace(text=text, heads=tuple(heads))


def find_ending(name: str) -> str:
    """Return the ending of a document's name that says how it is read; empty for none of them."""
    folded = name.lower()
    return next((ending for ending in READERS if folded.endswith(ending)), "")


def _read_text(content: bytes, left_out: Counter[str]) -> Iterator[DocumentPart]:
    del left_out
    yield DocumentPart("", decode_text(content)[0])


_NO_TEXT = re.compile(r"[\0-\x08\x0e-\x1f\x7f\x80-\x9f]")
"""Signs that stand in no text."""
_OTHER_CODING = re.compile(r"[A-Za-zÀ-ÿ][¿³¹ª][A-Za-zÀ-ÿ]")
"""Signs within a word, which are letters in other codings: "Za¿ó³æ" is "Zażółć" in Windows-1250."""


def decode_text(content: bytes) -> tuple[str, str]:
    """Return a text, and the name of its coding where that is not UTF-8.

    It may be UTF-16 with a byte-order mark, or Windows-1252, of which Latin-1 is a part: most of it
    is ASCII then, it has no sign that stands in no text, and its words no sign of another coding.

    Raises:
        InputError: it is none of these.
    """
    try:
        return content.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        told = f"it is no UTF-8 (byte {error.start}), and its coding is not clear; save it as UTF-8"
    marked = content[:2] in {b"\xff\xfe", b"\xfe\xff"} and len(content) > 2
    ascii_bytes = len(content.translate(None, bytes(range(0x80, 0x100))))
    try:
        text = content.decode("utf-16" if marked else "cp1252")
    except UnicodeDecodeError:
        raise InputError(told) from None
    is_latin = 2 * ascii_bytes > len(content) and not _OTHER_CODING.search(text)
    if _NO_TEXT.search(text) or not (marked or is_latin):
        raise InputError(told)
    return text, "UTF-16" if marked else "Windows-1252"


def _read_page(content: bytes, left_out: Counter[str]) -> Iterator[DocumentPart]:
    from moot.contrib.documents.html_documents import read_html

    return arrange(read_html(content, left_out))


def _read_word(content: bytes, left_out: Counter[str]) -> Iterator[DocumentPart]:
    from moot.contrib.documents.word_documents import read_word

    return arrange(read_word(content, left_out))


def _read_pdf(content: bytes, left_out: Counter[str]) -> Iterator[DocumentPart]:
    from moot.contrib.documents.pdf_documents import read_pdf

    return arrange(read_pdf(content, left_out))


READERS: dict[str, tuple[str, DocumentReader]] = {
    ".txt": ("", _read_text),
    ".md": ("", _read_text),
    ".html": ("bs4", _read_page),
    ".htm": ("bs4", _read_page),
    ".pdf": ("pypdf", _read_pdf),
    ".docx": ("", _read_word),
}
"""The package that reads files with an ending, if any, and the reader."""
