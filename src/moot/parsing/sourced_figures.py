"""Sourced figures: numbers that a text presents as data of a source it names."""

import re
import tomllib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from moot.parsing.quotations import Quotation
from moot.parsing.source_references import (
    SourceReference,
    SourceReferences,
    join_words,
    load_source_words,
)


class NumberValue(NamedTuple):
    """What a number may mean: "1,200" is 1200 in one language and 1.2 in another."""

    values: frozenset[float]
    percent: bool

    def equals(self, other: "NumberValue") -> bool:
        """Return whether both may mean the same."""
        return bool(self.values & other.values) and self.percent == other.percent


class SourcedFigure(NamedTuple):
    """A number with its unit, as far as that is a percent sign or a power of ten.

    Attributes:
        start: the first character.
        stop: the place behind the last one.
        numbers: of the passages that the text names for it; empty where it names a source in words.
        value: what the number may mean.
    """

    start: int
    stop: int
    numbers: tuple[int, ...]
    value: NumberValue


_HAN = "〇零一二三四五六七八九十百千"
_DIGIT = re.compile(rf"[\d{_HAN}]")
"""What a number begins with."""
_SENTENCE = re.compile(
    r"(?<=[.!?])[\"”’»)\]]*\s+(?=[\"“„«‘'(\[]{0,2}[^\W\d_a-z])|(?<=[。！？।؟])|\n+"
)
_SEPARATED = r"\d{1,3}(?P<mark>[.,'’ \u00a0\u202f٬])\d{2,3}(?:(?P=mark)\d{2,3})*(?!\d)"
"""One and the same mark between all: in "2,000 15" there are two numbers."""


@cache
def _number_pattern() -> re.Pattern[str]:
    percent = join_words(load_source_words("percent"))
    scale = join_words(tuple(sorted(_load_scales(), key=len, reverse=True)))
    return re.compile(
        rf"(?={_DIGIT.pattern})"  # all other signs are passed quickly so
        rf"(?P<lead>百分之\s*)?(?<![^\W\u3040-\u9fff])(?<![.,](?=\d))(?P<digits>{_SEPARATED}(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)?"
        rf"|(?<=百分之)[{_HAN}]+)"
        rf"(?:[\s\u00a0\u202f-]{{0,2}}(?P<scale>{scale})\w{{0,4}})?"
        rf"(?:[\s\u00a0\u202f-]{{0,2}}(?P<percent>{percent})\w{{0,3}})?",
        re.IGNORECASE,
    )


@cache
def _load_scales() -> dict[str, int]:
    table = tomllib.loads(files("moot.parsing").joinpath("source_words.toml").read_text("utf-8"))
    return {word: int(size) for size, words in table["multipliers"].items() for word in words}


def find_figures(
    text: str, quotations: Sequence[Quotation], references: SourceReferences
) -> list[SourcedFigure]:
    """Return the numbers outside quotations for which a text names a source, in order.

    A source is the number of a passage behind it in the same sentence, or before it; or the words
    "according to" and the like. Numbers of a list, and parts of words, are none.

    Args:
        text: e.g. an essay.
        quotations: those of the text: their numbers are words of another.
        references: those of the text.
    """
    starts = [each.start for each in quotations]
    found: list[SourcedFigure] = []
    begin = 0
    for match in [*_SENTENCE.finditer(text), None]:
        end = match.start() if match else len(text)
        own = references.between(begin, end)
        if match:  # one that follows the full stop
            tail = references.between(end, match.end() + 1)
            own += [one for one in tail if not text[end : one.start].strip()]
        first = max(bisect_left(starts, begin) - 1, 0)
        near = quotations[first : bisect_left(starts, end)]
        found += _find_in_sentence(text, (begin, end), own, near)
        begin = match.end() if match else end
    return found


def _find_in_sentence(
    text: str,
    sentence: tuple[int, int],
    references: list[SourceReference],
    quotations: Sequence[Quotation],
) -> Iterator[SourcedFigure]:
    if not (first := _DIGIT.search(text, *sentence)):
        return
    named_in_words = bool(_according().search(text[slice(*sentence)]))
    places = [one.start for one in references]
    quoted = [each.start for each in quotations]
    for match in _number_pattern().finditer(text, first.start(), sentence[1]):
        start, stop = match.span()
        place, quote = bisect_right(places, start), bisect_right(quoted, start)
        before, behind = references[max(place - 1, 0) : place], references[place : place + 1]
        within = [
            *(one.stop for one in before),
            *(e.stop for e in quotations[max(quote - 1, 0) : quote]),
        ]
        if any(start < each for each in within) or _is_no_figure(text, match):
            continue
        if not behind and not before:
            if named_in_words:
                yield SourcedFigure(start, stop, (), _read_value(match))
            continue
        ends = (stop, behind[0].start) if behind else (before[0].stop, start)
        if bisect_left(quoted, ends[0]) == bisect_left(quoted, ends[1]):  # else it is a quotation's
            numbers = (behind or before)[0].numbers
            yield SourcedFigure(start, stop, numbers, _read_value(match))


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


def _is_no_figure(text: str, match: re.Match[str]) -> bool:
    """Return whether a number counts an item of a list or a century, or is part of a name."""
    behind = text[match.end() : match.end() + 12]
    item = _ITEM.search(text[max(0, match.start() - 12) : match.start()]) and behind[:1] in ".)"
    letter = behind[:1].isalpha() and behind[:1].isascii() and not match["percent"]
    return bool(item) or letter or (bool(_ORDINAL.match(behind)) and not match["percent"])


def read_numbers(text: str) -> list[NumberValue]:
    """Return what the numbers of a text may mean."""
    return [_read_value(match) for match in _number_pattern().finditer(text)]


def _read_value(match: re.Match[str]) -> NumberValue:
    digits = match["digits"]
    percent = bool(match["percent"] or match["lead"])
    scale = _load_scales().get((match["scale"] or "").casefold(), 1)
    if digits[0] in _HAN:
        return NumberValue(frozenset({float(_read_han(digits))}), percent)
    plain = unicodedata.normalize("NFKC", digits).replace("٫", ".").replace("٬", ",")
    plain = "".join(str(unicodedata.digit(each)) if each.isdigit() else each for each in plain)
    readings = {re.sub(r"\D", "", plain)} if re.fullmatch(_SEPARATED, digits) else set()
    marks = [place for place, each in enumerate(plain) if each in ".,"]
    if marks:
        whole, part = plain[: marks[-1]], plain[marks[-1] + 1 :]
        readings.add(f"{re.sub(r'[^0-9]', '', whole)}.{part}")
    elif not readings:
        readings.add(plain)
    return NumberValue(frozenset(round(float(each) * scale, 6) for each in readings), percent)


def _read_han(digits: str) -> int:
    """Return the number in Han numerals below ten thousand."""
    total, one = 0, 0
    for each in digits:
        place = _HAN.index(each)
        if each in "十百千":
            total += max(one, 1) * {"十": 10, "百": 100, "千": 1000}[each]
            one = 0
        else:
            one = max(place - 1, 0)
    return total + one
