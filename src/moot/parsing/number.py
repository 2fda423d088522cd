"""Numbers: how a reply writes one, works it out, and names it as the result."""

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from moot.core.number_words import find_number_words, read_number_words
from moot.core.numerals import NUMBER, is_part, read_scale, write_decimal, write_number
from moot.core.questions import Question
from moot.parsing.statements import (
    CLAIM,
    CONCLUDES,
    NO_VALUE,
    SMALL_WORDS,
    Statement,
    first_clause,
    split_sentences,
    stem,
)
from moot.parsing.statements import NOUNS as MARKING

NOUNS = (*MARKING, "total")
"""Nouns that mark a number."""


_OPERATOR = re.compile(
    r"\s?%?\s?(?:[-+*/^]|x|times|plus|minus)\s?(?:\(?[$]?\d|$)| ?=| [a-z]{1,12} [-+*/] \(?[$]?\d",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\s?(?:-{1,2}|to|or|and|through|,|/|:|~|…)\s?[$]?\d| [a-z]{3,12} (?:and|or|[*/+]) [$]?\d"
    r"|\s?(?:%|[a-z]{1,3})\s?(?:-|to|through|~)\s?[$]?\d",
    re.IGNORECASE,
)
_NO_COUNT = re.compile(r"(?:st|nd|rd|th)\b|-[a-z]", re.IGNORECASE)  # 3rd, 3-day
_NUMBERS = re.compile(
    r"\b(?:agent|mind|expert|debater|speaker|community|group|question|problem|step|round|part"
    r"|option|solution)[ #-]{0,2}\Z",
    re.IGNORECASE,
)
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


def join_powers(phrase: str) -> str:
    """Return the phrase with each power of ten joined to its factor: "3 * 10^5" as "3e5"."""
    return _POWER.sub(r"\1e\2\3\4", phrase) if "10" in phrase and "^" in phrase else phrase


def read(phrase: str) -> str | None:
    """Return the number that a phrase begins with or has, in canonical form."""
    return _read_first(phrase).value


_MATHS = re.compile(r"[\d\\√π∞±^]")
_REST = re.compile(r"[\\^_{}<>≤≥√π∞±|&!]|[+*=] ?[(\d]|\b[ijnpqrtuwxyzXYZ]\b(?!-)|, ?-?\d")
"""What shows behind a number that it is not the whole of what is stated; N, J and W are units."""
_SQUARED = re.compile(r"(?:\b[a-z]{2,12}|\b(?:k?m|s))\^\{?-?[123]\}?|[Ωμµ°]|\\(?:Omega|mu)\b")
"""A unit to a power or in Greek: "864 inches^2"."""
_EQUATION = re.compile(
    r"[^=]{0,80}(?:\d ?[a-z](?![a-z])|[a-z] ?[-+^]|\^)[^=]{0,80}=|\[[^\]]{0,60},"
)
"""An equation with a variable in it, or an interval: neither is a number."""


def read_whole(words: str) -> str | None:
    """Return the number that words are, perhaps with its unit, as a box holds it.

    Returns:
        ``NO_VALUE`` for figures or signs that are more than one number; None for other words.
    """
    first = _read_first(words)
    rest = _SQUARED.sub(" ", first.rest)
    if first.value is not None and not (_REST.search(rest) or _EQUATION.match(words)):
        return first.value
    return NO_VALUE if _MATHS.search(words) else None


def goes_on(phrase: str) -> bool:
    """Return whether a phrase begins with what is more than one number: a root, a range, a list."""
    if _UNKNOWNS.match(phrase.lstrip(" $")):
        return True
    phrase = first_clause(phrase)
    match = NUMBER.search(phrase[:_NEAR])
    if match is None or (match := NUMBER.match(phrase, match.start())) is None:
        return False
    _, end = read_scale(phrase, match)
    return is_part(phrase, match, end) or bool(_SPANS.match(phrase, end))


_NEAR = 16
"""Characters of a phrase in which its value begins."""
_SPANS = re.compile(
    r"\s?(?:-|to|or|through|,|~|…)\s?\\?[$]?\d|,? and [$]?\d"
    r"|\s?(?:%|[a-zA-Z]{1,3})\s?(?:-|to|through|~)\s?\\?[$]?\d"
)
"""What follows the first number of a range or a list."""


_UNKNOWNS = re.compile(
    r"\b[a-z] ?= ?-?\d[\d./]{0,20}(?:,|;| and|, and)? ?\b[b-z] ?= ?-?\d", re.IGNORECASE
)
"""The values of two unknowns: "x = 12, y = 3"."""


class _First(NamedTuple):
    """The first number of a phrase.

    Attributes:
        value: in canonical form; None without one, and where it goes on.
        rest: the words of its clause behind it.
        figures: whether it is one in figures.
    """

    value: str | None
    rest: str = ""
    figures: bool = True


def _read_first(phrase: str) -> _First:
    """Return the number that a phrase begins with or has."""
    if _UNKNOWNS.search(phrase):
        return _First(None)
    phrase = join_powers(_end_of_chain(first_clause(phrase)))
    for match in NUMBER.finditer(phrase):
        if _NO_COUNT.match(phrase, match.end()) or _NUMBERS.search(
            phrase, max(0, match.start() - 12), match.start()
        ):
            continue
        factor, end = read_scale(phrase, match)
        if _OPERATOR.match(phrase, end) or _SEVERAL.match(phrase, end):
            return _First(None)
        if is_part(phrase, match, end):
            return _First(None)
        value = write_number(match)
        scaled = write_decimal(Fraction(value) * factor) if value and factor > 1 else value
        return _First(scaled, phrase[end:])
    spelt = read_number_words(phrase.lstrip(" :\"'($"))
    return _First(write_decimal(spelt[0]) if spelt else None, figures=False)


def _end_of_chain(phrase: str) -> str:
    """Return the last part of a chain of equations; the phrase itself without one."""
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


def read_end(phrase: str) -> str | None:
    """Return the number that a phrase ends with."""
    tail = phrase[-60:]
    found = list(NUMBER.finditer(tail))
    return write_number(found[-1]) if found and len(tail) - found[-1].end() <= 12 else None


def read_alone(words: str) -> str | None:
    """Return the number that the words are, with a unit or in letters; None for other words."""
    words = join_powers(words)
    if _CLAUSE.search(words):
        return None
    return read(words) if _UNIT.match(words) or (words.isalpha() and len(words) < 12) else None


_UNIT = re.compile(
    r"[$€£]?[-+]?[$€£]?[\d.,/ ]*\d(?:e-?\d+)? ?[%°]?(?: [a-z]+){0,3}$", re.IGNORECASE
)
_CLAUSE = re.compile(r"\b(?:not|does|do|is|are|was|were|can|cannot|could|has|have|or)\b")
"""Words by which a line is a sentence, and no number with its unit: "3.7 does not exist"."""
_EXPRESSION = re.compile(
    r"(?<![\d.])\(?-?\d[\d.]{0,20}+(?:\)? ?[-+*/^x] ?\(?-?\d[\d.]{0,20}+\)?){1,40}+"
)
_EQUALS = re.compile(
    r"[)\"]{0,2}(?: ?= ?|,?(?: which)? (?:equals|is equal to|is equivalent to|is|gives|results in"
    r"|makes|comes to|yields):? )(?:also |indeed |exactly |simply )?(?=[($\"']{0,2}-?[$]?[\d.])"
)


@lru_cache(maxsize=512)
def find_expression(text: str) -> str | None:
    """Return the longest arithmetic expression of a question, without blanks."""
    found = _pack(max(_EXPRESSION.findall(text.replace("×", "*")), key=len, default=""))
    return None if _FRACTION.fullmatch(found) else found


_FRACTION = re.compile(r"(?:\d+/\d+)?")
"""A fraction is a number, not a sum to work out: "3/4 is 12/4" gives no answer to "3/4 of 8"."""


def _pack(text: str) -> str:
    """Return an expression without blanks."""
    return text.replace(" ", "").replace("x", "*").strip(".")


def find_equation(said: str, low: str, question: Question) -> Iterator[Statement]:
    """Find the asked expression with its value: "3 + 4 = 7"."""
    asked = find_expression(question.text)
    if not asked or asked not in low.replace(" ", "").replace("x", "*"):
        return
    for match in _EXPRESSION.finditer(low):
        equals = _pack(match[0]) == asked and _EQUALS.match(low, match.end())
        if equals:
            value = read(said[equals.end() : equals.end() + 120])
            if value:
                yield Statement(match.start(), equals.end() + 1, value, CLAIM)


_HENCE = re.compile(r"\b(?:so|therefore|thus|hence|leaving|leaves|which is)\b", re.IGNORECASE)
_ASIDE = re.compile(r"(?<![/*^])\([^()]{0,80}\)(?! ?[/*^])| out of (?:the |all )?\d[\d,.]*\d?")


def read_conclusion(last: str, question: Question, said: str) -> str | None:
    """Return the number that a reply's last sentence concludes with."""
    only = len(said) < 150 and said.strip() == last.strip() and not find_expression(question.text)
    sums = bool(_WORKS.search(last)) and not _is_part(last, question)
    concludes = only or sums or CONCLUDES.search(last.lower()) or _IS.search(last)
    before = said[: -len(last)] if said.endswith(last) else ""
    return (
        _read_new(last, question, before) if concludes or _has_asked_words(last, question) else None
    )


def _has_asked_words(last: str, question: Question) -> bool:
    """Return whether a sentence has at least two words of what the question asks for."""
    asked = split_sentences(question.text)[-1].lower()
    words = {stem(word) for word in _WORDS.findall(asked) if word not in SMALL_WORDS | _ASKS}
    return len(words & {stem(word) for word in _WORDS.findall(last.lower())}) >= min(
        2, len(words) or 9
    )


_WORKS = re.compile(r"\d ?[-+*/x] ?[$]?\d[\d.,]* ?= ?[$]?-?\d[\d.,/]*(?: [a-z]{1,12}){0,3}\.?$")
"""A sum worked out at the end of a sentence: "144 - 17 = 127 rolls"."""
_IS = re.compile(r"\b[Tt]he (?:number|sum|amount|value|cost|price|count)(?: of \w+)? is ")
_WORDS = re.compile(r"[a-z]+")
_ASKS = frozenset(("what", "how", "many", "much", "which", "who", "he", "she", "they"))
_CONVERTS = re.compile(
    r"(?<![-+*/x.\d] )(?<!is )(?<!are )(?<![\d./$])[$]?\d+(?:[/.]\d+)? ?= ?[$]?\d"
)


def _is_part(last: str, question: Question) -> bool:
    """Return whether the sum in a sentence is only a part of the asked one."""
    asked = find_expression(question.text)
    done = _SUM.search(last)
    return bool(asked and done and "".join(done[1].split()).replace("x", "*") in asked)


_SUM = re.compile(
    r"(\(?\d[\d.,]*+(?: ?[-+*/x] ?\(?\d[\d.,]*+\)?){1,9}) ?= ?[$]?-?\d[\d.,/]*(?: [a-z]{1,12}){0,3}"
    r"\.?$"
)
_COMPARED = re.compile(r"\d[\d.,]*(?: \w{1,12})? (?:\w{2,10}er|more|less|fewer) than\b")
_COMPARES = re.compile(r"\b(?:more|less|fewer|differ\w*|how much)\b|er than\b")
"""A number that compares, "7 years older than", where the question does not ask for that."""
_PERCENT = re.compile(r"\d[\d.,]* ?(?:%|percent\b)")
"""A share, where the question does not ask for one."""
_UNDONE = re.compile(r"\d ?(?:plus|minus|times|[*+]) ?[$(]?\d[\d./]*\W*$")
"""A sum that is written, but not worked out."""


def _list_numbers(text: str) -> list[str | None]:
    """Return the numbers of a text, with None for each that is a part of an expression."""
    found: list[str | None] = []
    for match in NUMBER.finditer(text):
        if match["whole"]:
            factor, end = read_scale(text, match)
            value = None if is_part(text, match, end) else write_number(match)
            scaled = write_decimal(Fraction(value) * factor) if value and factor > 1 else value
            found.append(scaled)
    return found


def _read_new(last: str, question: Question, before: str) -> str | None:
    """Return the one number of a sentence that is new, or that follows its "="."""
    last = _REJECTED.sub("", _ASIDE.sub("", last))
    converts = _CONVERTS.search(last) and last.count("=") == 1  # "1/3 = 4/12"
    if converts or _is_tangled(last) or _UNKNOWNS.search(last):
        return None
    worked = "=" in last
    result = last[last.rfind("=") :] if worked else _take_consequence(last)
    if _UNDONE.search(result):  # "1/2 minus 1/4", and "= 50 + 10" where the reply breaks off
        return None
    if not worked:
        result = _drop_comparisons(result, question)
    found = _list_numbers(result)
    if not found:
        spelt = find_number_words(last if worked else result)
        return write_decimal(spelt[0]) if len(spelt) == 1 else None
    numbers = list(dict.fromkeys(filter(None, found)))
    if None in found:  # a part of an expression
        return None
    given = set() if worked else {write_number(each) for each in NUMBER.finditer(question.text)}
    new = [n for n in numbers if n not in given] or numbers
    if len(new) > 1:
        known = {write_number(match) for match in NUMBER.finditer(before[-1000:])}
        new = [n for n in new if n not in known]
    if len(new) > 1 and not worked and given.isdisjoint(new):
        main = _list_in_main_clause(result)
        new = [n for n in new if n in main] or new
    return new[0] if len(new) == 1 else None


def _take_consequence(sentence: str) -> str:
    """Return the words behind "so", if they have a number; else the whole sentence."""
    after = _HENCE.search(sentence)
    return sentence[after.end() :] if after and NUMBER.search(sentence, after.end()) else sentence


def _drop_comparisons(sentence: str, question: Question) -> str:
    """Return a sentence without differences and shares, where the question asks for none."""
    asked = split_sentences(question.text)[-1].lower()
    if not _COMPARES.search(asked):
        sentence = _COMPARED.sub("", sentence)
    if "%" not in asked and "percent" not in asked:
        sentence = _PERCENT.sub("", sentence)
    return sentence


def _is_tangled(sentence: str) -> bool:
    """Return whether a chain of equations repeats itself, or ends within a number it has had."""
    parts = [part.strip(" .$") for part in sentence.split("=")]
    if len(parts) < 3:
        return False
    sums = [part for part in parts if not part.isdigit()]
    bitten = any(
        part.isdigit() and part != parts[-1] and part.startswith(parts[-1]) for part in parts[:-1]
    )
    return len(set(sums)) < len(sums) or (bool(parts[-1]) and bitten)


def _list_in_main_clause(sentence: str) -> list[str]:
    """Return the numbers of a sentence without its conditions, times and explaining tails."""
    clause = _TAIL.split(_CONDITION.sub("", sentence.strip()), maxsplit=1)[0]
    return list(dict.fromkeys(filter(None, _list_numbers(clause))))


_CONDITION = re.compile(
    r"(?:(?:so|therefore|thus|hence|finally),? )?(?:after|if|when|with|since|because|given|over|at"
    r"|by|from|during|for|in)\b[^,.]{0,80}, ",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[,;]? (?:resulting|which|because|since|compared|leaving|after|if|assuming|given|for|when"
    r"|instead of|rather than|but|while|whereas|at|per|out of|within|over|every|during|before)\b",
    re.IGNORECASE,
)
"""Where the main clause of a sentence ends: "36 dollars for selling 6 at 5 each"."""
_REJECTED = re.compile(r",? (?:and |but )?not (?:just |only )?[$]?\d[\d.,]*")
