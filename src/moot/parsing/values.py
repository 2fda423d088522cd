"""Values: what a phrase that should hold an answer says, in canonical form, kind by kind."""

import re
from collections.abc import Callable
from fractions import Fraction

from moot.core.questions import Kind, Question

_CLAUSE = re.compile(r"[.!?](?=\s|$)|[;\n]")


def clause(phrase: str) -> str:
    """The phrase as far as the end of its sentence."""
    end = _CLAUSE.search(phrase)
    return phrase[: end.start()] if end else phrase


def read(phrase: str, question: Question) -> str | None:
    """The answer that a phrase begins with or holds, or None.

    Args:
        phrase: what follows "the answer is" or the like, already plain (see
            ``moot.parsing.plain``).
        question: whose kind and choices say what to look for.
    """
    if question.kind == "choice":
        return _choice(phrase.lstrip(_LEAD), question)
    return _READERS[question.kind](phrase)


_LEAD = " :=>-\"'$"

# --- choice ---------------------------------------------------------------------------------------

_LETTER = re.compile(
    r"(?:(?:the|correct|right|best|final|option|choice|letter|answer|is|number)[ :]{1,2}){0,4}"
    r"(?P<open>[\"'(\[{<]{0,2})(?P<letter>[A-Za-z])(?P<close>[\"')\]}>.:,;/$]{0,2})(?![\w'-])",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"[\"')\]}]{0,2}\s?(?:,? or|,? and|,|/|&)\s?[\"'(\[]?([A-Z])[\"')\].,]{0,2}(?![\w'])",
)
_GOES_ON = re.compile(
    r"\s?(?:$|\n|is\b|as\b|because\b|since\b|for\b|with\b|was\b|would\b|seems\b|[^\w\s])"
)


def _choice(phrase: str, question: Question) -> str | None:
    match = _LETTER.match(phrase)
    if match and _is_letter(match, phrase[match.end() :]):
        letter = match["letter"].upper()
        other = _ANOTHER.match(phrase, match.end("letter"))
        undecided = other and other[1] in question.letters and other[1] != letter
        return letter if letter in question.letters and not undecided else None
    said = clause(phrase)
    return option(said, question) or _shortened(said, question)


def _is_letter(match: re.Match[str], rest: str) -> bool:
    """Whether a single letter names a choice, and is not a word such as "a" or "I"."""
    letter, close = match["letter"], match["close"]
    marked = close[:1] in (")", "]", "}", ":", ".") or bool(match["open"])
    named = match.start("open") > 0 and not match[0].lower().startswith(("the a", "is a"))
    alone = bool(_GOES_ON.match(rest))
    if letter.isupper():
        return letter not in "AI" or marked or alone or close.startswith(",")
    if not rest.strip() or (match["open"] and close):
        return True
    return letter not in "ai" and ((marked and close[:1] != ".") or alone or named)


_NAMED = re.compile(r"(?:\(|\b(?i:option|choice) [\"(]?)([A-Z])(?=[)\"]|\b)")
_NOT = frozenset(("not", "never", "t", "neither", "wrong", "incorrect"))


def option(phrase: str, question: Question) -> str | None:
    """The letter that the phrase names, or that of the one choice whose text it holds.

    None where it names several, or denies what it names.
    """
    held = f" {_words(phrase)} "
    letters = {match[1] for match in _NAMED.finditer(phrase)} & set(question.letters)
    if letters:
        return letters.pop() if len(letters) == 1 and _NOT.isdisjoint(held.split()) else None
    texts = [f" {_words(choice)} " for choice in question.choices]
    found = [
        (text, letter)
        for text, letter in zip(texts, question.letters, strict=False)
        if text in held and not text.isspace()
    ]
    widest = [
        (text, letter)
        for text, letter in found
        if not any(text != other and text in other for other, _ in found)
    ]
    if len(widest) != 1 or not _NOT.isdisjoint(held.replace(widest[0][0], " ").split()):
        return None
    return widest[0][1]


def _shortened(phrase: str, question: Question) -> str | None:
    """The letter of the one choice whose text holds the phrase, e.g. "none of the above"."""
    words = _words(phrase)
    if len(words) < 4:
        return None
    held = [
        letter
        for choice, letter in zip(question.choices, question.letters, strict=False)
        if f" {words} " in f" {_words(choice)} "
    ]
    return held[0] if len(held) == 1 else None


_PLURAL = re.compile(r"(?<=[a-z]{3})s\Z")
_NO_WORD = re.compile(r"[^\w%+./-]+|[.](?!\d)")


def _words(text: str) -> str:
    return " ".join([_PLURAL.sub("", word) for word in _NO_WORD.sub(" ", text.casefold()).split()])


# --- boolean --------------------------------------------------------------------------------------

ONE_WORD = r"(?![-/]| or | and |,? but (?:\w+ ){0,2}(?:no|yes|false|true)(?:[.,;!\n]|$))"
"""Behind a verdict: it is not at once taken back ("yes, but no")."""
_VERDICT = re.compile(
    r"[\"'(\[{]{0,2}"
    r"(?:(?:that|it|this|the|statement|claim|answer|is|was|actually|indeed|definitely|therefore"
    r"|still|:)[ :]){0,6}"
    r"[\"'(\[{]{0,2}(?P<not>not (?:actually |really |entirely )?)?"
    r"(?P<word>true|false|yes|no|correct|incorrect|right|wrong|untrue)\b" + ONE_WORD,
    re.IGNORECASE,
)
_DETERMINER = re.compile(
    r"\s(?!because|since|as\b|it\b|i\b|they\b|the\b|this\b|that\b|there\b)\w", re.IGNORECASE
)
_FOR = frozenset(("true", "yes", "correct", "right"))


def _boolean(phrase: str) -> str | None:
    match = _VERDICT.match(phrase.lstrip(_LEAD))
    if not match:
        return None
    word = match["word"].lower()
    if word == "no" and _DETERMINER.match(phrase.lstrip(_LEAD), match.end()):
        return None
    return "true" if (word in _FOR) != bool(match["not"]) else "false"


# --- number ---------------------------------------------------------------------------------------

NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>-|\+)?\s?(?:[$€£¥]\s?)?(?P<inner>-)?"
    r"(?P<whole>\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?P<part>\.\d+)?(?<=\d)(?P<exp>e[+-]?\d{1,2}(?!\d))?"
    r"(?!e[+-]?\d)"
    r"(?:\s?/\s?(?P<under>\d+(?!\.?\d)))?",
    re.IGNORECASE,
)
_LONGEST = 60
"""Digits beyond which a number is noise."""

_OPERATOR = re.compile(
    r"\s?%?\s?(?:[-+*/^]|x|times|plus|minus)\s?(?:\(?[$]?\d|$)| ?=| [a-z]{1,12} [-+*/] \(?[$]?\d",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\s?(?:-|to|or|and|,|/|:)\s?[$]?\d| [a-z]{3,12} (?:and|or|[*/+]) [$]?\d", re.IGNORECASE
)
_NO_COUNT = re.compile(r"(?:st|nd|rd|th)\b|-[a-z]", re.IGNORECASE)  # 3rd, 3-day
_NUMBERS = re.compile(
    r"\b(?:agent|mind|expert|debater|speaker|community|group|question|problem|step|round|part"
    r"|option|solution)[ #-]{0,2}\Z",
    re.IGNORECASE,
)
_SCALE = re.compile(r"\s?(hundred|thousand|million|billion)\b", re.IGNORECASE)
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9}
_MIXED = re.compile(r"\s(\d{1,9})/(\d{1,9})(?![\d.])")
_RESTATED = re.compile(
    r"[ :$(]{0,3}\d[\d.,]{0,15}%?"
    r"(?: ?(?:of|plus|minus|times|divided by|[-+*/x]) ?\(?[$]?\d[\d.,]{0,15}%?\)?){1,9}+"
    r" (?:is|equals|gives) (?=[$(]?-?\d)",
    re.IGNORECASE,
)
"""The asked sum before its result: "15% of 240 is 36"."""
_CHAIN = re.compile(
    r"(?:[\s.,$€£+*/^()%x-]*+(?:\d[\d.,]*+ ?[a-z]{0,12}+)?+){0,9}+[\s.)]*+$", re.IGNORECASE
)
"""A part of a chain of equations that is itself a sum, with units or without."""

_POWER = re.compile(
    r"(?<![\w.,^])(\d+(?:\.\d+)?) ?[*x] ?10 ?\^ ?(?:\{(-?\d\d?)\}|\((-?\d\d?)\)|(-?\d\d?)(?!\d))"
)
_UNITS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "ten twenty thirty forty fifty sixty seventy eighty ninety")
_SPELLED = re.compile(
    r"(?:(?:the|only|number|exactly|just|minus) ){0,2}"
    rf"(?:(?P<tens>{'|'.join(_TENS[1:])})[- ]?)?(?P<unit>{'|'.join(reversed(_UNITS))})?\b",
    re.IGNORECASE,
)


def number(match: re.Match[str]) -> str | None:
    """A match of ``NUMBER`` in canonical form: no separators, no needless zeros; None for x/0."""
    digits = (match["whole"] or "0").replace(",", "") + (match["part"] or "")
    under = match["under"]
    if len(digits) > _LONGEST or len(under or "") > _LONGEST:
        return None
    exact = Fraction(digits + (match["exp"] or ""))
    if "-" in (match["sign"], match["inner"]):
        exact = -exact
    if under is None:
        return decimal(exact)
    if not int(under):
        return None
    return f"{exact}/{int(under)}" if exact.denominator == 1 else decimal(exact / int(under))


def decimal(exact: Fraction) -> str:
    """A number as a plain decimal, or as a fraction where no decimal is exact."""
    if exact.denominator == 1:
        return str(exact.numerator)
    twos = (exact.denominator & -exact.denominator).bit_length() - 1
    fives, rest = 0, exact.denominator >> twos
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        return str(exact)
    places = max(twos, fives)
    digits = str(abs(exact.numerator) * 10**places // exact.denominator).rjust(places + 1, "0")
    return f"{'-' if exact < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def joined(phrase: str) -> str:
    """The phrase with every power of ten drawn to its factor: "3 * 10^5" as "3e5"."""
    return _POWER.sub(r"\1e\2\3\4", phrase) if "10" in phrase and "^" in phrase else phrase


def _number(phrase: str) -> str | None:
    phrase = joined(_result(clause(phrase)))
    for match in NUMBER.finditer(phrase):
        if _NO_COUNT.match(phrase, match.end()) or _NUMBERS.search(
            phrase, max(0, match.start() - 12), match.start()
        ):
            continue
        mixed = None if match["under"] or match["part"] else _MIXED.match(phrase, match.end())
        if mixed and int(mixed[2]) and match["whole"] and len(match["whole"]) < _LONGEST:
            whole, part = int(match["whole"].replace(",", "")), Fraction(f"{mixed[1]}/{mixed[2]}")
            return decimal(-(whole + part) if match["sign"] == "-" else whole + part)
        if _OPERATOR.match(phrase, match.end()) or _SEVERAL.match(phrase, match.end()):
            return None
        found, scale = number(match), _SCALE.match(phrase, match.end())
        return decimal(Fraction(found) * _SCALES[scale[1].lower()]) if found and scale else found
    return _spelled(phrase.lstrip(" :\"'("))


def _result(phrase: str) -> str:
    """What a chain of equations comes to: its last part; the phrase itself without one."""
    if restated := _RESTATED.match(phrase):
        phrase = phrase[restated.end() :]
    parts = phrase.split("=")
    first = NUMBER.match(phrase.lstrip(" :$\"'("))
    if len(parts) == 1 or (first and not _OPERATOR.match(phrase.lstrip(" :$\"'("), first.end())):
        return phrase
    last = 1
    while last + 1 < len(parts) and _CHAIN.match(parts[last]):
        last += 1
    return parts[last]


def _spelled(phrase: str) -> str | None:
    """A number from zero to ninety-nine written as a word with which the phrase begins."""
    word = _SPELLED.match(phrase)
    if not word or not (word["tens"] or word["unit"]):
        return None
    value = 10 * (_TENS.index(word["tens"].lower()) + 1) if word["tens"] else 0
    value += _UNITS.index(word["unit"].lower()) if word["unit"] else 0
    return str(-value if "minus" in word[0].lower() else value)


# --- square ---------------------------------------------------------------------------------------

SQUARE = re.compile(
    r"(?<![A-Za-z0-9])(?:[KQRBN]?[a-h][1-8](?:\s?(?:->|-|x|to)\s?|)|[KQRBN][a-h]?[1-8]?x?|[a-h]x)?"
    r"(?P<square>[a-hA-H][1-8])(?:=?[QRBNqrbn])?(?![A-Za-z0-9])"
)
_SQUARES = re.compile(
    r"\s?(?:\([a-z ]{1,40}\))?(?:,? or|,? and|,|/)?\s?(?:on |to )?"
    r"[\"'(]?[a-h][1-8](?:[a-h][1-8])?(?![a-z0-9])",
    re.IGNORECASE,
)


_PIECE = r"(?:piece|pawn|knight|bishop|rook|queen|king)"
_ORIGIN = re.compile(
    rf"\b(?:{_PIECE} on|(?P<starts>{_PIECE} (?:at|in|of)|starts (?:at|on|in|from)"
    r"|starting (?:at|on|in|from|square is)))"
    r"(?: the)?(?: square)?[ \"'(]{1,3}\Z",
    re.IGNORECASE,
)
"""Before a square: it is where the piece stands, as in "the pawn on e2 goes to e4"."""


def _square(phrase: str) -> str | None:
    phrase = clause(phrase)
    match = SQUARE.search(phrase)
    if match and (origin := _ORIGIN.search(phrase, max(0, match.start() - 30), match.start())):
        match = SQUARE.search(phrase, match.end()) or (None if origin["starts"] else match)
    if not match or _SQUARES.match(phrase, match.end()):
        return None
    return match["square"].lower()


def squares_of(question: Question) -> frozenset[str]:
    """The squares that a question names by themselves, such as the piece's own."""
    found = SQUARE.finditer(question.text[-2000:])
    return frozenset(match["square"].lower() for match in found if len(match[0]) == 2)


def _text(phrase: str) -> str | None:
    return phrase.strip() or None


_READERS: dict[Kind, Callable[[str], str | None]] = {
    "boolean": _boolean,
    "number": _number,
    "square": _square,
    "text": _text,
}
