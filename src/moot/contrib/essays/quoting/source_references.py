"""Source references: the numbers of passages that a text names, in any form of brackets."""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPTS = {ord(each): str(n) for n, each in enumerate(_RAISED)}
_RAISED_DIGITS = {ord(str(n)): each for n, each in enumerate(_RAISED)}
_HAN = {each: n for n, each in enumerate("一二三四五六七八九十", 1)}
_MOST = 10
"""The most numbers in one reference that are read; a range has no more."""


class SourceReference(NamedTuple):
    """Passages that a text names at one place.

    Attributes:
        start: the first character, the bracket.
        stop: the place behind the last one.
        numbers: of the passages, in order.
    """

    start: int
    stop: int
    numbers: tuple[int, ...]


@cache
def load_source_table() -> dict[str, Any]:
    """Return the words of all kinds, in ``source_words.toml``."""
    return tomllib.loads(Path(__file__).with_name("source_words.toml").read_text("utf-8"))


@cache
def load_source_words(key: str) -> tuple[str, ...]:
    """Return the words of a kind, see ``source_words.toml``; the longest first."""
    listed = load_source_table()[key]
    words = listed.split() if isinstance(listed, str) else listed
    return tuple(sorted(dict.fromkeys(words), key=len, reverse=True))


def join_words(words: tuple[str, ...]) -> str:
    """Return a pattern that matches any of these words."""
    return "|".join(map(re.escape, words))


@cache
def _page() -> re.Pattern[str]:
    """Return a pattern of a place within a passage: ", p. 3"."""
    words = join_words(load_source_words("page"))
    return re.compile(rf"[,;:،、]\s*(?:{words})\.?\s*\d+(?:\s*[-–]\s*\d+)?", re.IGNORECASE)


@cache
def _pattern() -> re.Pattern[str]:
    named = rf"(?:(?:{join_words(load_source_words('source'))})[.:#№\s]{{0,3}}){{1,3}}"
    number = r"(?:\d{1,3}(?!\d|\.\d)|[一二三四五六七八九十](?=\W|$))"
    one = rf"(?:{named})?\^?{number}(?:\s*{_page().pattern})?"
    several = rf"{one}(?:\s*(?:[,;&،、–-]|and|und|et|y|e|i|och|и|та|και|و|और|和)\s*{one}){{0,9}}"
    return re.compile(
        r"(?=[\[［【〔{(（⁰¹²³⁴⁵⁶⁷⁸⁹])"  # all other signs are passed quickly so
        rf"(?:[\[［【〔{{]\s*(?:\(\s*)?(?P<square>{several})\s*\)?\s*[\]］】〕}}]"
        rf"|[(（]\s*(?P<round>{named}{several}|(?<=（)\d{{1,2}}(?=\s*）))\s*[)）]"
        r"|(?<![\d⁰¹²³⁴⁵⁶⁷⁸⁹])(?<!\bm)(?<!\b[kcmd]m)"
        r"(?:(?<=\w\w)|(?<=[”\"»’.,;!?)~]))(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}))",
        re.IGNORECASE,
    )


class SourceReferences:
    """The references of a text, in order.

    Args:
        text: e.g. an essay.
    """

    def __init__(self, text: str) -> None:
        self._listed = find_references(text)
        self._starts = [each.start for each in self._listed]

    def between(self, start: int, stop: int) -> list[SourceReference]:
        """Return the references that begin in this part of the text."""
        return self._listed[bisect_left(self._starts, start) : bisect_left(self._starts, stop)]


def find_references(text: str) -> list[SourceReference]:
    """Return every place where a text names passages by number: ``[1]``, ``(see passage 2)``."""
    found: list[SourceReference] = []
    for match in _pattern().finditer(text):
        said = match["square"] or match["round"] or (match["raised"] or "").translate(_SUPERSCRIPTS)
        found.append(SourceReference(match.start(), match.end(), _read_numbers(said)))
    return found


def renumber_reference(said: str, numbers: Mapping[int, int]) -> str:
    """Return a reference with other numbers. Those of pages stay, and ranges become lists.

    Args:
        said: the reference, as it stands in the text.
        numbers: the new ones by the old ones; a number that has none stays.
    """
    if plain := said.translate(_SUPERSCRIPTS) if said[0] in _RAISED else "":
        return str(numbers.get(int(plain), plain)).translate(_RAISED_DIGITS)
    pages = [match.span() for match in _page().finditer(said)]

    def put(match: re.Match[str]) -> str:
        own = _read_numbers(match[0])
        is_page = any(start <= match.start() < stop for start, stop in pages)
        if is_page or not any(each in numbers for each in own):
            return match[0]
        return ", ".join(str(numbers.get(each, each)) for each in own)

    return _NUMBERS.sub(put, said)


_NUMBERS = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?|([一二三四五六七八九十])")


def _read_numbers(said: str) -> tuple[int, ...]:
    """Return the numbers of passages; those of pages are left out, and ranges filled."""
    numbers: list[int] = []
    for match in _NUMBERS.finditer(_page().sub(" ", said)):
        first = _HAN[match[3]] if match[3] else int(match[1])
        last = int(match[2]) if match[2] else first
        numbers += range(first, min(last, first + _MOST) + 1)
    return tuple(dict.fromkeys(numbers))
