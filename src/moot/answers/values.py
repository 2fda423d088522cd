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
        phrase: what follows "the answer is" or the like, already plain (see ``moot.answers.plain``).
        question: whose kind and choices say what to look for.
    """
    return READERS[question.kind](
        phrase.lstrip(" :=>-\"'") if question.kind != "number" else phrase, question
    )


# --- choice ---------------------------------------------------------------------------------------

_LETTER = re.compile(
    r"(?:(?:the|correct|right|best|final|option|choice|letter|answer|is|number)[ :]{1,2}){0,4}"
    r"(?P<open>[\"'(\[{<]{0,2})(?P<letter>[A-Za-z])(?P<close>[\"')\]}>.:,;/]{0,2})(?![\w'-])",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\s?(?:,|/|&|\bor\b|\band\b|,? or|,? and)\s?[\"'(\[]?([A-Z])[\"')\].,]{0,2}(?![\w'])"
)
_VERB = re.compile(
    r"\s?(?:$|\n|is\b|as\b|because\b|since\b|for\b|with\b|was\b|would\b|seems\b|[^\w\s])"
)


def _choice(phrase: str, question: Question) -> str | None:
    match = _LETTER.match(phrase)
    if match:
        letter, rest = match["letter"], phrase[match.end() :]
        marked = match["close"][:1] in (")", "]", "}", ":", ".") or match["open"]
        named = match.start("open") > 0 and not match[0].lower().startswith(("the a", "is a"))
        alone = bool(_VERB.match(rest))
        if letter.islower():
            taken = (marked and match["close"][:1] != "." or alone or named) and letter not in "ai"
            taken = taken or bool(match["open"] and match["close"]) or not rest.strip()
        else:
            taken = bool(marked or alone or (named and letter != "A"))
        if taken:
            letter = letter.upper()
            other = _ANOTHER.match(phrase, match.end("letter"))
            if letter not in question.letters or (
                other and other[1] in question.letters and other[1] != letter
            ):
                return None
            return letter
    return option(clause(phrase), question)


_ARTICLE = re.compile(r"(?:the|an?|that|it is|in|to)\s", re.IGNORECASE)


def option(phrase: str, question: Question) -> str | None:
    """The letter of the one choice whose text the phrase holds; None for several or none."""
    held = f" {_words(phrase)} "
    if any(f" {word} " in held for word in ("not", "never", "t", "neither", "wrong", "incorrect")):
        return None
    texts = [f" {_words(choice)} " for choice in question.choices]
    found = [
        (text, letter)
        for text, letter in zip(texts, question.letters, strict=False)
        if text.strip() and text in held
    ]
    widest = [
        letter
        for text, letter in found
        if not any(text != other and text in other for other, _ in found)
    ]
    return widest[0] if len(widest) == 1 else None


_NOT_WORD = re.compile(r"[^\w%+./-]+|[.](?!\d)")


def _words(text: str) -> str:
    return " ".join(_NOT_WORD.sub(" ", text.casefold()).split())


# --- boolean --------------------------------------------------------------------------------------

_VERDICT = re.compile(
    r"(?:(?:that|it|this|the|statement|claim|answer|is|was|actually|indeed|definitely|therefore|still|:)[ :]){0,6}"
    r"[\"'(\[{]{0,2}(?P<not>not (?:actually |really |entirely )?)?"
    r"(?P<word>true|false|yes|no|correct|incorrect|right|wrong|untrue)\b(?![-/]| or | and )",
    re.IGNORECASE,
)
_DETERMINER = re.compile(r"\s(?!because|since|as\b|it\b|i\b|they\b|the\b|this\b|that\b|there\b)\w")
_FOR = frozenset(("true", "yes", "correct", "right"))


def _boolean(phrase: str, question: Question) -> str | None:
    match = _VERDICT.match(phrase)
    if not match:
        return None
    word = match["word"].lower()
    if word == "no" and _DETERMINER.match(phrase, match.end()):
        return None
    return "true" if (word in _FOR) != bool(match["not"]) else "false"


# --- number ---------------------------------------------------------------------------------------

NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>-|\+)?\s?(?:[$€£¥]\s?)?(?P<sign2>-)?"
    r"(?P<whole>\d{1,3}(?:,\d{3})+(?!\d)|\d+)?(?P<part>\.\d+)?(?<=\d)(?P<exp>e[+-]?\d{1,2}(?!\d))?"
    r"(?:\s?/\s?(?P<under>\d+(?!\.?\d)))?",
    re.IGNORECASE,
)
_LONGEST = 60
_OPERATOR = re.compile(r"\s?[$]?\s?(?:[-+*/^]|x|times|plus|minus)\s?\(?[$]?\d", re.IGNORECASE)
_UNDECIDED = re.compile(r"\s?(?:-|to|or|and|,|/)\s?[$]?\d", re.IGNORECASE)
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b|:\d")
_UNITS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen eighteen nineteen".split()
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), 2
    )
}
_WORD = re.compile(
    rf"(?:the |only |number |exactly ){{0,2}}(?:(?P<tens>{'|'.join(_TENS)})[- ]?)?(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})?\b",
    re.IGNORECASE,
)


def number(match: re.Match[str]) -> str | None:
    """A match of ``NUMBER`` in canonical form: no separators, no needless zeros."""
    digits = (match["whole"] or "0").replace(",", "") + (match["part"] or "")
    if len(digits) > _LONGEST:
        return None
    sign = "-" if "-" in (match["sign"], match["sign2"]) else ""
    return canonical_number(sign + digits + (match["exp"] or ""), match["under"])


def canonical_number(digits: str, under: str | None = None) -> str | None:
    """A decimal such as ``-1.50`` as ``-1.5``; with ``under`` a fraction as ``3/4``; None for x/0."""
    exact = Fraction(digits)
    if under is not None:
        if not int(under[:_LONGEST]) or exact.denominator != 1:
            return None
        return f"{exact}/{int(under[:_LONGEST])}" if exact else "0"
    if exact.denominator == 1:
        return str(exact)
    head, _, exponent = digits.lower().partition("e")
    shift = int(exponent or 0)
    places = max(len(head.partition(".")[2]) - shift, 0)
    scaled = exact * 10**places
    text = str(abs(scaled.numerator)).rjust(places + 1, "0")
    return ("-" if exact < 0 else "") + f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")


def _number(phrase: str, question: Question) -> str | None:
    phrase = clause(phrase)
    if "=" in phrase:
        phrase = phrase[phrase.rfind("=") + 1 :]
    for match in NUMBER.finditer(phrase):
        if _ORDINAL.match(phrase, match.end()):
            continue
        if _OPERATOR.match(phrase, match.end()) or _UNDECIDED.match(phrase, match.end()):
            return None
        return number(match)
    word = _WORD.match(phrase.lstrip(" :\"'("))
    if word and (word["tens"] or word["unit"]):
        return str(
            _TENS.get((word["tens"] or "").lower(), 0) + _UNITS.get((word["unit"] or "").lower(), 0)
        )
    return None


# --- square ---------------------------------------------------------------------------------------

SQUARE = re.compile(
    r"(?<![A-Za-z0-9])(?:[a-h][1-8](?:\s?(?:->|-|x|to)\s?|)|[KQRBN][a-h]?[1-8]?x?|[a-h]x)?"
    r"(?P<square>[a-hA-H][1-8])(?:=?[QRBNqrbn])?(?![A-Za-z0-9])"
)
_SQUARES = re.compile(
    r"\s?(?:,|or|and|/|,? or|,? and)?\s?(?:on |to )?[\"'(]?[a-h][1-8](?:[a-h][1-8])?(?![a-z0-9])",
    re.IGNORECASE,
)


def _square(phrase: str, question: Question) -> str | None:
    phrase = clause(phrase)
    match = SQUARE.search(phrase)
    if not match or _SQUARES.match(phrase, match.end()):
        return None
    return match["square"].lower()


def _text(phrase: str, question: Question) -> str | None:
    return phrase.strip() or None


READERS: dict[Kind, Callable[[str, Question], str | None]] = {
    "choice": _choice,
    "boolean": _boolean,
    "number": _number,
    "square": _square,
    "text": _text,
}
