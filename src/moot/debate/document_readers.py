"""Document readers: the words of a file, by the ending of its name, each with its place."""

import io
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from logging import ERROR, getLogger
from typing import Any, NamedTuple

from moot.core.errors import InputError

MISSING = "it is read with {package}, which is not installed: pip install 'moot[essays]'"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = [
    *_HEADINGS,
    *("p", "li", "blockquote", "td", "th", "pre", "dd", "dt", "figcaption", "caption", "div", "tr"),
    *("section", "article", "main", "aside", "header", "footer", "ul", "ol", "table", "form"),
]
LARGEST = 64 * 2**20
"""Bytes of a document when it is unpacked."""


class DocumentPart(NamedTuple):
    """A part of a document: a page, or all of it.

    Attributes:
        place: follows the document's name; empty where lines of the text are counted instead.
        text: its words; paragraphs stand between blank lines, headings behind a ``#``.
    """

    place: str
    text: str


DocumentReader = Callable[[bytes], Iterator[DocumentPart]]


def read_document(name: str, content: bytes) -> list[DocumentPart]:
    """Return the words of a document.

    Args:
        name: its path, which says by its ending what it is.
        content: its bytes.

    Raises:
        InputError: it cannot be read as what its name says, or has no words; names the document.
    """
    ending = find_ending(name)
    package, read = READERS[ending]
    if package and find_spec(package) is None:
        raise InputError(f"{name}: {MISSING.format(package=package)}")
    try:
        parts = list(read(content))
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    except Exception as error:  # noqa: BLE001 -- libraries raise anything over a damaged file
        raise InputError(f"{name}: it is no {ending} that can be read ({error})") from None
    if package and not any(part.text.strip() for part in parts):
        raise InputError(f"{name}: it has no words; a scan needs a program that reads it first")
    return parts


def find_ending(name: str) -> str:
    """Return the ending of a document's name that says how it is read; empty for none of them."""
    folded = name.lower()
    return next((ending for ending in READERS if folded.endswith(ending)), "")


def _read_text(content: bytes) -> Iterator[DocumentPart]:
    try:
        yield DocumentPart("", content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"it is no UTF-8 (byte {error.start})") from None


def _read_html(content: bytes) -> Iterator[DocumentPart]:
    """Read the words of a page, without its script, style and navigation."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(content, "html.parser")
    for each in page(["script", "style", "noscript", "template", "nav", "head"]):
        each.decompose()
    for said in page.find_all(string=True):
        said.replace_with(" ".join(f"x{said}x".split())[1:-1])  # its lines are no paragraphs
    for each in page("br"):
        each.replace_with(" ")
    for each in page.find_all(_BLOCKS):  # words belong to their nearest block
        tag = f"{'#' * int(each.name[1])} " if each.name in _HEADINGS else ""
        each.insert_before(f"\n\n{tag}")
        each.insert_after("\n\n")
    words = page.get_text("")
    flat = (" ".join(each.split()) for each in words.split("\n\n"))
    yield from _number([each for each in flat if each.strip("# ")])


def _read_pdf(content: bytes) -> Iterator[DocumentPart]:
    from pypdf import PdfReader

    getLogger("pypdf").setLevel(ERROR)  # what it can repair is nothing for the terminal
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError("it is encrypted with a password")
    for number, page in enumerate(reader.pages, 1):
        yield DocumentPart(f", page {number}", page.extract_text())


def _read_docx(content: bytes) -> Iterator[DocumentPart]:
    """Read the paragraphs of a document, and the cells of its tables."""
    from docx import Document
    from docx.table import Table

    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(each.file_size for each in packed.infolist()) > LARGEST:
            raise InputError(f"it has more than {LARGEST:,} bytes when it is unpacked")
    lines: list[str] = []
    for block in Document(io.BytesIO(content)).iter_inner_content():
        if isinstance(block, Table):
            lines += [" | ".join(cell.text for cell in row.cells) for row in block.rows]
        else:
            lines.append(_mark_style(block))
    yield from _number(lines)


def _mark_style(paragraph: Any) -> str:  # noqa: ANN401 -- of docx
    style = (paragraph.style.name or "") if paragraph.style else ""
    level = style.rpartition(" ")[2] if style.startswith("Heading") else "1" * (style == "Title")
    return f"{'#' * int(level)} {paragraph.text}" if level.isdigit() else paragraph.text


def _number(lines: list[str]) -> Iterator[DocumentPart]:
    """Yield each paragraph with its number, headings with what they head."""
    heads: list[str] = []
    for number, line in enumerate(filter(str.strip, lines), 1):
        heads.append(line)
        if not line.startswith("#"):
            yield DocumentPart(f", paragraph {number}", "\n\n".join(heads))
            heads = []
    if heads:
        yield DocumentPart(", at the end", "\n\n".join(heads))


READERS: dict[str, tuple[str, DocumentReader]] = {
    ".txt": ("", _read_text),
    ".md": ("", _read_text),
    ".html": ("bs4", _read_html),
    ".htm": ("bs4", _read_html),
    ".pdf": ("pypdf", _read_pdf),
    ".docx": ("docx", _read_docx),
}
"""The package that reads files with an ending, if any, and the reader."""
