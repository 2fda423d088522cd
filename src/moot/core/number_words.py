"""Number words: the value of "one hundred and five", "three quarters" or "two and a half"."""

import re
from fractions import Fraction

_SMALL = {
    word: value
    for value, word in enumerate(
        re.findall(
            r"\w+",
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
            " fifteen sixteen seventeen eighteen nineteen",
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(
        re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety"), 2
    )
}
_SCALES = {
    "thousand": 10**3, "lakh": 10**5, "million": 10**6, "crore": 10**7, "billion": 10**9,
    "trillion": 10**12,
}  # fmt: skip
_PARTS = {
    "half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20,
    "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
_WORDS = {"hundred", *_SMALL, *_TENS, *_SCALES}
_TOKEN = re.compile(r"[ -]?([a-z]+)", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?:the|only|number|exactly|just|about|approximately|a total of) ){0,2}"
    r"(?P<minus>(?:minus|negative) )?",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"-[a-z\d]|[,;]? (?:or|to|times|plus|minus|through|percent of"
    r"|of (?=the|these|them|those|us|\d))(?:\b| )|th\b",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"\b(?:{'|'.join(sorted(_WORDS - {'one', 'zero', 'hundred', *_SCALES}))}"
    r"|(?:one|an?) (?=hundred\b|thousand\b|million\b|billion\b|trillion\b))",
    re.IGNORECASE,
)
"""What begins a number in prose; "one" alone has too many other meanings."""


def find_number_words(text: str) -> list[Fraction]:
    """Return the numbers in words that stand anywhere in a text."""
    found, at = [], 0
    while first := _FIRST.search(text, at):
        spelt = read_number_words(text, first.start())
        found += [spelt[0]] if spelt else []
        at = max(first.end(), spelt[1] if spelt else 0)
    return found


def read_number_words(text: str, at: int = 0) -> tuple[Fraction, int] | None:
    """Return the number in words that a text has at a place, and where its words end.

    Returns:
        None where there is none, and where the value goes on: "two or three", "three-day".
    """
    lead = _LEAD.match(text, at)
    start = lead.end() if lead else at
    read = _read_whole(text, start)
    value, end = read or (Fraction(0), start)
    if part := _read_part(text, end, read):
        value, end = part
    elif not read:
        return None
    elif more := _read_more(text, end):
        value, end = value + more[0], more[1]
    if _GOES_ON.match(text, end):
        return None
    return (-value if lead and lead["minus"] else value), end


def _next(text: str, at: int) -> tuple[str, int]:
    """Return the next word in lower case, and where it ends; no word is empty."""
    token = _TOKEN.match(text, at)
    return (token[1].lower(), token.end()) if token else ("", at)


def _read_whole(text: str, at: int) -> tuple[Fraction, int] | None:
    """Return a whole number in words."""
    total = group = 0
    found, last, end = False, 0, at
    word, after = _next(text, at)
    if word in {"a", "an"} and _next(text, after)[0] in {"hundred", *_SCALES}:
        group, found, last, end = 1, True, 1, after
        word, after = _next(text, after)
    while True:
        if word == "and" and found and last >= 100 and _next(text, after)[0] in _SMALL | _TENS:
            word, after = _next(text, after)
        if word in _SMALL and (not found or last >= 20) and not (last < 100 and group % 10):
            group, last = group + _SMALL[word], max(1, _SMALL[word])
        elif word in _TENS and (not found or last >= 100):
            group, last = group + _TENS[word], _TENS[word]
        elif word == "hundred" and found and last < 100:
            group, last = group * 100, 100
        elif word in _SCALES and found:
            total, group, last = total + group * _SCALES[word], 0, _SCALES[word]
        else:
            break
        found, end = True, after
        word, after = _next(text, end)
    return (Fraction(total + group), end) if found else None


def _read_part(
    text: str, at: int, whole: tuple[Fraction, int] | None
) -> tuple[Fraction, int] | None:
    """Return a fraction in words, whose numerator stands before: "three quarters", "a half"."""
    word, end = _next(text, at)
    if whole is None and word in {"a", "an"}:
        word, end = _next(text, end)
    elif whole is None and word != "half":
        return None
    many = whole is not None and whole[0] != 1
    single = word.removesuffix("s")
    if single not in _PARTS or (word != single) != many:
        return None
    return (Fraction(1) if whole is None else whole[0]) / _PARTS[single], end


def _read_more(text: str, at: int) -> tuple[Fraction, int] | None:
    """Return what is added to a whole number: "and a half", "and three quarters", "point five"."""
    word, end = _next(text, at)
    if word == "and":
        over = _read_whole(text, end)
        return _read_part(text, over[1] if over else end, over)
    if word != "point":
        return None
    figures = ""
    while (digit := _SMALL.get(_next(text, end)[0], 10)) < 10:
        figures, end = f"{figures}{digit}", _next(text, end)[1]
    return (Fraction(f"0.{figures}"), end) if figures else None
