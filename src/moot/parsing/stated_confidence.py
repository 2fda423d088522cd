"""Where a reply says how sure it is, and what that is on the scale that was asked for."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from moot.core.confidence_scales import TOPS, WORDS
from moot.core.number_words import read_number_words


class StatedConfidence(NamedTuple):
    """One statement of a confidence.

    Attributes:
        start: where its words begin.
        end: where they end.
        value: from 0 to 1; None where it cannot be read.
        whole: whether it says that it is of the answer as a whole.
    """

    start: int
    end: int
    value: float | None
    whole: bool = False


_SAME_LENGTH = {ord(c): "-" for c in "−‐‑‒–—"} | {0xA0: " ", 0x202F: " ", 0x2009: " "}
_SAME_LENGTH |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SAME_LENGTH |= {ord("→"): ">", ord("»"): '"', ord("«"): '"', ord("“"): '"', ord("”"): '"'}
"""Signs of other keyboards; none changes the length of a text."""

_DRESS = r"[\s\"'*_`$\\({\[]"
_HEDGE = (
    r"(?:(?:about|around|roughly|approximately|some|circa|ca\.?|etwa|environ|boxed|now|only|at"
    r"|maybe|perhaps|say|alta|hoch|haute|élevée|i would say|i'd say|i think|i(?: am|'m)|it is)\b"
    r"|~|≈|(?:(?:very|fairly|quite|rather) )?(?:high|medium|moderate|low|strong)\b[,;:]?)"
)
_VALUE = (
    r"(?P<value>\d{1,3}(?:[.,]\d+)?|\.\d+)(?![\d.,]*\d)"
    r"(?P<unit>[ \\]{0,2}%| percent\b| per cent\b| Prozent\b"
    r"| ?(?:/|out of) ?(?P<most>\d+(?:\.\d+)?))?"
    r"(?P<range> ?(?:-|to|or|and|bis|à) ?\d| ?\+(?!/)| not\b)?"
)
_NUMBER = re.compile(_VALUE, re.IGNORECASE)
_NAMES = (
    r"confidence|confident|certainty|konfidenz|zuversicht|sicherheit|confiance|certitude|confianza"
    r"|certeza|confiança|fiducia|уверенность|置信度|信心|确信度|確信度|신뢰도|확신도"
    r"|vertrauen|gewissheit|certezza|pewność|zekerheid|säkerhet|自信度|自信|把握|信頼度"
    r"|probability|likelihood|chance|sure|certain|p\((?:correct|right|true)\)"
)
_BEGINS = r"(?<![a-z])(?=[cfgklpsvzу置信确確신확自把])"
"""What a name begins with: all other signs are passed quickly."""
_LABEL = re.compile(
    rf"{_BEGINS}(?P<name>{_NAMES})(?![a-z])(?:[ _](?:level|score|rating|percent(?:age)?|\(?%\)?))?"
    r"(?: (?:in|that|of) (?:my|this|the|it|being|i) ?(?:\w+ ){0,3}?(?:answer|right|correct)"
    r"(?: (?:is|being) (?:right|correct))?)?"
    r"(?: (?:der|in|en|dans|nella) (?:\w+ )?(?:antwort|réponse|respuesta|risposta))?"
    r"(?: I am)?(?: (?:before|after|now|afterwards))?"
    r"(?: ?\((?!\.?\d)[^()\n]{0,40}\)| ?\([^()\n]{0,40}\)(?= ?[:=])| ?\[[^\[\]\n]{0,40}\](?= ?:))?"
    rf"{_DRESS}{{0,6}}"
    r"(?P<sign>[:=|>-]|\b(?:is|at|was|of|liegt bei|beträgt|est de|es de)\b|[是为は])?"
    rf"{_DRESS}{{0,6}}"
    rf"(?:, )?(?:{_HEDGE}{_DRESS}{{0,4}}){{0,2}}(?:<(?=\d{{1,3}}>))?",
    re.IGNORECASE,
)
_SPELT_UNIT = re.compile(
    r"(?P<percent> ?%| percent| per cent)?(?P<ten> out of ten)?", re.IGNORECASE
)
_HUNDRED = re.compile(r"hundred(?= per ?cent|%)", re.IGNORECASE)
_GOES_ON = re.compile(
    r" ?[±^√π²³!]| ?\\(?:pi|sqrt|pm|times|cdot)|[a-zA-Z](?!\w)| ?[x*×+] ?\(?\d| \d{1,4}/\d"
)
"""What makes a number the first part of another value: "7 1/2", "80^2"."""
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_PROSE = re.compile(
    rf"(?<![\w.,-]){_VALUE}[*_]{{0,2}} "
    r"(?:confident|confidence|certain|certainty|sure|sicher|seguro|certeza)\b"
    r"(?! (?:interval|level|band|region|bound))",
    re.IGNORECASE,
)
_CHANCE = re.compile(
    rf"(?<![\w.,-]){_VALUE} (?:chance|probability|likelihood)"
    r" (?:that|of) [^.\n]{0,40}?\b(?:right|correct)\b",
    re.IGNORECASE,
)
_RIGHT = re.compile(r"\b(?:right|correct)\b", re.IGNORECASE)
_VAGUE = {"probability", "likelihood", "chance", "sure", "certain"}
"""Names of other things, too: without a word for right they need a unit behind the number."""
_UNIT = re.compile(r"%|/|out of|percent")
_TURNED = re.compile(r"(?<![a-z])(?:sûre?|certaine?|sicher|seguro) (?:à|zu|al) ", re.IGNORECASE)
_CHANGED = re.compile(
    rf"{_BEGINS}(?:{_NAMES})(?![a-z])[^.\n\d]{{0,40}}?\d[\d.,]{{0,5}} ?%? ?"
    r"(?:->|=>|>|\bto\b|, now) ?(?=\d)",
    re.IGNORECASE,
)
_FROM = re.compile(
    r"\b(?:dropp|fell|fall|r[io]se|went|goes|chang|mov|increas|decreas|was)|->|>", re.IGNORECASE
)
_OTHERS = re.compile(
    r"\b(?:agent|expert|assistant|solver|reviewer) ?\w{1,3}"
    r"(?:'s| (?:is|was|says|said|states|stated|claims|claimed|gives|gave|has|had|puts|reports))\b"
    r"(?:(?!\b(?:I|my)\b)[^.!?,;\n]){0,60}\Z",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"(?:\bnot|n't|\bnever|\bcannot)\b[^.!?\n\d]{0,16}\Z", re.IGNORECASE)
_WHOLE = re.compile(r"\b(?:overall|total|final|combined) \Z", re.IGNORECASE)
_BEFORE = 90
"""Characters before a statement that are searched for whose it is."""


def find_confidences(text: str, scale: str, *, finished: bool) -> list[StatedConfidence]:
    """Return the statements of a confidence in a reply, in their order.

    Args:
        text: the reply.
        scale: as for ``read_confidence``.
        finished: False for a reply that was cut off.
    """
    plain = text.translate(_SAME_LENGTH)
    found: dict[int, StatedConfidence] = {}
    for each in (*_find_labelled(plain, scale, finished=finished), *_find_in_prose(plain, scale)):
        before = plain[max(0, each.start - _BEFORE) : each.start]
        if not _OTHERS.search(before):
            whole = _WHOLE.search(before) is not None
            found.setdefault(each.end, each._replace(whole=whole))
    if not found:
        found |= {each.end: each for each in _find_in_tables(plain, scale)}
    if not found and scale == "words":
        found |= {each.end: each for each in _find_closing_words(plain)}
    return sorted(found.values())


def choose_confidence(found: list[StatedConfidence]) -> StatedConfidence | None:
    """Return the statement that counts: the last of the answer as a whole, else the last one."""
    return next((each for each in reversed(found) if each.whole), found[-1] if found else None)


def read_number(text: str, at: int, scale: str, *, finished: bool) -> tuple[float | None, int]:
    """Return a confidence, or None if it cannot be read, and where its words end."""
    found = _NUMBER.match(text, at)
    if not found:
        return _read_spelt(text, at, scale)
    goes_on = found["range"] or (not found["unit"] and _GOES_ON.match(text, found.end()))
    if goes_on or (not finished and not text[found.end() :].strip(" .\n")):
        return None, found.end()
    return _scale_number(found, scale), found.end()


def _read_spelt(text: str, at: int, scale: str) -> tuple[float | None, int]:
    """Return a confidence in words such as "ninety percent" or "seven", and where they end."""
    hundred = _HUNDRED.match(text, at)
    spelt = (100, hundred.end()) if hundred else read_number_words(text, at)
    if spelt is None:
        return None, at
    number, end = float(spelt[0]), spelt[1]
    unit = _SPELT_UNIT.match(text, end)
    percent, ten = (unit["percent"], unit["ten"]) if unit else (None, None)
    top = 100.0 if percent else 10.0 if ten else TOPS.get(scale, 0.0)
    if scale == "percent" and not (percent or ten) and number < 1:
        top = 1.0
    return (number / top if top and number <= top else None), unit.end() if unit else end


def _scale_number(found: re.Match[str], scale: str) -> float | None:
    """Return a number on its scale from 0 to 1; None above its top.

    On the scale of percent a bare number up to 1 with decimals is a share: whole numbers are asked.
    """
    number, unit = float(found["value"].replace(",", ".")), (found["unit"] or "").strip(" \\")
    top = TOPS.get(scale)
    if _THOUSANDS.fullmatch(found["value"]):
        return None
    if unit:
        top = float(found["most"]) if found["most"] else 100.0
        if unit == "/50" and number == 50:  # even chances
            top = 100.0
    elif scale == "percent" and number <= 1 and not found["value"].isdigit():
        top = 1.0
    return number / top if top and number <= top else None


def _find_labelled(plain: str, scale: str, *, finished: bool) -> Iterator[StatedConfidence]:
    """Yield statements such as "Confidence: 80%" and "my confidence is 80%"."""
    changed = {each.start(): each.end() for each in _CHANGED.finditer(plain)}
    for label in (*_LABEL.finditer(plain), *_TURNED.finditer(plain)):
        name = label.groupdict().get("name", "")
        at = changed.get(label.start(), label.end())
        if at != label.end() and not _FROM.search(plain[label.start() : at]):
            at = label.end()
        value, end = read_number(plain, at, scale, finished=finished)
        sign = label.groupdict().get("sign", "is")
        vague = name.casefold() in _VAGUE and not _RIGHT.search(label[0])
        if end == at and scale == "words" and sign and not vague:
            value, end = _read_words(plain, at)
        bracketed = scale == "unit" and label[0].endswith("(")
        loose = vague or not (sign or bracketed)
        foreign = (
            sign == "of" and "level" in label[0] and not plain[: label.start()].endswith("my ")
        )
        if end == at or foreign or (loose and not _UNIT.search(plain[at:end])):
            continue
        yield StatedConfidence(label.start(), end, value)


def _find_in_prose(plain: str, scale: str) -> Iterator[StatedConfidence]:
    """Yield statements such as "I am 80% confident", but not "I am not 80% confident"."""
    for found in (*_PROSE.finditer(plain), *_CHANCE.finditer(plain)):
        before = plain[max(0, found.start() - 30) : found.start()]
        share = scale == "unit" and not found["value"].isdigit()
        if (found["unit"] or share) and not found["range"] and not _NEGATED.search(before):
            yield StatedConfidence(found.start(), found.end(), _scale_number(found, scale))


def _find_in_tables(plain: str, scale: str) -> Iterator[StatedConfidence]:
    """Yield the number below a column's head "Confidence", in the last row of a table."""
    at, column = 0, None
    for line in plain.splitlines(keepends=True):
        cells = line.split("|")
        if len(cells) < 2:
            column = None
        elif column is None:
            heads = [place for place, cell in enumerate(cells) if _LABEL.search(cell)]
            column = heads[0] if heads else None
        elif column < len(cells) and (found := _NUMBER.search(cells[column])):
            start = at + len("|".join(cells[:column])) + 1 + found.start()
            end = start + len(found[0])
            value = None if found["range"] else _scale_number(found, scale)
            yield StatedConfidence(start, end, value)
        at += len(line)


_KNOWN = re.compile(rf"\b(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})\b")
_LEADS = re.compile(
    r"\A[\W_]*(?:(?:it is|it's|i'd say|i would say|i think it is|this is|quite)[\W_]+)*",
    re.IGNORECASE,
)
_OR_MORE = re.compile(r"[\W_]*(?:to|or) (?:very|almost|more|even|likely|unlikely|certain)\b")
_CLOSING = re.compile(
    r"^[\W_]*(?:(?:it|this|that|my answer|the answer) is|i am|i'm) ([a-z ]{4,30})",
    re.IGNORECASE | re.MULTILINE,
)


def _read_words(text: str, at: int) -> tuple[float | None, int]:
    """Return what a line says in words of the scale; None where it says none, or two."""
    line = text[at:].partition("\n")[0]
    low = _LEADS.sub("", line.casefold(), count=1)
    first = _KNOWN.match(low)
    rest = low[first.end() :] if first else ""
    others = {found[0] for found in _KNOWN.finditer(rest.partition("(")[0])}
    unclear = _OR_MORE.match(rest) or (first and others - {first[0]})
    return (WORDS[first[0]] if first and not unclear else None), at + len(line)


def _find_closing_words(plain: str) -> Iterator[StatedConfidence]:
    """Yield what a sentence at the end of a reply, below its answer, says in words of the scale."""
    last = plain.rstrip().rpartition("\n")[0]
    found = _CLOSING.search(plain, len(last))
    if last and found and (known := _KNOWN.match(found[1].casefold())):
        yield StatedConfidence(found.start(), found.end(), WORDS[known[0]])
