"""Quotation check: whether borrowed words and figures of a text stand in the passages it had."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from functools import cache, partial
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from moot.contrib.essays.quoting.number_values import (
    COMPARED,
    MINUS,
    MONEY,
    OF_MONEY,
    SIGN_AT,
    SIGNS,
    NumberValue,
    find_currency,
    find_sign,
    join_currencies,
    load_scales,
    read_numbers,
)
from moot.contrib.essays.quoting.quotations import (
    LEAST_WORDS,
    OPENING_MARKS,
    Quotation,
    count_words,
    find_quotations,
)
from moot.contrib.essays.quoting.quoted_speakers import name_speakers
from moot.contrib.essays.quoting.quotes import FALSE, Quote
from moot.contrib.essays.quoting.source_references import (
    SourceReferences,
    join_words,
    load_source_words,
)
from moot.contrib.essays.quoting.sourced_figures import SourcedFigure, SourcedText, find_figures
from moot.extend.records import Passage

ALTERED = 0.5
"""The share of a quotation's words, in order, from which on it is an altered one."""
LEAST_COMPARED = 2
"""The fewest words of an altered quotation; fewer stand in a passage, or do not."""
AROUND = 40
"""Characters on both sides of a figure of a passage that are shown beside one that differs."""
INSERTED = 12
"""The most words for which words in brackets may stand."""


class _Words(NamedTuple):
    """The words of a text.

    Attributes:
        words: in order.
        places: where each begins.
        broken: the parts of words that the end of a line breaks, by their place among all; a
            hyphen there may belong to the word, or not.
    """

    words: list[str]
    places: list[int]
    broken: dict[int, list[str]]


class _SourceText(NamedTuple):
    """A passage, ready to be searched."""

    passage: Passage
    words: list[str]
    places: list[int]
    broken: dict[int, list[str]]

    def with_hyphens(self, parts: Iterable[list[str]]) -> "_SourceText":
        """Return it with those broken words in parts that a quotation has in parts."""
        said = {pair for run in parts for pair in pairwise(run)}
        words, places = list[str](), list[int]()
        for place, word in enumerate(self.words):
            own = self.broken.get(place, [])
            chosen = own if len(own) > 1 and tuple(own[:2]) in said else [word]
            words += chosen
            places += [self.places[place]] * len(chosen)
        return self._replace(words=words, places=places, broken={})


def check_quotations(
    text: str,
    passages: Iterable[Passage],
    known: Iterable[str] = (),
    *,
    strict: bool = False,
    unshown: Iterable[Passage] = (),
    unsourced: bool = False,
    numbered: bool = True,
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
        unshown: passages of the documents that its writer was not shown, in which what is not in
            the others may stand.
        unsourced: whether figures without a source, and statements that name one and neither quote
            nor have a figure, are returned as well: they are not checked.
        numbered: whether the numbers that the text names are those of the passages. If not, they
            are the text's own, and any passage may have what it quotes.
    """
    passages = list(passages)
    sources = [_SourceText(each, *_split(each.text)) for each in passages]
    hidden = [_SourceText(each, *_split(each.text)) for each in unshown]
    known = list(known)
    owned = [_SourceText(Passage(0, "", each), *_split(each)) for each in known]
    references = SourceReferences(text)
    quotations = find_quotations(text, references)
    data = find_figures(text, quotations, references)
    if not numbered:
        quotations = [each._replace(numbers=()) for each in quotations]
        own = (each._replace(numbers=()) if each.value else each for each in data.figures)
        data = data._replace(figures=list(own))
    quotes = []
    for each in quotations:
        words = text[each.start : each.stop]
        runs = _split_at_gaps(words)
        if each.numbers or not any(_find_words(runs, one) for one in owned):
            checked_words = _check_words(words, runs, each, sources, hidden)
            quotes.append(name_speakers(text, checked_words, passages))
    checked = (_check_figure(text, at, sources, hidden) for at in data.figures if at.value)
    quotes += [quote for quote in checked if quote is not None]
    if unsourced:
        quotes += _list_unchecked(text, data, known)
    quotes.sort(key=lambda each: each.start)
    if strict:
        quotes = [_tell_struck(text, each) for each in quotes]
    return tuple(quotes)


def _list_unchecked(text: str, data: SourcedText, known: Sequence[str]) -> Iterator[Quote]:
    """Yield what presents data or another's view and cannot be checked."""
    make = partial(Quote, passage=None, found=False, state="unchecked")
    for each in data.figures:
        said = text[each.start : each.stop]
        if each.value is None and not any(said in other for other in known):
            yield make(text=said, start=each.start, kind="figure")
    for start, stop in data.statements:
        said = text[start:stop].strip()
        if count_words(said) >= LEAST_WORDS:
            at = start + text[start:stop].index(said)
            yield make(text=said, start=at, kind="statement")


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


def _tell_struck(text: str, quote: Quote) -> Quote:
    """Return a quotation as struck where it does not stand there and is struck through."""
    start, stop = find_span(text, quote)
    around = text[max(0, start - len(STRIKE)) : start], text[stop : stop + len(STRIKE)]
    is_struck = quote.state in FALSE and around == (STRIKE, STRIKE)
    return replace(quote, state="struck") if is_struck else quote


def drop_struck(text: str, quotes: Iterable[Quote]) -> str:
    """Return a text without those of its quotations and figures that are struck through."""
    at, kept = 0, []
    for quote in quotes:
        if quote.state == "struck":
            start, stop = find_span(text, quote)
            kept.append(text[at:start])
            at = stop
    return "".join([*kept, text[at:]])


def _check_words(
    words: str,
    runs: "_Runs",
    at: Quotation,
    sources: Sequence[_SourceText],
    hidden: Sequence[_SourceText],
) -> Quote:
    named = at.numbers
    first = [each for each in sources if not named or each.passage.number in named]
    found = next(((each, near) for each in first if (near := _find_words(runs, each))), None)
    make = partial(Quote, text=words, start=at.start, kind="words")
    if found:
        source, nearest = found
        number = source.passage.number
        return make(passage=number, found=True, state="found", nearest=nearest)
    others = [each for each in sources if named and each.passage.number not in named]
    shares = [(1.0, near, each) for each in others if (near := _find_words(runs, each))]
    elsewhere = next(((each, near) for each in hidden if (near := _find_words(runs, each))), None)
    if elsewhere and not shares:
        source, nearest = elsewhere
        return make(
            passage=named[0] if named else None,
            found=False,
            state="unshown",
            nearest=nearest,
            stands_in=source.passage.number,
        )
    shares = shares or [(*_compare(runs, each), each) for each in sources]
    shares.sort(key=lambda each: each[0])
    place = named[0] if named else None
    if not shares or shares[-1][0] < ALTERED:
        return make(passage=place, found=False, state="missing")
    _, nearest, source = shares[-1]
    number = source.passage.number
    other = None if number in named else number
    return make(passage=place, found=False, state="altered", nearest=nearest, stands_in=other)


def _check_figure(
    text: str, at: SourcedFigure, sources: Sequence[_SourceText], hidden: Sequence[_SourceText]
) -> Quote | None:
    """Return the outcome of a figure; None for a small number in words that stands nowhere."""
    value, said = at.value, text[at.start : at.stop]
    assert value is not None  # has a source
    stands = [each.passage.number for each in sources if _find_figure(value, each.passage.text)]
    right = [number for number in stands if not at.numbers or number in at.numbers]
    make = partial(Quote, text=said, start=at.start, kind="figure", found=bool(right))
    if right:
        return make(passage=right[0], state="found")
    if value.small and not value.direction:  # it counts what is listed there
        return None
    place = at.numbers[0] if at.numbers else None
    if stands:
        return make(passage=place, state="altered", stands_in=stands[0])
    for source in hidden:
        words = source.passage.text
        if _find_figure(value, words) and (
            value.is_marked or shares_word(text, at.start, at.stop, words)
        ):
            return make(passage=place, state="unshown", stands_in=source.passage.number)
    other = _find_unlike(value, at.numbers, sources)
    if other is None:
        return make(passage=place, state="missing")
    number, nearest = other
    elsewhere = None if number in at.numbers else number
    return make(passage=place, state="altered", nearest=nearest, stands_in=elsewhere)


_LONG_WORD = re.compile(r"[^\W\d_]{5,}")


def shares_word(text: str, start: int, stop: int, passage: str) -> bool:
    """Return whether a passage has a word beside a bare number: other numbers stand anywhere.

    Args:
        text: with the number.
        start: its first character.
        stop: the place behind its last one.
        passage: the words of the passage.
    """
    near = text[max(0, start - 2 * AROUND) : stop + AROUND].casefold()
    words = {word[:5] for word in _LONG_WORD.findall(near)}
    return any(word[:5] in words for word in _LONG_WORD.findall(passage.casefold()))


def is_elsewhere(quote: Quote, passages: Iterable[Passage]) -> bool:
    """Return whether what is told as altered stands as it is, in another passage than it names."""
    source = next((each for each in passages if each.number == quote.stands_in), None)
    if quote.state != "altered" or source is None:
        return False
    if quote.kind == "figure":
        return not quote.nearest
    runs = _split_at_gaps(quote.text)
    return bool(_find_words(runs, _SourceText(source, *_split(source.text))))


def _find_figure(value: NumberValue, text: str) -> bool:
    return any(value.agrees_with(each.value) for each in read_numbers(text))


def _find_unlike(
    value: NumberValue, named: tuple[int, ...], sources: Sequence[_SourceText]
) -> tuple[int, str] | None:
    """Return where the same number stands with another sign, unit or direction, and its words."""
    for source in sorted(sources, key=lambda each: each.passage.number not in named):
        text = source.passage.text
        for each in read_numbers(text):
            if value.values & each.value.values and not value.small:
                return source.passage.number, _words_around(text, each.start, each.stop)
    return None


def _words_around(text: str, start: int, stop: int) -> str:
    """Return a part of a passage with the words beside it, as far as these are whole."""
    lead = text[max(0, start - AROUND) : start].rpartition("\n")[2]
    tail = text[stop : stop + AROUND].partition("\n")[0]
    if len(lead) == AROUND:
        lead = lead.partition(" ")[2]
    if len(tail) == AROUND:
        tail = tail.rpartition(" ")[0]
    return " ".join(f"{lead}{text[start:stop]}{tail}".split()).strip(_AROUND)


_MARKS = re.compile(r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u0640]")
_POINTS = re.compile(r"[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0301]")
_WORD = re.compile(
    r"[%‰]|−?\d+|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\d])[\w\u0900-\u0903\u093a-\u094f])+"
)
_BLANK = re.compile(
    r"(?<=\n)[ \t]*>+|</?(?:a|b|br|em|i|p|q|s|small|span|strong|sub|sup|u)\b[^<>\n]{0,200}>",
    re.IGNORECASE,
)
"""Marks of block quotes and of web pages, which are no comparisons."""


@cache
def _chunks() -> re.Pattern[str]:
    """Return a pattern of what is read as a whole: numbers with their signs, words with marks."""
    percent = join_words(tuple(e for e in load_source_words("percent") if e != "百分"))
    points = join_words(tuple(e for e in load_source_words("points") if len(e) > 2))
    money = join_currencies()
    scale = join_words(tuple(sorted(load_scales(), key=len, reverse=True)))
    letter = r"(?![%‰\u3040-\u30ff\u3400-\u9fff])[^\s\d(\[{<>≤≥⩽⩾≠≈±×÷+*€£¥￥₹₽₺₩₴$|:;=/]"
    return re.compile(
        rf"(?P<points>(?:{points})(?!\w))|(?P<percent>(?:{percent})\w{{0,2}})"
        rf"|(?:(?P<compared>{COMPARED})\s?)?(?:{SIGN_AT}(?P<sign>{SIGNS}))?"
        rf"(?:(?<!\w)(?P<before>{MONEY})\s?(?P<inner>{SIGNS})?)?"
        r"(?P<number>\d{1,3}(?:[ ,.'’\u00a0\u202f]\d{3})+(?!\d)"
        r"|(?<!\d[.,])\d+[.,]\d+(?![.,]?\d)|\d+)(?P<more>\+(?!\s?\d))?"
        rf"(?:(?P<gap>[\s\u00a0\u202f-]{{0,2}})(?P<scale>(?:{scale})\w{{0,4}})(?!\w))?"
        rf"(?:(?:(?<=[^\W\d])\.)?[\s\u00a0\u202f-]{{0,2}}{OF_MONEY}"
        rf"(?P<behind>{MONEY}|(?:{money})(?!\w)))?"
        r"|(?P<ratio>(?<=\d):(?=\d)|(?<=\d ):(?= \d))|(?P<times>[×÷])"
        rf"|(?P<operator>(?<=[\w)%\]][ \u00a0])(?:{COMPARED}|[+*−])(?=[ \u00a0][\w(\[]))"
        rf"|[\u3040-\u30ff\u3400-\u9fff]|(?P<broken>(?:{letter})+[-‐]\s*\n\s*[^\W\d_]+)"
        rf"|%|‰|(?:{letter})+",
        re.IGNORECASE,
    )


def _split(text: str) -> "_Words":
    """Return the words of a text, and where each begins.

    Case, Unicode forms, apostrophes, marks of emphasis and vowels that may be left out do not
    count. A sign or comparison is part of its number; a currency, by any name, stands behind it.
    """
    made = _Words([], [], {})
    if "\n" in text or "<" in text:
        text = _BLANK.sub(lambda match: " " * len(match.group()), text)
    for match in _chunks().finditer(text):
        for word in _read_chunk(match, made):
            made.words.append(word)
            made.places.append(match.start())
    return made


def _read_chunk(match: re.Match[str], made: "_Words") -> list[str]:
    """Return the words of a chunk; one that is broken at the end of a line is noted."""
    kind = match.lastgroup
    if match["number"]:
        return _read_number(match)
    if kind in {"points", "percent"}:
        return ["%pt" if kind == "points" else "%"]
    said = match.group()
    if kind == "operator":
        return [find_sign(said)]
    if kind in {"ratio", "times"}:
        return [{"×": "x"}.get(said, said)]
    if kind == "broken":
        parts = [_WORD.findall(_simplify(each)) for each in re.split(r"[-‐]\s*\n", said)]
        made.broken[len(made.words)] = [word for each in parts for word in each]
    return _WORD.findall(_simplify(said))


def _read_number(match: re.Match[str]) -> list[str]:
    digits = match["number"]
    if re.fullmatch(r"\d+[.,]\d{1,2}|\d+[.,]\d{4,}|\d{4,}[.,]\d+", digits):
        digits = digits.replace(",", ".")
    else:
        digits = re.sub(r"\D", "", digits)
    whole = "".join(str(unicodedata.digit(each)) if each.isdigit() else each for each in digits)
    sign = "−" if (match["sign"] or match["inner"] or "+") in MINUS else ""
    compared = find_sign(match["compared"] or ("≥" if match["more"] else ""))
    scale = _WORD.findall(_simplify(match["scale"] or ""))
    money = match["before"] or match["behind"]
    known = [find_currency(money)] if money else []
    return [f"{compared}{sign}{whole}", *scale, *known]


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


_Runs = list[tuple[list[str], int | None]]
"""Runs of words, each with how many words may stand before it; None means any number."""


def _split_at_gaps(words: str) -> _Runs:
    """Return the runs of words of a quotation."""
    plain = _LETTER.sub(r"\1", _SIC.sub("", words))
    parts: _Runs = []
    at, gap = 0, None
    for match in [*_GAP.finditer(plain), None]:
        run = _split(plain[at : match.start() if match else len(plain)]).words
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


def _find_words(runs: _Runs, source: _SourceText) -> str:
    """Return the place of a passage where the words of a quotation stand; empty if they do not."""
    if not runs:
        return ""
    ends = _match(source.words, runs)
    if ends is None and source.broken:
        source = source.with_hyphens(run for run, _ in runs)
        ends = _match(source.words, runs)
    if ends is None:
        return ""
    first, last = ends
    return _extract(source, first, last)


def _match(words: list[str], runs: _Runs) -> tuple[int, int] | None:
    """Return where the runs stand in order: the first word's place, and the place after.

    What an ellipsis leaves out has any length, so behind one the earliest end is as good as any.
    Words in brackets stand for few, so between those every place is tried.
    """
    ends = {0: -1}  # where the runs so far may end, and where they then begin
    for run, gap in runs:
        reached: dict[int, int] = {}
        for end, first in sorted(ends.items())[: 1 if gap is None else len(ends)]:
            last = len(words) - len(run)
            for place in range(end, last + 1 if gap is None else min(last, end + gap) + 1):
                if words[place] == run[0] and words[place : place + len(run)] == run:
                    reached.setdefault(place + len(run), place if first < 0 else first)
        ends = reached
    return min((first, end) for end, first in ends.items()) if ends else None


def _extract(source: _SourceText, first: int, last: int) -> str:
    """Return the text of a passage from one word to another."""
    text, places = source.passage.text, source.places
    end = places[last] if last < len(places) else len(text)
    return " ".join(text[places[first] : end].split()).strip(_AROUND)


def _compare(runs: _Runs, source: _SourceText) -> tuple[float, str]:
    """Return the share of a quotation's words that stand in a passage in order, and where."""
    said = [word for run, _ in runs for word in run]
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
