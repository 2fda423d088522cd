"""Document check: where in all documents that stands which is in none of the passages shown."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from moot.core.passages import FALSE, Passage, Quote
from moot.debate.documents import ReadFolder, read_documents
from moot.debate.quotation_check import check_quotations

MOST_LOOKED_AT = 200
"""Passages that may have what one quotation says, and are compared with it."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d[\d.,'’\u00a0\u202f]*")


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
    read, known = read_documents(folder), tuple(known)
    first = max((each.number for each in shown), default=0) + 1
    found: dict[tuple[str, str], Passage] = {}
    for text in texts:
        for quote in check_quotations(text, shown, known):
            if quote.state in FALSE:
                places = chain(found, _list_candidates(read, quote))
                part, start = _cut_paragraph(text, quote)
                for place in places:
                    one = Passage(first, *place)
                    checked = check_quotations(part, shown, known, unshown=[one])
                    if any(each.state == "unshown" and each.start == start for each in checked):
                        found.setdefault(place, Passage(first + len(found), *place))
                        break
    return tuple(found.values())


def _cut_paragraph(text: str, quote: Quote) -> tuple[str, int]:
    """Return the paragraph in which a quotation stands, and where in it."""
    begin = max(0, text.rfind("\n\n", 0, quote.start))
    end = text.find("\n\n", quote.start + len(quote.text))
    return text[begin : end if end >= 0 else len(text)], quote.start - begin


def _list_candidates(read: ReadFolder, quote: Quote) -> Iterator[tuple[str, str]]:
    """Yield passages that have the rarest words of a quotation, then these with those beside."""
    if quote.kind == "figure":
        sought = {_strip(each) for each in _NUMBER.findall(quote.text)} or {quote.text.casefold()}
    else:
        words = sorted(_WORD.findall(quote.text.casefold()), key=len, reverse=True)
        sought = {*words[:2]} or {quote.text.strip().casefold()}
    places = [place for place, each in enumerate(read.pieces) if _has(each.text, sought, quote)]
    yield from (read.pieces[place][:2] for place in places[:MOST_LOOKED_AT])
    for place in places[:MOST_LOOKED_AT] if quote.kind == "words" else ():
        near = read.neighbours(place)
        for run in (*pairwise(near), near):
            pieces = [read.pieces[each] for each in run]
            bodies = (each.text[each.heads :] for each in pieces)
            yield f"{pieces[0].source} to {pieces[-1].source}", "\n".join(bodies)


def _has(text: str, sought: set[str], quote: Quote) -> bool:
    if quote.kind == "figure" and any(each[0].isdigit() for each in sought):
        return not sought.isdisjoint(_strip(each) for each in _NUMBER.findall(text))
    folded = text.casefold()
    return any(each in folded for each in sought)


def _strip(number: str) -> str:
    """Return the digits of a number that its scale does not change."""
    return re.sub(r"\D", "", number).strip("0") or "0"
