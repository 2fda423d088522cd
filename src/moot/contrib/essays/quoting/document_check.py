"""Document check: what a text quotes, against all documents of a folder."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

from msgspec.structs import replace

from moot.contrib.documents.documents import read_documents
from moot.contrib.essays.quoting.number_values import read_numbers
from moot.contrib.essays.quoting.quotation_check import check_quotations, shares_word
from moot.contrib.essays.quoting.quoted_speakers import name_speakers
from moot.contrib.essays.quoting.quotes import FALSE, Quote
from moot.extend.records import Passage

MOST_LOOKED_AT = 200
"""Passages that may have what one quotation says, and are compared with it."""
MOST_WORDS = 6
"""Words of a quotation, the longest, by which passages are chosen for that."""
_WORD = re.compile(r"[^\W\d_]{2,}")


def find_unshown(
    folder: str, texts: Iterable[str], shown: Sequence[Passage], known: Iterable[str] = ()
) -> tuple[Passage, ...]:
    """Return passages of a folder, not among those shown, in which something quoted stands.

    A quotation may run over the end of a paragraph or of a page; the passage then has both.

    Args:
        folder: with the documents.
        texts: what was written.
        shown: the passages that the writer was shown; numbers go on from theirs.
        known: texts that need no source.

    Raises:
        InputError: the folder cannot be read any more.
    """
    searched, known = _Folder(folder), tuple(known)
    first = max((each.number for each in shown), default=0) + 1
    found: dict[tuple[str, str], Passage] = {}
    for text in texts:
        for quote in check_quotations(text, shown, known):
            if quote.state in FALSE:
                places = chain(found, searched.list_candidates(quote))
                part, start = _cut_paragraph(text, quote)
                for place in places:
                    one = Passage(first, *place)
                    checked = check_quotations(part, shown, known, unshown=[one])
                    if any(each.state == "unshown" and each.start == start for each in checked):
                        found.setdefault(place, Passage(first + len(found), *place))
                        break
    return tuple(found.values())


class CheckedQuotes(NamedTuple):
    """The quotations of a text, and the passages of the documents that have or nearly have them.

    Attributes:
        quotes: in order; ``passage`` and ``stands_in`` are numbers of these passages.
        passages: numbered from 1, in the order of the text.
    """

    quotes: tuple[Quote, ...]
    passages: tuple[Passage, ...]


def check_text(folder: str, text: str) -> CheckedQuotes:
    """Check all that a text quotes against all documents of a folder.

    Whoever wrote it was shown no passages: the numbers in its brackets are its own, and name none.

    Args:
        folder: with the documents.
        text: of anyone.

    Raises:
        InputError: the folder cannot be read.
    """
    searched = _Folder(folder)
    numbers: dict[tuple[str, str], int] = {}
    quotes = []
    for quote in check_quotations(text, (), unsourced=True, numbered=False):
        checked, place = searched.check(text, quote) if quote.state in FALSE else (quote, None)
        if place is not None:
            number = numbers.setdefault(place, len(numbers) + 1)
            name = "passage" if checked.found else "stands_in"
            checked = replace(checked, **{name: number})
        quotes.append(checked)
    passages = tuple(Passage(number, *place) for place, number in numbers.items())
    named = (name_speakers(text, each, searched.list_having(each, passages)) for each in quotes)
    return CheckedQuotes(tuple(named), passages)


def _cut_paragraph(text: str, quote: Quote) -> tuple[str, int]:
    """Return the paragraph in which a quotation stands, and where in it."""
    begin = max(0, text.rfind("\n\n", 0, quote.start))
    end = text.find("\n\n", quote.start + len(quote.text))
    return text[begin : end if end >= 0 else len(text)], quote.start - begin


class _Folder:
    """A folder's passages, prepared when something is looked for in them."""

    def __init__(self, folder: str) -> None:
        self._read = read_documents(folder)

    @cached_property
    def _folded(self) -> list[str]:
        return [each.text.casefold() for each in self._read.pieces]

    @cached_property
    def _numbers(self) -> dict[float, list[int]]:
        """The places of the passages that have a number, by its values."""
        found: dict[float, list[int]] = {}
        for place, each in enumerate(self._read.pieces):
            for number in _list_values(each.text):
                found.setdefault(number, []).append(place)
        return found

    def list_having(self, quote: Quote, passages: Sequence[Passage]) -> Iterator[Passage]:
        """Yield the passage of a quotation, and all others that may have its words."""
        yield from (each for each in passages if each.number == quote.passage)
        yield from (Passage(0, *place) for place in self.list_candidates(quote))

    def list_candidates(self, quote: Quote) -> Iterator[tuple[str, str]]:
        """Yield passages that may have a quotation, then these with those beside them."""
        pieces = self._read.pieces
        places = self._find_places(quote)
        if quote.kind == "words":
            places = places[:MOST_LOOKED_AT]
        yield from (pieces[place][:2] for place in places)
        for place in places if quote.kind == "words" else ():
            near = self._read.neighbours(place)
            for run in (*pairwise(near), near):
                own = [pieces[each] for each in run]
                bodies = (each.text[each.heads :] for each in own)
                yield f"{own[0].source} to {own[-1].source}", "\n".join(bodies)

    def check(self, text: str, quote: Quote) -> tuple[Quote, tuple[str, str] | None]:
        """Return the outcome of a quotation over all documents, and the passage that has it.

        One that stands nowhere has the passage whose words are nearest; None where none is near.
        """
        part, start = _cut_paragraph(text, quote)
        near: list[tuple[str, str]] = []
        for place in self.list_candidates(quote):
            one = Passage(1, *place)
            made = check_quotations(part, (), unshown=[one], numbered=False)
            own = next((each for each in made if each.start == start), quote)
            if own.state == "unshown":
                nearest = own.nearest
                return replace(quote, found=True, state="found", nearest=nearest), place
            stop = start + len(quote.text)
            if quote.kind == "words" or shares_word(part, start, stop, place[1]):
                near.insert(0, place)  # of two that are alike, the last one counts
        passages = [Passage(number, *each) for number, each in enumerate(near, 1)]
        made = check_quotations(part, passages, numbered=False)
        own = next((each for each in made if each.start == start), quote)
        if own.state != "altered" or own.stands_in is None or not own.nearest:
            return quote, None
        return replace(quote, state="altered", nearest=own.nearest), near[own.stands_in - 1]

    def _find_places(self, quote: Quote) -> list[int]:
        """Return the places of passages that may have what is quoted, the likeliest first."""
        values = _list_values(quote.text) if quote.kind == "figure" else set()
        if values:
            return sorted({place for each in values for place in self._numbers.get(each, ())})
        said = quote.text.strip().casefold()
        words = sorted(set(_WORD.findall(said)), key=lambda word: (-len(word), word))[:MOST_WORDS]
        if quote.kind == "figure" or not words:
            words = [said]
        has: Counter[int] = Counter()
        for word in words:
            has.update(place for place, text in enumerate(self._folded) if word in text)
        return [place for place, _ in sorted(has.items(), key=lambda each: (-each[1], each[0]))]


def _list_values(text: str) -> set[float]:
    """Return the values of the numbers of a text, in digits and in words."""
    return {value for each in read_numbers(text) for value in each.value.values}
