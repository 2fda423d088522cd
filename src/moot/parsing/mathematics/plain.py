"""LaTeX made plain before it is parsed: units, signs of layout and words; plain numbers as such."""

import re
from fractions import Fraction

from moot.core.latex import is_whole, strip_marks
from moot.core.numerals import NUMBER, read_scale, write_decimal, write_number

_REPLACED = (
    (re.compile(r"\\[dtc]frac(?![A-Za-z])"), r"\\frac"),
    (re.compile(r",\s*\\[!,;: ]\s*(?=\d{3}(?!\d))|\{,\}(?=\d{3}(?!\d))"), ""),  # thousands
    (re.compile(r"(?<=\d)\\[,;: !]\s*(?=\d{3}(?!\d))|(?<=\d)~(?=\d{3}(?!\d))"), ""),
    (re.compile(r"(?<!\\)\\(?:[!,;:]|q?quad(?![A-Za-z])|(?=\s))|~"), " "),
    (re.compile(r"\\displaystyle(?![A-Za-z])|\\limits(?![A-Za-z])"), " "),
    (re.compile(r"\\(?:mbox|textrm|textbf|textit|mathrm|mathbf|textnormal)(?=\s*\{)"), r"\\text"),
    (re.compile(r"\\text\s*\{\s*(?:and|or)\s*\}"), ","),
    (re.compile(r"\\text\s*\{\s*((?:-?\d|[(.+=])[^{}]*)\}"), r" \1 "),
    (re.compile(r"(?:(?<=[\d)}\]])|(?<=\b[a-z]))\s+(?:and|or)\s+(?=[-\d({\[\\]|[a-z]\b)"), ", "),
    (re.compile(r"\\varnothing(?![A-Za-z])"), r"\\emptyset "),
    (re.compile(r"\\langle(?![A-Za-z])"), "("),
    (re.compile(r"\\rangle(?![A-Za-z])"), ")"),
    (re.compile(r"\\[lr]brack(?![A-Za-z])"), lambda found: "[]"["r" in found[0][1:2]]),
    (re.compile(r"\\(?:\$|pounds|euro|yen)|[€£¥]|(?<!\\)\$"), " "),
    (re.compile(r"\\?%|\\text\s*\{\s*(?:percent|\\%)\s*\}"), " "),
    (re.compile(r"[−–﹣－]"), "-"),
    (re.compile(r"×|\\times(?![A-Za-z])"), r"\\cdot "),
    (re.compile(r"·|⋅"), r"\\cdot "),
    (re.compile(r"π"), r"\\pi "),
    (re.compile(r"∞"), r"\\infty "),
    (re.compile(r"√\s*(\d+|\([^()]*\))"), r"\\sqrt{\1}"),
    (re.compile(r"(?<![\\A-Za-z])sqrt\s*\(([^()]*)\)"), r"\\sqrt{\1}"),
    (re.compile(r"(?<![\\A-Za-z])(pi|sin|cos|tan|ln|log|theta)(?![A-Za-z])"), r"\\\1 "),
    (re.compile(r"(?<![\\A-Za-z*])\*(?!\*)|(?<=\w)\*(?!\*)"), r"\\cdot "),
    (re.compile(r"≤"), r"\\le "),
    (re.compile(r"≥"), r"\\ge "),
)
_DEGREES = re.compile(r"\s*(?:\^\s*\{?\s*\\circ\s*\}?|°|\\degree(?![A-Za-z]))")
_ANGLED = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc)(?![A-Za-z])")
_UNIT = re.compile(
    r"(?<=[\d})\w])\s*\\text\s*\{[^{}]*\}(?:\s*\^\s*(?:\{\s*\d\s*\}|\d))?"
    r"(?:\s*/\s*\\text\s*\{[^{}]*\})?\s*$"
)
_PLAIN_UNIT = re.compile(
    r"(-?(?:\d[\d.,/]{0,30}|\\frac\{\d{1,9}\}\{\d{1,9}\}))"
    r" ?(?:[cmk]m|[km]g|ml|hrs?|[A-Za-z]{3,20}(?: [a-z]{2,20}){0,2})(?:\^\{?[23]\}?)?"
)
"""A number with its unit in plain words; one letter may be a variable."""
_NO_UNIT = re.compile(
    r"\d[\d.,/}]*(?:\s|\\[,;:! ])*(?:\\text\s*\{\s*)?"
    r"(?:hundred|thousand|million|billion|trillion|lakh|crore|factorial|squared|cubed|mod|modulo"
    r"|halves|thirds|quarters|fifths|sixths|dozen|or (?:more|less|fewer))\b",
    re.IGNORECASE,
)
"""A number whose words say another number: they are no unit."""
_WORD = re.compile(r"\\text\s*\{([^{}]*)\}")
_NAMED = re.compile(r"[^\W\d_](?:[\w -]{0,40}\w)?")
_PROSE = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{4,}")
_BASE = re.compile(r"(-?[0-9A-F][0-9A-F.]*)_\s*(?:\{\s*(\d{1,2})\s*\}|(\d{1,2}))", re.IGNORECASE)
_RATIO = re.compile(r"(-?[\d.]{1,15}(?:/\d{1,15})?)\s*:\s*(-?[\d.]{1,15}(?:/\d{1,15})?)")
_REPEATS = re.compile(r"(-?)(\d{0,15})\.(\d{0,15})\\(?:overline|bar)\s*\{?\s*(\d{1,15})\s*\}?")
_FRACTION = re.compile(r"([+-]?)\s*\\frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))")
_MIXED = re.compile(
    r"([+-]?)\s*(\d{1,15})\s*\\frac\s*(?:\{(\d{1,15})\}|(\d))\s*(?:\{(\d{1,15})\}|(\d))"
)
_NUMBER = re.compile(
    r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,60})?(?:\.\d{1,60})?(?<=\d)(?:e[+-]?\d{1,2})?(?:/\d{1,60})?"
)
_ENVIRONMENT = re.compile(r"\\(?:begin|end|operatorname)\s*\{\w*\}")
_MOST_WORDS = 4
_WORDY = 4
"""Letters in a row from which on they are a word."""


def make_plain(latex: str) -> str | None:
    """Return LaTeX without its dressing and its unit; None where it is damaged or too long."""
    text = strip_marks(latex).rstrip(" .\n")
    if (scaled := _read_scaled(text)) is not None:
        return scaled
    if not is_whole(text) or _NO_UNIT.search(text):
        return None
    for pattern, meant in _REPLACED:
        text = pattern.sub(meant, text)
    text = _DEGREES.sub(r"\\cdot\\frac{\\pi}{180}" if _ANGLED.search(text) else "", text)
    text = _UNIT.sub("", text.strip()).strip()
    if "=" in text and not re.search(r"[<>]|\\(?:le|ge|leq|geq|ne|neq)(?![A-Za-z])|[!:]=", text):
        _, *rest = text.split("=")
        chain = len(rest) > 1 and "," not in text and "\\begin" not in text
        text = rest[-1].strip() if chain else text
    if unit := _PLAIN_UNIT.fullmatch(text):
        text = unit[1]
    return " ".join(text.split()) or None


def _read_scaled(text: str) -> str | None:
    """Return the number that "5 million" is; None for a number without a scale."""
    plain = " ".join(_WORD.sub(r" \1", text).replace("\\$", "$").split())
    found = NUMBER.match(plain)
    if found is None or not _SCALED.fullmatch(plain, found.end()):
        return None
    factor, _ = read_scale(plain, found)
    value = write_number(found)
    return write_value(Fraction(value) * factor) if value and factor > 1 else None


_SCALED = re.compile(
    r" ?(?:(?:hundred|thousand|million|billion|trillion|lakh|crore)s? ?)+(?:[a-z]{3,20})?",
    re.IGNORECASE,
)


def read_plain(text: str) -> str | None:
    """Return the canonical form of what needs no algebra: numbers, words, other bases, ratios."""
    if (value := read_number(text)) is not None:
        return write_value(value)
    if match := _BASE.fullmatch(text):
        return f"{match[1].upper()}_{{{match[2] or match[3]}}}"
    if match := _RATIO.fullmatch(text):
        parts = read_number(match[1]), read_number(match[2])
        if parts[0] is not None and parts[1]:
            share = parts[0] / parts[1]
            return f"{share.numerator}:{share.denominator}"
    return _read_words(text)


def read_number(text: str) -> Fraction | None:
    r"""Return the value of ``3``, ``-0.5``, ``1,234``, ``3/4``, ``\frac34``, ``1\frac12``."""
    bare = text if "," in text else "".join(text.split())  # "45, 135" is a list
    if _NUMBER.fullmatch(bare):
        whole, _, under = bare.replace(",", "").partition("/")
        if under and not int(under):
            return None
        return Fraction(whole) / int(under or 1)
    if match := _MIXED.fullmatch(text):
        parts = int(match[3] or match[4]), int(match[5] or match[6])
        value = int(match[2]) + Fraction(*parts) if parts[1] else None
        return -value if value is not None and match[1] == "-" else value
    if match := _FRACTION.fullmatch(text):
        over, below = (read_number(match[at] or match[at + 1] or "") for at in (2, 4))
        if over is None or not below:
            return None
        return over / below * (-1 if match[1] == "-" else 1)
    return _read_repeating(text)


def _read_repeating(text: str) -> Fraction | None:
    r"""Return the value of ``0.1\overline{6}``."""
    match = _REPEATS.fullmatch(text)
    if not match:
        return None
    sign, whole, once, again = match.groups()
    value = Fraction(int((whole or "0") + once), 10 ** len(once))
    value += Fraction(int(again), (10 ** len(again) - 1) * 10 ** len(once))
    return -value if sign else value


def write_value(value: Fraction) -> str:
    r"""Return a number as a plain decimal, or as ``\frac{1}{3}`` where no decimal is exact."""
    if "/" not in (decimal := write_decimal(value)):
        return decimal
    sign = "-" if value < 0 else ""
    return f"{sign}\\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


def _read_words(text: str) -> str | None:
    r"""Return words, such as ``\text{even}``, in canonical form; None for anything else."""
    words = _WORD.sub(r"\1", text)
    marked = words != text
    said = " ".join(words.strip(" ().\"'").split())
    if not _NAMED.fullmatch(said) or any(map(str.isdigit, said)) or len(said.split()) > _MOST_WORDS:
        return None
    # Small letters, three at most in a row, are a product of variables.
    product = said.islower() and max(map(len, said.split())) < _WORDY
    return None if product and not marked else f"\\text{{{said}}}"


def is_prose(text: str) -> bool:
    """Return whether there are words beside LaTeX's commands."""
    return bool(_PROSE.search(_ENVIRONMENT.sub("", text)))
