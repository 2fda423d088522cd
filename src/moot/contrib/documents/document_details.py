"""Document details: who wrote a document, its title and its year, as the document itself says.

Nothing is guessed: a detail that a document does not state is empty. The date of a PDF file is not
read, since it is that of its last export; a Word document without another date has its file's.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from logging import ERROR, getLogger

from moot.contrib.documents.document_blocks import DocumentPart
from moot.contrib.documents.document_readers import DocumentDetails, decode_text
from moot.contrib.documents.person_names import is_person, split_names
from moot.contrib.documents.word_documents import parse_part
from moot.extend.words import on_one_line

LONGEST_DETAIL = 300
"""Characters of a title or an address."""
FIRST_PARTS = 12
"""Paragraphs at the beginning of a document that may have a line of its authors or its date."""
LONGEST_LINE = 160
"""Characters of such a line."""
_LARGEST_CORE = 2**20
"""Bytes of the properties of a Word document."""
_TEMPLATE_YEAR = "2013-12-23T23:15:00Z"
"""The date of python-docx's own template, which every document that it makes has at first."""


def read_details(ending: str, content: bytes, parts: Sequence[DocumentPart]) -> DocumentDetails:
    """Return the details that a document states, in its properties or on its first page.

    Args:
        ending: of its name, which says what it is.
        content: its bytes.
        parts: its words.
    """
    try:
        declared = _READERS[ending](content)
    except Exception:  # noqa: BLE001 -- properties that cannot be read say nothing; its words stay
        declared = DocumentDetails()
    lines = _list_first_lines(parts, ending)
    years = [declared.year, _find_year(lines)]
    if ending == ".docx":  # its file was made before it was published
        years.reverse()
    return DocumentDetails(
        title=declared.title or _find_title(lines),
        authors=declared.authors or _find_authors(lines),
        year=next(filter(None, years), ""),
        address=declared.address or (_find_doi(lines) if ending == ".pdf" else ""),
        coding=declared.coding,
    )


def _list_first_lines(parts: Sequence[DocumentPart], ending: str) -> list[str]:
    """Return the lines at the beginning of a document, headings behind their ``#``.

    They are those of the first page of a PDF.
    """
    lines: dict[str, None] = {}
    for part in parts[:FIRST_PARTS]:
        if ending == ".pdf" and not re.match(r", pages? 1\b", part.place):
            break
        lines |= dict.fromkeys(part.heads)
        body = part.text[:4000]
        front = _FRONT.match(body)
        body = body[front.end() :] if front else body
        lines |= dict.fromkeys(filter(None, map(str.strip, body.split("\n")[:FIRST_PARTS])))
    return [line for line in lines if len(line) <= LONGEST_LINE]


_GENERIC = re.compile(
    r"\d.*|(?:chapter|part|section|kapitel) \d.*"
    r"|(?:abstract|summary|executive summary|introduction|contents|table of contents|einleitung"
    r"|zusammenfassung|inhalt|résumé|introducción|references?|foreword|preface)\W*",
    re.IGNORECASE,
)
"""Headings that are no title of a document."""


def _find_title(lines: Iterable[str]) -> str:
    """Return the first of the outermost headings at the beginning; empty without one."""
    heads = [match for line in lines if (match := _HEADING.fullmatch(line))]
    named = [each for each in heads if not _GENERIC.fullmatch(each[2])]
    return _clean(min(named, key=lambda each: len(each[1]))[2]) if named else ""


_HEADING = re.compile(r"(#{1,6})[ \t]+(.+)")
_BY = re.compile(
    r"(?:by|von|par|por|di|door)\s+(?P<by>.+)"
    r"|(?:authors?|written by|autor(?:in|innen|en|a|es|as)?|auteure?s?|autore|verfasser(?:in)?)"
    r"\s*:\s*(?P<named>.+)",
    re.IGNORECASE,
)


def _find_authors(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the names in a line such as "By Ada Stone and Ben Fry"; none without one."""
    for line in lines:
        if match := _BY.fullmatch(line.strip("#*_ ")):
            names = split_names(match["named"] or match["by"])
            if names and all(map(is_person, names)):
                return names
    return ()


_YEAR = r"(?<![\d.:/])((?:19|20)\d\d)(?![\d.]\d|\d)"
_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|mars|avr|juin|juil"
    "|août|déc|ene|abr|ago|set|dic|gen|mag|giu|lug|ott"
)
_DATE = re.compile(
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|\.|er)?\s+)?(?:de\s+)?(?:{_MONTHS})[^\W\d_]{{0,9}}\.?\s+"
    rf"(?:de\s+)?(?:\d{{1,2}},?\s+)?{_YEAR}|{_YEAR}-\d\d(?:-\d\d)?"
    r"|\d{1,2}[./]\s?\d{1,2}[./]\s?((?:19|20)\d\d)",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"(?:(?:©|\(c\)|copyright)[\s©]*|arxiv:\S+(?: \[[\w.-]+\])?\s+"
    r"|(?:(?:first |last |revised and )?(?:published|publication date|date|updated|issued|posted"
    r"|modified|datum|stand|veröffentlicht|erschienen|publié|publicado|pubblicato)"
    r"(?:\s*:|\s+(?:online|on|in|at|am|le|el|il))*\s+))"
    rf"(?:{_DATE.pattern}|{_YEAR})(?=$|[\s.]*(?:$|[,;|·(–-]|(?:by|the|all)\b))",
    re.IGNORECASE,
)
_DATE_AT_END = re.compile(rf"(?<!\w)(?:{_DATE.pattern})$", re.IGNORECASE)


def _find_year(lines: Iterable[str]) -> str:
    """Return the year of a line that is a date, or that says when it was published.

    A heading may end in its date, as title blocks do: names, then a date.
    """
    for line in lines:
        said = line.strip("#*_ .()")
        match = _DATE.fullmatch(said) or _DATED.match(said)
        match = match or (_DATE_AT_END.search(said) if line.startswith("#") else None)
        if match:
            return str(next(filter(None, match.groups())))
    return ""


def _find_doi(lines: Iterable[str]) -> str:
    for line in lines:
        if match := re.search(r"\bdoi(?:\.org/|:\s*)(10\.\d{4,9}/[^\s\"<>]+)", line, re.IGNORECASE):
            return f"https://doi.org/{match[1].rstrip('.,;)')}"
    return ""


def _clean(text: str) -> str:
    return on_one_line(text, LONGEST_DETAIL)


_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint|excel)\b.*|untitled.*|(?:word )?document ?\d*|title"
    r"|.*\.(?:docx?|tex|dvi|pdf|indd|qxd|odt|rtf|html?|md))",
    re.IGNORECASE,
)
_NO_AUTHOR = re.compile(
    r"(?:python-docx|(?:microsoft )?(?:office|windows) user|user\d*|admin(?:istrator)?|author|owner"
    r"|unknown|anonymous|root|moot|guest|.*@.*|https?:.*)",
    re.IGNORECASE,
)


def _declare(
    title: str = "",
    authors: Iterable[str] = (),
    date: str = "",
    address: str = "",
    coding: str = "",
) -> DocumentDetails:
    """Return details without what programs write where nobody said anything."""
    year = re.search(_YEAR, date)
    return DocumentDetails(
        title="" if _NO_TITLE.fullmatch(title.strip()) else _clean(title),
        authors=tuple(each for each in authors if not _NO_AUTHOR.fullmatch(each)),
        year=year[1] if year else "",
        address=_clean(address) if re.match(r"https?://\S+$", address) else "",
        coding=coding,
    )


def _read_pdf_details(content: bytes) -> DocumentDetails:
    from pypdf import PdfReader

    getLogger("pypdf").setLevel(ERROR)
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted:
        reader.decrypt("")
    said = reader.metadata
    if said is None:
        return DocumentDetails()
    return _declare(str(said.title or ""), split_names(str(said.author or "")))


def _read_word_details(content: bytes) -> DocumentDetails:
    core = _read_core(content)
    authors, created = split_names(core.get("creator", "")), core.get("created", "")
    return _declare(core.get("title", ""), authors, created)


def _read_core(content: bytes) -> dict[str, str]:
    """Return the properties of a Word document by their names, without the date of a template."""
    name = "docProps/core.xml"
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if name not in packed.namelist() or packed.getinfo(name).file_size > _LARGEST_CORE:
            return {}
        properties = parse_part(packed, name)
    core = {each.tag.rpartition("}")[2]: (each.text or "").strip() for each in properties}
    if core.get("created") == _TEMPLATE_YEAR:
        del core["created"]
    return core


class _Head(HTMLParser):
    """Reads what a page says of itself: the elements ``meta``, ``title``, ``time`` and ``link``."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.named: dict[str, list[str]] = {}
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        if tag == "meta" and (name := of.get("name") or of.get("property")):
            self._add(name.casefold(), of.get("content", ""))
        elif tag == "time":
            self._add("time", of.get("datetime", ""))
        elif tag == "link" and of.get("rel") == "canonical":
            self._add("canonical", of.get("href", ""))
        self._in_title = tag == "title" and "title" not in self.named

    def handle_endtag(self, tag: str) -> None:
        self._in_title = self._in_title and tag != "title"

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._add("title", data)

    def _add(self, name: str, said: str) -> None:
        if said.strip():
            self.named.setdefault(name, []).append(said.strip())

    def first(self, *names: str) -> str:
        """Return the value of the first of these names that the page has; empty without any."""
        return next((self.named[each][0] for each in names if each in self.named), "")


def _read_page_details(content: bytes) -> DocumentDetails:
    from bs4.dammit import UnicodeDammit

    head = _Head()
    head.feed(UnicodeDammit(content, is_html=True).unicode_markup or "")
    named = head.named
    listed = named.get("citation_author") or named.get("dc.creator") or []
    listed = listed or [*named.get("author", []), *named.get("article:author", [])][:1]
    dated = ("citation_publication_date", "citation_date", "article:published_time", "dc.date")
    return _declare(
        head.first("citation_title", "dc.title", "og:title", "title"),
        [name for each in listed for name in split_names(each)],
        head.first(*dated, "datepublished", "date", "time"),
        head.first("canonical", "og:url"),
    )


_FRONT = re.compile(
    r"\ufeff?---[ \t]*\r?\n(.{0,8000}?)\r?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL
)
_FIELD = re.compile(r"([\w-]+)[ \t]*:[ \t]*(.*)")


def _read_front_matter(content: bytes) -> DocumentDetails:
    """Return the details in the lines between ``---`` at the beginning of a text."""
    text, coding = decode_text(content)
    match = _FRONT.match(text)
    fields: dict[str, list[str]] = {}
    name = ""
    for line in match[1].splitlines() if match else ():
        if field := _FIELD.fullmatch(line):
            name, said = field[1].casefold(), field[2].strip()
            listed = said[1:-1].split(",") if said[:1] == "[" else [said]
            fields[name] = [each for each in map(_unquote, listed) if each]
        elif name and (item := re.fullmatch(r"\s*-\s+(?:name\s*:\s*)?(.+)", line)):
            fields[name].append(_unquote(item[1]))
    authors = fields.get("author") or fields.get("authors") or []
    if len(authors) == 1:
        authors = list(split_names(authors[0]))
    one = {name: listed[0] for name, listed in fields.items() if listed}
    doi = one.get("doi", "")
    address = one.get("url", "") or (f"https://doi.org/{doi}" if doi.startswith("10.") else doi)
    return _declare(
        one.get("title", ""),
        map(_clean, authors),
        one.get("date") or one.get("year") or "",
        address,
        coding,
    )


def _unquote(text: str) -> str:
    return text.strip().strip("\"'")


_READERS = {
    ".txt": _read_front_matter,
    ".md": _read_front_matter,
    ".html": _read_page_details,
    ".htm": _read_page_details,
    ".pdf": _read_pdf_details,
    ".docx": _read_word_details,
}
"""The reader of the details that a document declares, by the ending of its name."""
