r"""Numerals: one grammar of numbers, for replies, grades, rulings and the answers of files.

A value that goes on is no shorter value: ``2\sqrt{2}``, ``9x``, ``3,4`` and "5 to 7" are no
number, and ``1\frac12`` is 3/2. ``read_numeral`` reads a text that is a number and nothing else.
To find numbers in prose, a text is first made plain by ``make_numerals_plain``, and each match of
``NUMBER`` is then asked whether it ``is_part`` of something larger.
"""

import re
from fractions import Fraction

from moot.core.number_words import read_number_words

DASHES = "−‐‑‒–—﹣－"
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5",
    "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8",
    "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_OPERATORS = {"×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/"}
SIGNS: dict[int, str] = {
    **{ord(sign): "-" for sign in DASHES},
    **{ord(sign): plain for sign, plain in _OPERATORS.items()},
    **{ord(sign): f" {plain}" for sign, plain in _VULGAR.items()},
}
"""Signs of numbers outside ASCII, each with the same in ASCII."""

_WHOLE = (
    r"[1-9]\d{0,2}(?:,\d{3})+(?!\d)"  # 1,234,567
    r"|[1-9]\d?(?:,\d{2})+,\d{3}(?!\d)"  # 12,34,567, as in India
    r"|[1-9]\d{0,2}(?: \d{3})+(?!\d|,\d|/\d| \d)"
    r"|\d{1,3}(?:_\d{3})+(?!\w)"
    r"|\d{1,3}(?:'\d{3})+(?!\w)"
    r"|\d{1,3}(?:\.\d{3}){2,}(?![.,]?\d)"  # 1.234.567
    r"|\d+"
)
NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>-|\+)?\s?(?:[$€£¥₹]\s?)?(?P<inner>-)?"
    r"(?:(?P<point>\d{1,3}(?:[. ]\d{3})+,\d{1,2}(?!\d))"
    rf"|(?P<whole>{_WHOLE})?(?P<part>\.\d+)?)"
    r"(?<=\d)(?P<exp>e[+-]?\d{1,2}(?!\d))?(?!e[+-]?\d)"
    r"(?:\s?/\s?(?P<under>\d{1,3}(?:,\d{3})+(?!\d)|\d+(?!\.?\d))"
    r"|(?: and)? (?P<more>\d{1,9})/(?P<of>\d{1,9})(?![\d.,]*\d))?",
    re.IGNORECASE,
)
"""A number in figures, with its sign, currency, fraction or mixed fraction."""
_LONGEST = 60
"""Digits beyond which a number is noise."""
_SEPARATORS = str.maketrans("", "", ",_' ")


def write_number(match: re.Match[str]) -> str | None:
    """Return a match of ``NUMBER`` in canonical form, without separators; None for x/0."""
    whole, under = match["whole"] or "0", match["under"]
    if match["point"]:
        digits = match["point"].replace(".", "").replace(" ", "").replace(",", ".")
    else:
        if whole.count(".") > 1:
            whole = whole.replace(".", "")
        digits = whole.translate(_SEPARATORS) + (match["part"] or "")
    if len(digits) > _LONGEST or len(under or "") > _LONGEST:
        return None
    exact = Fraction(digits + (match["exp"] or ""))
    if match["of"]:
        if not int(match["of"]):
            return None
        exact += Fraction(int(match["more"]), int(match["of"]))
    if "-" in (match["sign"], match["inner"]):
        exact = -exact
    if under is None:
        return write_decimal(exact)
    if not (below := int(under.replace(",", ""))):
        return None
    return f"{exact}/{below}" if exact.denominator == 1 else write_decimal(exact / below)


def write_decimal(exact: Fraction) -> str:
    """Return a number as a plain decimal, or as a fraction if no decimal is exact."""
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


_SCALE = re.compile(
    r"\s?(hundred|thousand|million|billion|trillion|lakh|crore|bn|mio)s?\b", re.IGNORECASE
)
_LETTER = re.compile(r"([kKMB])(?![\w/^])|(?<=\d)([mbT])(?![\w/^])")
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "lakh": 10**5, "million": 10**6, "mio": 10**6,
    "crore": 10**7, "billion": 10**9, "bn": 10**9, "trillion": 10**12,
    "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12,
}  # fmt: skip


def read_scale(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Return the factor that the words after a number scale it by, and where they end.

    "2 million" and "12k" are scaled. A small m, b or T scales an amount of money alone: "5m" is a
    length, "$5m" five million. A percent sign is a unit.
    """
    factor, at = 1, match.end()
    letter = _LETTER.match(text, at)
    if letter and (letter[1] or any(sign in match[0] for sign in "$€£¥₹")):
        return _SCALES[letter[0].lower()], letter.end()
    while scale := _SCALE.match(text, at):
        factor, at = factor * _SCALES[scale[1].lower()], scale.end()
    return factor, at


_AFTER = re.compile(
    r"[)}\]]?\s?(?:"
    r"\\(?!(?:boxed|quad|qquad|text\w*|math\w*|mbox|circ|degree|newline|approx|because|therefore"
    r"|implies|Rightarrow|rightarrow|end|begin|hline|checkmark|square|blacksquare|cent|pounds|item"
    r"|euro|n)\b)[a-zA-Z]"
    r"|[√π∞±∓≤≥≠∪∩<>](?!/|[a-z/][^<>\n]{0,40}>|\s?[a-z]{3,})"
    r"|(?:sqrt|cbrt)|[pP]i\b|(?:ln|log|sin|cos|tan|root)[\s_(]{1,2}[\dx]|remainder \d|\+/-"
    r"|\*\*?\s?(?:\(|\\|[a-zA-Z](?![a-zA-Z])|pi\b|sqrt)"
    r"|[+/^-]\s?(?:\\[a-z]|[b-hj-zB-HJ-Z](?![\w'])(?! )|\(?[a-z]\^|\(\S)"
    r"|[/^]\s?\(|\+ [a-z](?![\w'])"
    r")"
    r"|[²³¹⁰⁴-⁹₀-₉Ͱ-Ͽ]|_[\d{]|\^-?[\d{(]|\.\.\.?\d|[CP]\d\b|[a-zA-Z]\^|[)]?\([-\d\\]|'{1,2}(?=\d)"
    r"|(?:[abceijnopqrtuvwxyzXYZ]|[a-z]{1,2}(?=[-+*/^][\da-z]))(?![A-Za-z'])"
    r"|,\d|,\s?(?:\\infty|∞)|\.\s?[\d\\]|_\d| mod\b|\s?(?:squared|cubed)\b"
    r"|\s?(?:feet|foot|ft|hours?|hrs?|h|minutes?|mins?|pounds?|lbs?|years?|months?|weeks?|days?"
    r"|dollars?|metres?|meters?|m|kg|quarts?|gallons?|degrees?|°),?(?: and)? \d{1,4} ?(?:inch\w*"
    r"|in|minutes?|mins?|m|seconds?|secs?|s|ounces?|oz|months?|weeks?|days?|hours?|cents?|cm|g"
    r"|centim\w+|grams?|pints?|cups?|quarts?|')\b",
)
"""What makes a number the first part of an expression: a variable, root, power, inequality."""
_ENDLESS = re.compile(r"\.\.|…")
_BEFORE = re.compile(
    r"(?:[<>≤≥≠±∓√∛∜^_]|[πA-Za-z)}]\s?[*/^]\s?\(?|(?<![A-Za-z])(?![aAI]\b)[A-Za-z]\d?\s?[-+]"
    r"|\\(?!(?:boxed|quad|qquad|text\w*|math\w*|approx|therefore|implies|Rightarrow|rightarrow|to"
    r"|because|begin|square|item|n)\b)[a-zA-Z]{2,12}(?:_\{?\w{1,3}\}?)?(?:\{[^{}]{0,40}\})?\s?[{(]?"
    r"|\\(?:le|ge|ne|lt|gt)|-\s?\("
    r"|\b(?:sqrt|cbrt|exp|log|ln|sin|cos|tan|twice|thrice"
    r"|(?:root|power|square|cube|factorial|log|mod) of(?: the)?)\s?\(?)\s?$"
)
"""What makes a number the last part of an expression."""
_SPAN = 60
"""Characters before a number that are searched for what it is a part of."""


def is_part(text: str, match: re.Match[str], end: int | None = None) -> bool:
    r"""Return whether a number in a plain text is a part of an expression: the 2 of ``2\sqrt{2}``.

    Args:
        text: made plain by ``make_numerals_plain``.
        match: of ``NUMBER``.
        end: where the number ends with its scale; where the match ends if not given.
    """
    at = match.end() if end is None else end
    if _AFTER.match(text, at) or (match["part"] and _ENDLESS.match(text, at)):
        return True
    start = match.end("sign") if match["sign"] else match.start()
    return bool(_BEFORE.search(text[max(0, start - _SPAN) : start]))


_ARGUMENT = r"(?:\{((?:[^{}]++|\{[^{}]*+\})*+)\}|([\dA-Za-z]))"
_FRACTION = re.compile(rf"\\[dtc]?frac\s*{_ARGUMENT}\s*{_ARGUMENT}")
_OVER = re.compile(r"\{([^{}\\]{1,80}+)\\over\b\s*([^{}]{1,80}+)\}")
_SIGNED = re.compile(r"-\s?\(\s?(\d[\d,.]*(?:\s?/\s?\d+)?)\s?\)(?! ?[-+*/^(])")
_INTEGER = re.compile(r"\s*([-+]?)\s*(\d+)\s*")
_SPACED = re.compile(
    r"[\\{,~](?<=\d[\\{,~])"
    r"(?:(?<=\\)(?:[,;: !]|thinspace\s?)|(?<=\{),\}\s?|(?<=,)\\!|(?<=~))(?=\d{3}(?!\d))"
)
_GROUPS = re.compile("(?<=\\d)[\u00a0\u2009\u202f](?=\\d{3}(?!\\d))")


def join_groups(text: str) -> str:
    """Return a text with its thousands joined that a thin or a fixed space sets apart."""
    return text if text.isascii() else _GROUPS.sub("", text)


def make_numerals_plain(text: str) -> str:
    r"""Return a text with its LaTeX fractions and separators as plain ones.

    ``1\frac{12}{13}`` is ``1 12/13``, ``\frac{-1}{-2}`` is ``1/2``, ``1{,}234`` is ``1,234``, and
    ``-(3/4)`` is ``-3/4``. A fraction of anything but integers keeps its brackets.
    """
    if "\\" in text or "{,}" in text:
        text = _SPACED.sub(lambda sign: "," if "," in sign[0].strip("\\") else "", text)
        if "frac" in text:
            text = _FRACTION.sub(_plain_fraction, text)
        if "\\over" in text:
            text = _OVER.sub(_plain_over, text)
    return _SIGNED.sub(r"-\1", text) if "-(" in text or "- (" in text else text


def _plain_fraction(match: re.Match[str]) -> str:
    one, other = match[1] if match[2] is None else match[2], match[3] or match[4] or ""
    return _divide(match, one or "", other)


def _plain_over(match: re.Match[str]) -> str:
    return _divide(match, match[1], match[2])


def _divide(match: re.Match[str], above: str, below: str) -> str:
    """Return a fraction in plain text; behind a whole number it is the rest of a mixed one."""
    over, under = _INTEGER.fullmatch(above), _INTEGER.fullmatch(below)
    before = match.string[max(0, match.start() - 3) : match.start()]
    mixed = before.rstrip()[-1:].isdigit()
    if not over or not under:
        return f"{'*' if mixed else ''}({above})/({below})"
    negative = (over[1] == "-") != (under[1] == "-")
    if mixed and negative:
        return f"*(-{over[2]}/{under[2]})"
    lead = " " if mixed and before[-1:].isdigit() else "-" if negative else ""
    return f"{lead}{over[2]}/{under[2]}"


_WRAPPED = re.compile(
    r"\\(?:text\w{0,4}|math(?:rm|bf|it|sf)|operatorname|mbox|hbox)\s?\{([^{}]*)\}"
)
_DRESS = re.compile(r"\\(?:left|right|displaystyle|quad)(?![a-zA-Z])|\\[()\[\]]|\$(?! ?-?\d)|\\!")
_UNIT = re.compile(r"(?:\s?(?:%|percent|°|degrees?|\^\{?\\circ\}?))?\.?")
_MARKED = "####"


def read_numeral(text: str) -> str | None:
    r"""Return the number that a text is, in canonical form; None if it is none, or more than one.

    A currency, a percent sign, degrees, dollar signs and brackets around it, ``x =`` before it and
    a reason that ends in ``#### 12`` belong to it; any other word does not. 50 % is 50.

    Returns:
        A plain decimal or a fraction, such as ``"-0.5"`` or ``"3/4"``.
    """
    words = text.rpartition(_MARKED)[2].strip()[: 4 * _LONGEST]
    plain = make_numerals_plain(join_groups(words).translate(SIGNS))
    if "\\" in plain:
        plain = plain.replace("\\$", "$").replace("\\%", "%")
        plain = _DRESS.sub("", _WRAPPED.sub(r"\1", plain))
    plain = " ".join(plain.split())
    while plain[:1] + plain[-1:] in ("()", "{}", "$$") and len(plain) > 2:
        plain = plain[1:-1].strip()
    plain = re.sub(r"^[a-zA-Z] ?= ?", "", plain)
    if found := NUMBER.match(plain):
        factor, end = read_scale(plain, found)
        if not _UNIT.fullmatch(plain, end):
            return None
        value = write_number(found)
        return write_decimal(Fraction(value) * factor) if value and factor > 1 else value
    spelt = read_number_words(plain)
    return write_decimal(spelt[0]) if spelt and spelt[1] == len(plain.rstrip(".")) else None
