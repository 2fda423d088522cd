"""Quoted speakers: of whom a text has the words that it quotes, and of whom their source has them.

Only plain English frames are read: "Minister Lee said:" before the words, "said Minister Lee" or
"according to Minister Lee" behind them. Where anything is in doubt, nothing is said: somebody may
be meant by another name, or may have said it elsewhere.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from typing import NamedTuple

from msgspec.structs import replace

from moot.contrib.essays.quoting.quotations import OPENING_MARKS, find_quotations
from moot.contrib.essays.quoting.quotes import Quote
from moot.contrib.essays.quoting.source_references import SourceReferences, load_source_table
from moot.extend.records import Passage

ALIKE = 0.7
"""From this share of letters on, two names may be spellings of one."""
NEAR = 200
"""Characters on either side of a quotation in which its speaker is looked for."""
_WORD = r"(?:[^\W\d_a-zß-öø-ÿ]\.|[^\W\d_a-zß-öø-ÿ][\w’'-]+)"
_NAME = rf"(?P<name>{_WORD}(?: (?:(?:al|da|de|del|den|der|di|la|le|van|von) )*{_WORD}){{0,4}})"
_BESIDE = r"(?: \(\d{4}\)|, [^,;:.!?\"“”«»]{1,80},)?(?: (?:also|had|has|later|once|then))?"
_PARAGRAPH = re.compile(r"\n\s*\n")
_MARKS = "".join(OPENING_MARKS) + "”’»"


class _Spoken(NamedTuple):
    """Words in a text, and the quotation there that they are a part of: where each begins and ends.

    Attributes:
        start: of the quotation; of the words where they stand in none.
        stop: the place behind it.
        is_quoted: whether they stand in one.
    """

    start: int
    stop: int
    is_quoted: bool


def name_speakers(text: str, quote: Quote, passages: Iterable[Passage]) -> Quote:
    """Return a quotation with the speaker that its text names and the other one of its source.

    Args:
        text: in which it is quoted.
        quote: the quotation; one that is not found is returned as it is.
        passages: all that may have its words.
    """
    if not quote.found or quote.kind != "words":
        return quote
    said = _find_speaker(text, _Spoken(quote.start, quote.start + len(quote.text), is_quoted=True))
    words = quote.nearest.strip(" .,;:!?…\"'“”‘’")
    if not said or not words:
        return quote
    every = list(passages)
    has = [each for each in every if words.casefold() in each.text.casefold()]
    own = next((each for each in has if each.number == quote.passage), None)
    if own is None or own.text.count(words) != 1:
        return quote
    at = own.text.index(words)
    there = _find_speaker(own.text, _find_spoken(own.text, at, at + len(words)))
    if not there or not _differ(said, there):
        return quote
    around = [*_list_around(has), own.before or "", own.after or ""]
    texts = [text, *(each.text for each in every)]
    is_person = _is_person(said, texts) and (_is_person(there, texts) or _is_full_name(there))
    is_near = _is_named(said, around) or _is_named(there, [_cut_paragraph(text, quote)])
    if not is_person or is_near:
        return quote
    return replace(quote, given_to=said, said_by=there)


def _list_around(passages: Sequence[Passage]) -> Iterator[str]:
    for each in passages:
        yield from (each.text, each.source)


def _cut_paragraph(text: str, quote: Quote) -> str:
    ends = [0, *(each.end() for each in _PARAGRAPH.finditer(text)), len(text)]
    begin = max(each for each in ends if each <= quote.start)
    return text[begin : min(each for each in ends if each > quote.start)]


def _find_spoken(text: str, start: int, stop: int) -> _Spoken:
    """Return the quotation of a source that has words, or the words where they stand in none."""
    listed = find_quotations(text, SourceReferences(text))
    own = [each for each in listed if each.start <= start and stop <= each.stop]
    start, stop = (own[0].start, own[0].stop) if own else (start, stop)
    return _Spoken(start, stop, is_quoted=bool(own))


def _find_speaker(text: str, spoken: _Spoken) -> str:
    """Return the name beside words in a frame; empty where none is, or two are."""
    lead = _PARAGRAPH.split(text[max(0, spoken.start - NEAR) : spoken.start])[-1]
    lead = lead.rstrip(_MARKS + " \n")
    frames = _frames()
    if not spoken.is_quoted:
        found = [_find_whole(frames["that"], lead), frames["known"].search(lead)]
    else:
        inside = "," * text[: spoken.stop].rstrip(_MARKS).endswith(",")
        rest = _PARAGRAPH.split(text[spoken.stop : spoken.stop + NEAR])[0].lstrip(_MARKS)
        found = [_find_whole(frames["before"], lead), frames["known"].search(lead)]
        found += [frames[name].match(inside + rest) for name in ("said", "after", "according")]
    names = {_trim(match["name"]) for match in found if match}
    return names.pop() if len(names) == 1 else ""


def _find_whole(frame: re.Pattern[str], lead: str) -> re.Match[str] | None:
    """Return a frame that begins with a name, where that is no end of more: "the aide of Lee"."""
    match = frame.search(lead)
    before = lead[: match.start("name")].rstrip(" ") if match else ""
    word = before.rpartition(" ")[2]
    is_more = before.endswith(",") or word[:1].isupper() or word.casefold() in _words("joins")
    return None if is_more else match


def _trim(name: str) -> str:
    """Return a name without what begins a sentence before it; empty for a pronoun."""
    words = name.split()
    while words and words[0].casefold() in _words("starts"):
        words = words[1:]
    titled = [at for at, each in enumerate(words) if _is_title(each)]
    words = words[titled[0] :] if titled else words
    is_pronoun = not words or words[0].casefold() in _words("pronouns")
    return "" if is_pronoun else " ".join(words)


@cache
def _frames() -> dict[str, re.Pattern[str]]:
    verbs = "|".join(sorted(_words("speech")))
    begins = rf"(?:^|(?<=[\s(])){_NAME}"
    behind = r"(?:\s*\[[^\[\]]*\])?"
    frames = {
        "before": rf"{begins}{_BESIDE} (?:{verbs})(?: that)?[,:]?\Z",
        "that": rf"{begins}{_BESIDE} (?:{verbs}) that\Z",
        "known": rf"\b[Aa]ccording to {_NAME},?\Z",
        "said": rf"{behind},?{behind}\s*(?:{verbs}) {_NAME}(?=[.,;:)]|\Z)",
        "after": rf"{behind},{behind}\s*{_NAME} (?:{verbs})(?=[.;]|\Z)",
        "according": rf"{behind},?{behind}\s*according to {_NAME}(?=[.,;)]|\Z)",
    }
    return {name: re.compile(frame) for name, frame in frames.items()}


def _is_title(word: str) -> bool:
    return word.casefold().strip(".") in _words("titles")


@cache
def _words(kind: str) -> frozenset[str]:
    listed: str = load_source_table()["speakers"][kind]
    return frozenset(listed.split())


def _list_names(name: str) -> list[str]:
    """Return the words of a name without titles, as they are compared."""
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode() or name
    words = [each.removesuffix("'s") for each in folded.casefold().split()]
    return [each for each in words if not _is_title(each) and len(each.strip(".")) > 1]


def _differ(said: str, there: str) -> bool:
    """Return whether two names are of two people for sure."""
    pairs = list(product(_list_names(said), _list_names(there)))
    return bool(pairs) and all(SequenceMatcher(None, *each).ratio() < ALIKE for each in pairs)


def _is_person(name: str, texts: Sequence[str]) -> bool:
    """Return whether a name is a person's: it has a title or an initial, there or elsewhere."""
    titles = "|".join(sorted(_words("titles")))
    surname = re.escape(name.rsplit(maxsplit=1)[-1])
    titled = re.compile(
        rf"\b(?:(?i:{titles})\.?|[A-Z]\.) (?:[^\W\d_a-z][\w’'.-]* ){{0,2}}{surname}\b"
    )
    return any(titled.search(each) for each in (name, *texts))


def _is_full_name(name: str) -> bool:
    """Return whether a name is most likely a person's first and last: of no house, no group."""
    words = [each.casefold() for each in name.split()]
    is_group = bool({*words} & _words("groups")) or words[-1].endswith("s")
    return len(words) in {2, 3} and not is_group


def _is_named(name: str, texts: Iterable[str]) -> bool:
    """Return whether a text has any word of a name."""
    said = " ".join(word for text in texts for word in _list_names(text))
    return any(word in said for word in _list_names(name))
