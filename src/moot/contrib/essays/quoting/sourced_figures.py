"""Sourced figures: numbers that a text presents as data of a source it names."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from moot.contrib.essays.quoting.number_values import (
    NumberPlace,
    NumberValue,
    list_numbers,
    read_around,
)
from moot.contrib.essays.quoting.quotations import Quotation
from moot.contrib.essays.quoting.source_references import (
    SourceReference,
    SourceReferences,
    join_words,
    load_source_words,
)


class SourcedFigure(NamedTuple):
    """A number with the signs and units that belong to it.

    Attributes:
        start: the first character.
        stop: the place behind the last one.
        numbers: of the passages that the text names for it; empty where it names a source in words.
        value: what it says; None where the text names no source for it.
    """

    start: int
    stop: int
    numbers: tuple[int, ...]
    value: NumberValue | None


class SourcedText(NamedTuple):
    """The data that a text presents, and its statements that name a source without such data.

    Attributes:
        figures: in order; those without a source, too.
        statements: where sentences begin and end that name a source, and have neither a figure nor
            a quotation that could be checked.
    """

    figures: list[SourcedFigure]
    statements: list[tuple[int, int]]


_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b[Mm]io\.)(?<!\b[Mm]rd\.)(?<!\bTsd\.)(?<!\bmln\.)(?<!\bca\.)"
    r"[\"”’»)\]]*\s+(?=[\"“„«‘'(\[]{0,2}[^\W\d_a-z])|(?<=[。！？।؟])|\n+"
)


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each sentence; a line without a full stop is one, too."""
    begin = 0
    for match in [*_SENTENCE.finditer(text), None]:
        yield begin, match.start() if match else len(text)
        begin = match.end() if match else len(text)


def find_figures(
    text: str, quotations: Sequence[Quotation], references: SourceReferences
) -> SourcedText:
    """Return the numbers outside quotations, in order, each with the source that a text names.

    A source is the number of a passage behind it in the same sentence, or before it; or the words
    "according to" and the like. Numbers of a list, and parts of words, are none.

    Args:
        text: e.g. an essay.
        quotations: those of the text: their numbers are words of another.
        references: those of the text.
    """
    starts = [each.start for each in quotations]
    found, statements = list[SourcedFigure](), list[tuple[int, int]]()
    begin = 0
    for match in [*_SENTENCE.finditer(text), None]:
        end = match.start() if match else len(text)
        own = references.between(begin, end)
        if match:  # one that follows the full stop
            tail = references.between(end, match.end() + 1)
            gaps = ((one, text[end : one.start]) for one in tail)
            own += [one for one, gap in gaps if not gap.strip() and gap.count("\n") < 2]
        first = max(bisect_left(starts, begin) - 1, 0)
        near = quotations[first : bisect_left(starts, end)]
        figures = list(_find_in_sentence(text, (begin, end), own, near))
        found += figures
        quoted = any(each.stop > begin for each in near)
        if not figures and not quoted and (own or _according().search(text[begin:end])):
            statements.append((begin, end))
        begin = match.end() if match else end
    return SourcedText(found, statements)


def _find_in_sentence(
    text: str,
    sentence: tuple[int, int],
    references: list[SourceReference],
    quotations: Sequence[Quotation],
) -> Iterator[SourcedFigure]:
    places = [one.start for one in references]
    quoted = [each.start for each in quotations]
    named_in_words = None
    for number in _list_numbers(text, *sentence):
        start, stop = number.start, number.stop
        place, quote = bisect_right(places, start), bisect_right(quoted, start)
        before, behind = references[max(place - 1, 0) : place], references[place : place + 1]
        within = [
            *(one.stop for one in before),
            *(e.stop for e in quotations[max(quote - 1, 0) : quote]),
        ]
        if any(start < each for each in within):
            continue
        if named_in_words is None:
            named_in_words = bool(_according().search(text[slice(*sentence)]))
        numbers: tuple[int, ...] | None = () if named_in_words else None
        if behind or before:
            ends = (stop, behind[0].start) if behind else (before[0].stop, start)
            own = bisect_left(quoted, ends[0]) == bisect_left(quoted, ends[1])
            numbers = (behind or before)[0].numbers if own else None  # else it is a quotation's
        if numbers is None:
            if not number.value.small:
                yield SourcedFigure(start, stop, (), None)
        else:
            yield SourcedFigure(start, stop, numbers, read_around(text, number))


def _list_numbers(text: str, start: int, stop: int) -> list[NumberPlace]:
    """Return the figures of a sentence in digits and in words, in order."""
    return [each for each in list_numbers(text, start, stop) if not _is_no_figure(text, each)]


@cache
def _according() -> re.Pattern[str]:
    words = load_source_words("according")
    spaced = join_words(tuple(each for each in words if each.isascii() or " " in each))
    return re.compile(
        rf"(?:^|\W)(?:{spaced})\b|{join_words(tuple(e for e in words if not e.isascii()))}",
        re.IGNORECASE,
    )


_ITEM = re.compile(r"(?:^|\n)[ \t>*_~#-]*$")
_ORDINAL = re.compile(
    r"(?:st|nd|rd|th|er|e|ème|º|ª|-?й|-?я|-?го|世紀|世纪|\.\s+(?:Jahrhundert|wiek))\b"
)


def _is_no_figure(text: str, number: NumberPlace) -> bool:
    """Return whether a number counts an item of a list or a century, or is part of a name."""
    if number.value.unit or number.value.currency:
        return False
    behind = text[number.stop : number.stop + 12]
    item = _ITEM.search(text[max(0, number.start - 12) : number.start]) and behind[:1] in ".)"
    letter = behind[:1].isalpha() and behind[:1].isascii()
    ranked = text[number.start - 1 : number.start] == "#"
    return bool(item) or letter or ranked or bool(_ORDINAL.match(behind))
