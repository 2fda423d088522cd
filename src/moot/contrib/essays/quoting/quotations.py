"""Quotations: what a text presents as another's words, in the quotation marks of any script."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from moot.contrib.essays.quoting.source_references import (
    SourceReference,
    SourceReferences,
    join_words,
    load_source_words,
)

LONGEST = 3_000
"""Characters of the longest quotation that is read."""
LEAST_WORDS = 3
"""Words from which on a text in quotation marks is taken for another's words, not for a term."""
LEAST_SIGNS = 6
"""The same in signs of a script that has no spaces between words."""


LONGEST_SINGLE = 600
"""The same between single marks, which are apostrophes, too."""
DEEPEST = 8
"""How deeply quotations are nested."""
LONGEST_SPEAKER = 80
"""Characters between a block quote and the reference that belongs to it: who speaks."""


class Quotation(NamedTuple):
    """Words that a text presents as another's.

    Attributes:
        start: the first character between the marks.
        stop: the place behind the last one.
        numbers: of the passages that the text names for it; empty without one.
    """

    start: int
    stop: int
    numbers: tuple[int, ...]


class _Quoted(NamedTuple):
    """A text between marks: where it and its marks begin and end."""

    opened: int
    start: int
    stop: int
    closed: int
    is_block: bool = False


_PAIRS = {
    "“": "”",
    "„": "“”",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
    "｢": "｣",
    "〈": "〉",
    "＂": "＂",
    "〝": "〞〟",
    "‟": "”",
}
"""Opening marks that mean nothing else, and what closes each."""
_FLIPPED = {"»": "«»", "›": "‹›", "”": "”", '"': '"', "״": "״"}
"""Marks that open where they stand before a word and behind a space."""
_SINGLE = {"'": "'’", "‘": "’'", "’": "’", "‚": "‘’", "`": "'"}
"""Such marks that may be apostrophes, too."""
OPENING_MARKS = frozenset([*_PAIRS, *_FLIPPED, *_SINGLE])
"""All marks that may open a quotation."""
_OPENING = re.compile(f"[{''.join(sorted(OPENING_MARKS))}]")
_BEFORE = re.compile(r"(?:^|[\s(\[{（［*_~>:：,，、—–\-/¿¡。|“«„‘「『\"])$")
_ELEMENT = re.compile(rf"<q>([^<>]{{1,{LONGEST}}})</q>", re.IGNORECASE)
_ITALIC = re.compile(
    r"(?<![\w*_\\])([*_])(?![\s*_])([^*_\n\"“”„«»]{10,600})(?<![\s])\1(?![\w*_])(?=\s?[,.]?\s?[\[(（【])"
)
"""Words in italics before what may be a reference; without one they are stressed, or a title."""
_SHORTENED = re.compile(r"\d|[smntk]\b")
"""The characters behind an apostrophe that begins a word: '90s, 'n', Dutch 's."""
_TYPED = '"״'
_CLOSES = re.compile(r"\S.(?!\w)", re.DOTALL)
_PREFIX = re.compile(r"(?:^|[^\u05d0-\u05ea])[\u05d0-\u05ea][\"״][\u05d0-\u05ea]{3}")
"""A Hebrew word of one letter, which has no space behind it; within a word the mark shortens it."""
_CLAUSE_ENDS = re.compile(r"[\s*_~]*(?:$|[.,;:!?)\]\[（(【—–]|-\s)")
_SPEAKER_LINE = re.compile(r"\n[ \t>]*(?:[—–-]{1,2}|―)[^\n]*\Z")
_BLOCK = re.compile(r"(?:^[ \t]{0,3}>[^\n]*(?:\n|$))+", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_HEAVY = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts without spaces between words."""
_LETTERS = re.compile(r"[^\W\d_]\S*")


def find_quotations(text: str, references: SourceReferences) -> list[Quotation]:
    """Return the words that a text presents as another's, in order, with the passages it names.

    These are texts in quotation marks and block quotes of Markdown. A term, of one or two words and
    without a reference, is none, nor is the title of a work. Of nested quotations the outer counts.

    Args:
        text: e.g. an essay.
        references: those of the text.
    """
    quoted = list(_find_quoted(text, references))
    edges = [0, *(each.closed for each in quoted)], [*(each.opened for each in quoted), len(text)]
    behind = [
        _find_after(text, each, references, edges[1][place + 1])
        for place, each in enumerate(quoted)
    ]
    used = {each for listed in behind for each in listed}
    found = []
    for place, each in enumerate(quoted):
        presented = _is_presented(text, each)
        named = behind[place]
        if not named:
            before = _find_before(text, each, references, edges[0][place], near=not presented)
            named = [one for one in before if one not in used]
        if named or presented:
            numbers = dict.fromkeys(number for one in named for number in one.numbers)
            found.append(Quotation(each.start, each.stop, tuple(numbers)))
    return found


def _find_quoted(text: str, references: SourceReferences) -> Iterator[_Quoted]:
    """Find all texts between marks, outer ones alone, and block quotes."""
    edges = [match.span() for match in _PARAGRAPH.finditer(text)]
    starts = [0, *(stop for _, stop in edges)]
    stops = [*(start for start, _ in edges), len(text)]
    for start, stop in zip(starts, stops, strict=True):
        at = start
        for block in _BLOCK.finditer(text, start, stop):
            yield from _find_each(text, at, block.start())
            inner = list(_find_marked(text, *block.span()))
            yield from inner or _read_block(text, *block.span(), references)
            at = block.end()
        yield from _find_each(text, at, stop)


def _find_each(text: str, start: int, stop: int) -> Iterator[_Quoted]:
    """Find the texts between marks, in elements, and in italics before a reference, in order."""
    found = list(_find_marked(text, start, stop))
    others = [
        _Quoted(match.start(), match.start(1), match.end(1), match.end())
        for match in _ELEMENT.finditer(text, start, stop)
    ]
    others += [
        _Quoted(match.start(), match.start(2), match.end(2), match.end())
        for match in _ITALIC.finditer(text, start, stop)
        if count_words(match[2]) >= LEAST_WORDS
    ]
    if not others:
        yield from found
        return
    at = start
    for each in sorted([*found, *others]):
        if each.opened >= at:
            yield each
            at = each.closed


def _find_marked(text: str, start: int, stop: int) -> Iterator[_Quoted]:
    at = start
    while match := _OPENING.search(text, at, stop):
        at = match.start()
        closing = _find_closing(text, at, min(stop, at + LONGEST))
        if closing is not None and closing > at + 1:
            yield _Quoted(at, at + 1, closing, closing + 1)
            at = closing
        at += 1


def _find_closing(text: str, at: int, end: int) -> int | None:
    """Return the place of the mark that closes what this one opens; None if it opens nothing."""
    mark = text[at]
    if mark in _PAIRS:
        closing = _find_pair(text, at, end, _PAIRS[mark])
        if closing is None and mark == "“":  # as German closes, or as who mixes marks
            return _find_pair(text, at, end, '“"')
        return closing
    after = text[at + 1 : at + 2]
    opens = _BEFORE.search(text, max(0, at - 1), at) or _PREFIX.search(text, max(0, at - 2), at + 4)
    if not opens or after.isspace() or after in ".,;:!?)]":
        return None
    if mark not in _SINGLE:
        return _find_pair(text, at, end, _FLIPPED[mark])
    if _SHORTENED.match(text, at + 1):
        return None
    return _find_single(text, at, end, _SINGLE[mark])


def _find_pair(text: str, at: int, end: int, marks: str) -> int | None:
    """Return the place of the closing mark; what the same mark opens within is skipped."""
    opener = text[at]
    depth = 0
    for match in _pair(opener + marks).finditer(text, at + 1, end):
        place = match.start()
        if text[place] not in marks:
            depth += 1
            if depth > DEEPEST:
                return None
        elif opener in '"״' and (
            text[place - 1].isspace() or text[place + 1 : place + 2].isalnum()
        ):
            continue  # inches, or a mark that opens
        elif not depth:
            return place
        else:
            depth -= 1
    return None


@cache
def _pair(marks: str) -> re.Pattern[str]:
    return re.compile(f"[{marks}]")


def _find_single(text: str, at: int, end: int, marks: str) -> int | None:
    """Return the place of a closing single mark, which may be an apostrophe as well.

    One within a word is an apostrophe. Of several others that one closes at which a clause ends; if
    none does, the last before the next one opens.
    """
    last = None
    for match in re.compile(rf"(?<!\s)[{marks}](?!\w)|(?<!\w){text[at]}").finditer(
        text, at + 1, min(end, at + LONGEST_SINGLE)
    ):
        place = match.start()
        if (
            text[place] == text[at]
            and not text[place - 1 : place].isalnum()
            and (text[place] not in marks or text[place + 1 : place + 2].isalnum())
        ):
            break  # the next quotation opens
        if text[place - 1] in ".,!?…" or _CLAUSE_ENDS.match(text, place + 1):
            return place
        last = place
    return last


def _read_block(
    text: str, start: int, stop: int, references: SourceReferences
) -> Iterator[_Quoted]:
    """Find the words of a block quote, without a line that names their speaker and references."""
    end = start + len(text[start:stop].rstrip())
    if match := _SPEAKER_LINE.search(text, start, end):
        end = match.start()
    begin = text.index(">", start) + 1
    end = min([end, *(each.start for each in references.between(begin, end))])
    begin += len(text[begin:end]) - len(text[begin:end].lstrip(" \t*_~>"))
    end = begin + len(text[begin:end].rstrip(" \t\n*_~–—-(>"))
    if end > begin:
        yield _Quoted(start, begin, end, end, is_block=True)


_SENTENCE_END = re.compile(r"(?:[.!?…]['\"”’»)*_~]*(?=\s|$)|[。！？।؟]|\n)")
_BETWEEN = re.compile(r"[\s*_~.,;:!?…)\]”’»\"'—–\-、，。(（]{0,12}$")


def _find_after(
    text: str, each: _Quoted, references: SourceReferences, limit: int
) -> list[SourceReference]:
    """Return the references behind a quotation, up to the end of its sentence or the next one."""
    near = references.between(each.closed, limit)
    if not near:
        return []
    between = text[each.closed : near[0].start]
    if each.is_block:
        reached = len(between.strip(" \n>*_~—–-")) <= LONGEST_SPEAKER
    else:
        reached = bool(_BETWEEN.fullmatch(between)) or not (
            _is_over(text, each) or _SENTENCE_END.search(between)
        )
    taken = near[:1] if reached else []
    for one in near[1:] if taken else ():
        if text[taken[-1].stop : one.start].strip(" ,;&"):
            break
        taken.append(one)
    return taken


def _is_over(text: str, each: _Quoted) -> bool:
    """Return whether the sentence ends with the quotation."""
    last = text[each.stop - 1 : each.stop]
    behind = text[each.closed :].lstrip(" *_~)”’»\"'")
    if last not in ".!?…。！？।؟" or behind[:1] in ",;:—–-":
        return behind[:1] in ".!?。！？।؟"
    return behind[:1].isupper() or not behind or behind[:1] == "\n"


def _find_before(
    text: str, each: _Quoted, references: SourceReferences, limit: int, *, near: bool
) -> list[SourceReference]:
    """Return the last reference before a quotation in its sentence: "As she notes [1], “…”".

    It has to be ``near`` what may be a term: nothing but marks stands between.
    """
    last = references.between(limit, each.opened)[-1:]
    if not last:
        return []
    between = text[last[0].stop : each.opened]
    apart = between.strip(" ,:;*_~") if near else _SENTENCE_END.search(between)
    return [] if apart else last


def count_words(text: str) -> int:
    """Return how many words a text has; signs of scripts without spaces count by half."""
    signs = len(_HEAVY.findall(text))
    return len(_LETTERS.findall(_HEAVY.sub(" ", text))) + signs * LEAST_WORDS // LEAST_SIGNS


def _is_presented(text: str, each: _Quoted) -> bool:
    """Return whether words without a reference are another's: neither a term nor a title."""
    words = text[each.start : each.stop]
    return each.is_block or (count_words(words) >= LEAST_WORDS and not _is_title(text, each))


def _is_title(text: str, each: _Quoted) -> bool:
    """Return whether a quotation is the title of a work: named as one, or written as one."""
    words = text[each.start : each.stop].strip()
    if words[-1:] in ".!,;。，！" or _is_said(text, each):
        return False
    lead = text[max(0, each.opened - 40) : each.opened].casefold()
    near = lead.rstrip(" *_~,:—–-")
    if _work().search(near):
        return True
    long = [word for word in _LETTERS.findall(words) if len(word) > 3]
    return len(long) > 1 and all(word[0].isupper() for word in long)


@cache
def _work() -> re.Pattern[str]:
    """Return a pattern of a word for a work, as the last one: "in her book"."""
    return re.compile(rf"(?:^|\W)\w{{0,2}}(?:{join_words(load_source_words('work'))})$")


def _is_said(text: str, each: _Quoted) -> bool:
    """Return whether a colon or a comma before the quotation, or a comma within, shows speech."""
    lead = text[max(0, each.opened - 6) : each.opened].rstrip(" *_~\n")
    return lead[-1:] in ":：,，"
