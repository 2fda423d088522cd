"""Bibliographies: the documents that an essay cites, for programs that keep references."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec

from moot.contrib.documents.person_names import PersonName, split_name
from moot.contrib.essays.citations import CitedWork

BIBLIOGRAPHIES = {
    "bibtex": (".bib", "application/x-bibtex"),
    "csl-json": (".csl.json", "application/vnd.citationstyles.csl+json"),
}
"""The ending of a file's name and its media type, for each form of a bibliography."""
_SPECIAL = str.maketrans({each: f"\\{each}" for each in "&%$#_"})
_SPECIAL |= str.maketrans({"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})  # BibTeX counts \{
_SPECIAL |= str.maketrans({"\\": r"\textbackslash{}", "~": r"\textasciitilde{}"})
_SPECIAL |= str.maketrans({"^": r"\textasciicircum{}"})
_IN_ADDRESS = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})
"""Characters of an address that would end its field."""


def format_bibliography(works: Sequence[CitedWork], form: str) -> str:
    """Return documents in one of ``BIBLIOGRAPHIES``; a field that is not known is not there."""
    keyed = _make_keys(works)
    if form == "bibtex":
        return "\n".join(_format_entry(key, work) for key, work in keyed.items())
    items = [_make_item(key, work) for key, work in keyed.items()]
    return msgspec.json.format(msgspec.json.encode(items)).decode() + "\n"


def _make_keys(works: Sequence[CitedWork]) -> dict[str, CitedWork]:
    """Return documents by keys such as ``stone2017fees``, each its own."""
    keyed: dict[str, CitedWork] = {}
    for work in works:
        first = split_name(work.authors[0]).family if work.authors else ""
        words = re.findall(r"[a-z\d]+", _to_ascii(work.name))
        word = next((each for each in words if len(each) > 3), "".join(words[:1]))
        made = re.sub(r"[^a-z\d]", "", f"{_to_ascii(first)}{work.year}{word}") or "document"
        key, number = made, 2
        while key in keyed:
            key, number = f"{made}-{number}", number + 1
        keyed[key] = work
    return keyed


def _to_ascii(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore")
    return folded.decode().casefold()


def _format_entry(key: str, work: CitedWork) -> str:
    """Return a document as BibTeX has it, in UTF-8; the braces keep names as they are."""
    fields = {
        "author": " and ".join(_format_name(split_name(each)) for each in work.authors),
        "title": f"{{{work.name.translate(_SPECIAL)}}}",
        "year": work.year,
        "url": work.address.translate(_IN_ADDRESS),
        "note": f"File: {work.document}".translate(_SPECIAL) if work.title else "",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def _format_name(name: PersonName) -> str:
    family, given = (each.translate(_SPECIAL) for each in name)
    return f"{family}, {given}" if given else f"{{{family}}}"


def _make_item(key: str, work: CitedWork) -> dict[str, Any]:
    names = [split_name(each) for each in work.authors]
    authors = [
        {"family": n.family, "given": n.given} if n.given else {"literal": n.family} for n in names
    ]
    is_page = work.document.casefold().endswith((".html", ".htm"))
    fields: dict[str, Any] = {
        "author": authors,
        "issued": {"date-parts": [[int(work.year)]]} if work.year else None,
        "URL": work.address,
        "note": f"File: {work.document}" if work.title else "",
    }
    kept = {name: value for name, value in fields.items() if value}
    return {"id": key, "type": "webpage" if is_page else "document", "title": work.name, **kept}
