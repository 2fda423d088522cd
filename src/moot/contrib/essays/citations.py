"""Citations: the sources of an essay as a style names them, and the list of references below it.

An essay is written with the numbers of passages, ``[5]``. A style puts their documents in the place
of these. What a document does not say of itself is left out, and said once.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import Literal, NamedTuple, get_args

from moot.contrib.documents.person_names import split_name
from moot.contrib.essays.quotation_outcomes import list_named
from moot.contrib.essays.written import Written
from moot.extend.words import make_visible, on_one_line

CitationStyle = Literal["numbers", "author-year", "footnotes"]
STYLES: tuple[CitationStyle, ...] = get_args(CitationStyle)
SHORT_TITLE = 5
"""Words of a title that stand for an author who is not known."""
LONGEST_NAME = 200
"""Characters of a document's name."""
_PLACE = re.compile(
    r":\d+|, (?:pages? \d+(?:-\d+)?|(?:before )?paragraph \d+|table \d+|note \d+|at the end)"
)
_END_OF_SOURCE = re.compile(rf"(?:{_PLACE.pattern})(?: to .+)?$", re.DOTALL)


class CitedWork(NamedTuple):
    """A document that an essay cites; what it does not say of itself is empty.

    Attributes:
        document: its name in the folder.
        title: its title.
        authors: their names, as the document has them.
        year: four digits.
        address: a URL.
    """

    document: str
    title: str = ""
    authors: tuple[str, ...] = ()
    year: str = ""
    address: str = ""

    @property
    def name(self) -> str:
        """Its title, or the name of its file."""
        return self.title or on_one_line(self.document, LONGEST_NAME)


def name_work(source: str) -> str:
    """Return the name of the document that a passage's source is in."""
    return _END_OF_SOURCE.sub("", source)


def find_place(source: str) -> str:
    """Return the place of a passage in its document, as citations have it: "p. 3", "para. 4"."""
    end = _END_OF_SOURCE.search(source)
    places = _PLACE.findall(end[0]) if end else []
    numbers = [each for place in places for each in re.findall(r"\d+", place)]
    if not numbers:
        return ""
    kind = places[0].strip(", :").split()[0] if not places[0].startswith(":") else "line"
    one, several = {
        "page": ("p.", "pp."),
        "pages": ("p.", "pp."),
        "paragraph": ("para.", "paras."),
        "line": ("line", "lines"),
    }.get(kind, (kind, kind))
    if kind == "before":
        return ""
    ends = numbers[0], numbers[-1]
    if ends[0] == ends[1]:
        return f"{one}\u00a0{ends[0]}"
    return f"{several}\u00a0{ends[0]}–{ends[1]}"


class Citations:
    """The citations of an essay in a style.

    Args:
        written: the essay.
        style: one of ``STYLES``.
    """

    def __init__(self, written: Written, style: CitationStyle) -> None:
        self.style = style
        self._sources = {each.number: each.source for each in (*written.passages, *written.unshown)}
        self._known = {each["document"]: each for each in written.documents}
        named = list_named(written.quoted_essays)
        documents = (name_work(self._sources[each]) for each in named if each in self._sources)
        cited = [self._find_work(each) for each in dict.fromkeys(documents)]
        self._labels = _label_works(cited)
        if style != "numbers":
            cited.sort(key=lambda each: _sort_key(self._labels[each.document]))
        self.works = cited
        self.notes: list[str] = []

    def _find_work(self, document: str) -> CitedWork:
        said = self._known.get(document, {})
        authors = tuple(said.get("authors", ()))
        known = {name: str(said.get(name, "")) for name in ("title", "year", "address")}
        return CitedWork(document, authors=authors, **known)

    @property
    def known(self) -> list[int]:
        """The numbers of the passages that can be cited."""
        return list(self._sources)

    def cite(self, numbers: Sequence[int]) -> str:
        """Return the words in place of a reference in the text, or the number of a new footnote."""
        if self.style == "footnotes":
            self.notes.append(self.note(numbers))
            return str(len(self.notes))
        parts = []
        for document, places in self._group(numbers):
            label, year = self._labels[document]
            head = [str(self._number[document])] if self.style == "numbers" else [label, year]
            parts.append(", ".join(filter(None, [*head, places])))
        return f"[{'; '.join(parts)}]" if self.style == "numbers" else f"({'; '.join(parts)})"

    def note(self, numbers: Sequence[int]) -> str:
        """Return the footnote of a reference: each document, and where in it."""
        works = {each.document: each for each in self.works}
        return " ".join(self._describe(works[name], at) for name, at in self._group(numbers))

    @cached_property
    def _number(self) -> dict[str, int]:
        return {each.document: number for number, each in enumerate(self.works, 1)}

    def _group(self, numbers: Sequence[int]) -> Iterator[tuple[str, str]]:
        """Yield each document of some passages with the places in it."""
        sources = [self._sources[each] for each in numbers]
        for document, own in groupby(sources, name_work):
            places = dict.fromkeys(filter(None, map(find_place, own)))
            yield document, ", ".join(places)

    def list_references(self) -> list[str]:
        """Return the reference of each document, by its number or in the order of the alphabet."""
        told = map(self._describe, self.works)
        if self.style != "numbers":
            return list(told)
        return [f"[{number}] {words}" for number, words in enumerate(told, 1)]

    def _describe(self, work: CitedWork, places: str = "") -> str:
        year = self._labels[work.document][1] if self.style == "author-year" else work.year
        dated = f" ({year})" if year else ""
        authors = _list_authors(work.authors)
        title = work.name.rstrip(".")
        parts = [f"{authors}{dated}", title] if authors else [f"{title}{dated}"]
        parts[-1] = ", ".join(filter(None, [parts[-1], places]))
        told = " ".join(f"{each.removesuffix('.')}." for each in parts)
        return f"{told} {work.address}" if work.address else told

    def list_remarks(self) -> list[str]:
        """Return the remarks for readers of an essay with its plan and passages."""
        numbers = "In plan, evidence and discussion, numbers in brackets are those of passages."
        return list(filter(None, [self.missing, numbers if self.style == "numbers" else ""]))

    @property
    def missing(self) -> str:
        """The authors, titles and years that documents do not state, in a sentence, or empty."""
        lacks = [
            f"the {name} of {', '.join(own)}"
            for name, has in (("author", "authors"), ("title", "title"), ("year", "year"))
            if (own := [on_one_line(e.document) for e in self.works if not getattr(e, has)])
        ]
        return (
            f"Left out of the references, since the documents do not say it: {'; '.join(lacks)}."
            if lacks
            else ""
        )


def _label_works(works: Sequence[CitedWork]) -> dict[str, tuple[str, str]]:
    """Return the name and the year by which each document is cited; no two have the same.

    Of two by the same authors in a year, the years have letters; without a year, the names a title;
    and where that is the same as well, the name of the document.
    """
    plain = {each.document: (_label(each), each.year) for each in works}
    often = Counter(plain.values())
    met: Counter[tuple[str, str]] = Counter()
    for work in sorted(works, key=lambda each: (each.title, each.document)):
        label, year = plain[work.document]
        if often[label, year] > 1:
            own = f"{label}, {_shorten(work)}" if work.authors and not year else label
            plain[work.document] = own, year and f"{year}{_letter(met[label, year])}"
            met[label, year] += 1
    often = Counter(plain.values())
    return {
        document: (f"{label}, {make_visible(document)}" if often[label, year] > 1 else label, year)
        for document, (label, year) in plain.items()
    }


def _letter(place: int) -> str:
    """Return the letter of a place: a to z for 0 to 25, then aa, ab and on."""
    before = _letter(place // 26 - 1) if place > 25 else ""
    return before + chr(ord("a") + place % 26)


def _label(work: CitedWork) -> str:
    families = [split_name(each).family for each in work.authors]
    if not families:
        return _shorten(work)
    return f"{families[0]} et al." if len(families) > 2 else " & ".join(families)


def _shorten(work: CitedWork) -> str:
    words = work.title.split()
    if not words:
        return work.name
    return f"“{' '.join(words[:SHORT_TITLE])}{'…' * (len(words) > SHORT_TITLE)}”"


def _sort_key(label: tuple[str, str]) -> tuple[str, int, str]:
    return label[0].strip("“").casefold(), len(label[1]), label[1]  # 2017z before 2017aa


def _list_authors(authors: Sequence[str]) -> str:
    """Return authors as references have them: "Stone, A., & Fry, B."."""
    names = [split_name(each) for each in authors]
    told = [
        f"{each.family}, {_initials(each.given)}" if each.given else each.family for each in names
    ]
    return ", & ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else "".join(told)


def _initials(given: str) -> str:
    return " ".join(
        word if word.endswith(".") else "-".join(f"{part[0]}." for part in word.split("-") if part)
        for word in given.split()
    )
