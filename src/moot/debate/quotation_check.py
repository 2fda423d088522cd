"""Quotation check: whether borrowed words and figures of a text stand in the passages it had."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import Match, SequenceMatcher
from functools import cache, partial
from typing import NamedTuple

from msgspec.structs import replace

from moot.core.passages import Passage, Quote, QuoteState
from moot.parsing.quotations import OPENING_MARKS, Quotation, find_quotations
from moot.parsing.source_references import SourceReferences, join_words, load_source_words
from moot.parsing.sourced_figures import SourcedFigure, find_figures, read_numbers

ALTERED = 0.5
"""The share of a quotation's words, in order, from which on it is an altered one."""
LEAST_COMPARED = 2
"""The fewest words of an altered quotation; fewer stand in a passage, or do not."""
INSERTED = 12
"""The most words for which words in brackets may stand."""


class _SourceText(NamedTuple):
    """A passage, ready to be searched."""

    passage: Passage
    words: list[str]
    places: list[int]


def check_quotations(
    text: str, passages: Iterable[Passage], known: Iterable[str] = (), *, strict: bool = False
) -> tuple[Quote, ...]:
    """Return every quotation and every figure with a source in a text, each with what came of it.

    Words are found where they stand in a passage one after the other. Case, white space, marks,
    Markdown and Unicode forms make no difference. An ellipsis stands for any words; words in
    brackets stand for others, and a letter in brackets for itself in another case. A figure is
    found where a passage has its value. What names passages has to stand in one of these.

    Args:
        text: e.g. an essay.
        passages: those that its writer was shown.
        known: texts that need no source, such as the proposition: what stands there is left out.
        strict: whether what is not found has been struck through (``strike_quote``): what stands
            between its marks is then struck. Elsewhere such marks are the writer's own, and mean
            nothing.
    """
    sources = [_SourceText(each, *_split(each.text)) for each in passages]
    owned = [_SourceText(Passage(0, "", each), *_split(each)) for each in known]
    references = SourceReferences(text)
    quotations = find_quotations(text, references)
    quotes = []
    for each in quotations:
        words = text[each.start : each.stop]
        if each.numbers or not any(_find_words(words, one) for one in owned):
            quotes.append(_check_words(words, each, sources))
    figures = find_figures(text, quotations, references)
    quotes += [_check_figure(text[each.start : each.stop], each, sources) for each in figures]
    quotes.sort(key=lambda each: each.start)
    if strict:
        quotes = [replace(e, state="struck") if _is_struck(text, e) else e for e in quotes]
    return tuple(quotes)


STRIKE = "~~"
"""Stands on both sides of what is struck through, as in Markdown."""
_LINE = re.compile(r"([ \t>]*)([^\n]+)")


def find_span(text: str, quote: Quote) -> tuple[int, int]:
    """Return where a quotation with its quotation marks, or a figure, begins and ends in a text."""
    start, stop = quote.start, quote.start + len(quote.text)
    while quote.kind == "words" and text[start - 1 : start] in OPENING_MARKS:
        start, stop = start - 1, stop + 1
    return start, stop


def strike_quote(text: str, quote: Quote) -> str:
    """Return a text in which a quotation with its marks, or a figure, is struck through."""
    start, stop = find_span(text, quote)
    struck = _LINE.sub(rf"\1{STRIKE}\2{STRIKE}", text[start:stop])
    return text[:start] + struck + text[stop:]


def _is_struck(text: str, quote: Quote) -> bool:
    start, stop = find_span(text, quote)
    around = text[max(0, start - len(STRIKE)) : start], text[stop : stop + len(STRIKE)]
    return not quote.found and around == (STRIKE, STRIKE)


def drop_struck(text: str, quotes: Iterable[Quote]) -> str:
    """Return a text without those of its quotations and figures that are struck through."""
    at, kept = 0, []
    for quote in quotes:
        if quote.state == "struck":
            start, stop = find_span(text, quote)
            kept.append(text[at:start])
            at = stop
    return "".join([*kept, text[at:]])


def _check_words(words: str, at: Quotation, sources: Sequence[_SourceText]) -> Quote:
    named = at.numbers
    first = [each for each in sources if not named or each.passage.number in named]
    found = next(((each, near) for each in first if (near := _find_words(words, each))), None)
    make = partial(Quote, text=words, start=at.start, kind="words")
    if found:
        source, nearest = found
        number = source.passage.number
        return make(passage=number, found=True, state="found", nearest=nearest)
    shares = [(1.0, near, each) for each in sources if (near := _find_words(words, each))]
    shares = shares or [(*_compare(words, each), each) for each in sources]
    shares.sort(key=lambda each: each[0])
    place = named[0] if named else None
    if not shares or shares[-1][0] < ALTERED:
        return make(passage=place, found=False, state="missing")
    _, nearest, source = shares[-1]
    number = source.passage.number
    other = None if number in named else number
    return make(passage=place, found=False, state="altered", nearest=nearest, stands_in=other)


def _check_figure(said: str, at: SourcedFigure, sources: Sequence[_SourceText]) -> Quote:
    stands = [
        each.passage.number
        for each in sources
        if any(at.value.equals(other) for other in read_numbers(each.passage.text))
    ]
    right = [number for number in stands if not at.numbers or number in at.numbers]
    make = partial(Quote, text=said, start=at.start, kind="figure", found=bool(right))
    if right:
        return make(passage=right[0], state="found")
    place = at.numbers[0] if at.numbers else None
    state: QuoteState = "altered" if stands else "missing"
    return make(passage=place, state=state, stands_in=next(iter(stands), None))


_MARKS = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u0640]")
_POINTS = re.compile(r"[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0301]")
_WORD = re.compile(
    r"%|\d+|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\d])[\w\u0900-\u0903\u093a-\u094f])+"
)


@cache
def _chunks() -> re.Pattern[str]:
    """Return a pattern of what is read as a whole: percent signs, numbers, words with marks."""
    percent = join_words(tuple(e for e in load_source_words("percent") if e != "百分"))
    return re.compile(
        rf"(?P<percent>(?:{percent})\w{{0,2}})"
        r"|(?P<number>\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+(?!\d))"
        r"|[\u3040-\u30ff\u3400-\u9fff]|(?:(?![%\u3040-\u30ff\u3400-\u9fff])[^\s\d])+[-‐]\s*\n\s*[^\W\d_]+"
        r"|\d+|%|(?:(?![%\u3040-\u30ff\u3400-\u9fff])[^\s\d])+",
        re.IGNORECASE,
    )


def _split(text: str) -> tuple[list[str], list[int]]:
    """Return the words of a text, and where each begins.

    Case, Unicode forms, apostrophes, marks of emphasis and vowels that may be left out do not
    count.
    """
    words: list[str] = []
    places: list[int] = []
    for match in _chunks().finditer(text):
        said = match.group()
        if match["percent"]:
            said = "%"
        elif match["number"]:
            said = re.sub(r"\D", "", said)
        for word in _WORD.findall(_simplify(said)):
            words.append(word)
            places.append(match.start())
    return words, places


def _simplify(said: str) -> str:
    plain = unicodedata.normalize("NFKC", _MARKS.sub("", said)).casefold()
    plain = re.sub(r"[-‐]\s*\n\s*", "", plain)
    return _POINTS.sub("", plain).replace("_", " ").replace("ё", "е")


_GAP = re.compile(
    r"[\[(（［]\s*(?:\.\s?\.\s?\.|…)\s*[\])）］]|(?:\.\s?){2}\.|…+"
    r"|[\[［](?!\w[\]］]\w)(?P<inserted>[^\[\]［］]{0,120})[\]］]"
)
_LETTER = re.compile(r"[\[［](\w{1,2})[\]］](?=\w)")
_SIC = re.compile(r"[\[(]\s*(?:sic!?|!)\s*[\])]", re.IGNORECASE)


def _split_at_gaps(words: str) -> list[tuple[list[str], int | None]]:
    """Return the runs of words of a quotation, each with how many words may stand before it.

    None means any number.
    """
    plain = _LETTER.sub(r"\1", _SIC.sub("", words))
    parts: list[tuple[list[str], int | None]] = []
    at, gap = 0, None
    for match in [*_GAP.finditer(plain), None]:
        run, _ = _split(plain[at : match.start() if match else len(plain)])
        if run:
            parts.append((run, gap))
            gap = 0
        if match:
            at = match.end()
            more = INSERTED if match["inserted"] is not None else None
            gap = None if not parts or more is None or gap is None else gap + more
    return parts


_AROUND = " ,;:—–-\"'“”„«»‹›「」『』‘’(（*_>"
"""Signs at either end of the words of a passage that belong to what stands beside them."""


def _find_words(words: str, source: _SourceText) -> str:
    """Return the place of a passage where the words of a quotation stand; empty if they do not."""
    parts = _split_at_gaps(words)
    if not parts:
        return ""
    ends = _match(source.words, parts)
    if ends is None:
        return ""
    first, last = ends
    return _extract(source, first, last)


def _match(words: list[str], parts: list[tuple[list[str], int | None]]) -> tuple[int, int] | None:
    """Return where the parts stand in order: the first word's place, and the place after.

    What an ellipsis leaves out has any length, so behind one the earliest end is as good as any.
    Words in brackets stand for few, so between those every place is tried.
    """
    ends = {0: -1}  # where the parts so far may end, and where they then begin
    for run, gap in parts:
        reached: dict[int, int] = {}
        for end, first in sorted(ends.items())[: 1 if gap is None else len(ends)]:
            last = len(words) - len(run)
            for place in range(end, last + 1 if gap is None else min(last, end + gap) + 1):
                if words[place : place + len(run)] == run:
                    reached.setdefault(place + len(run), place if first < 0 else first)
        ends = reached
    return min((first, end) for end, first in ends.items()) if ends else None


def _extract(source: _SourceText, first: int, last: int) -> str:
    """Return the text of a passage from one word to another."""
    text, places = source.passage.text, source.places
    end = places[last] if last < len(places) else len(text)
    return " ".join(text[places[first] : end].split()).strip(_AROUND)


def _compare(words: str, source: _SourceText) -> tuple[float, str]:
    """Return the share of a quotation's words that stand in a passage in order, and where."""
    said = [word for run, _ in _split_at_gaps(words) for word in run]
    if len(said) < LEAST_COMPARED:
        return 0.0, ""
    matcher = SequenceMatcher(None, said, source.words, autojunk=False)
    blocks = _find_densest([each for each in matcher.get_matching_blocks() if each.size], len(said))
    if not blocks:
        return 0.0, ""
    share = sum(each.size for each in blocks) / len(said)
    return share, _extract(source, blocks[0].b, blocks[-1].b + blocks[-1].size)


def _find_densest(blocks: list[Match], size: int) -> list[Match]:
    """Return those blocks that stand close together in the source, with the most words."""
    best: list[Match] = []
    for first in range(len(blocks)):
        near = [
            each
            for each in blocks[first:]
            if each.b + each.size - blocks[first].b <= 2 * size + INSERTED
        ]
        if sum(each.size for each in near) > sum(each.size for each in best):
            best = near
    return best
