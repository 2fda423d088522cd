"""Number values: what a number in a text says, with the signs and units that belong to it."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from moot.contrib.essays.quoting.source_references import (
    join_words,
    load_source_table,
    load_source_words,
)

POINTS = "%pt"
"""The unit of percentage points."""
BARE_POINTS = "pt"
"""The unit of points that may be such of a percentage."""
YEARS = (1000, 2100)
"""Numbers without a unit that may be years: they go neither up nor down."""


class NumberValue(NamedTuple):
    """The values that a number may mean: "1,200" is 1200 in one language and 1.2 in another.

    Attributes:
        values: without its sign.
        unit: ``%``, ``‰``, ``%pt`` for percentage points, ``pt`` for points; empty for others.
        currency: one sign for all its names; empty without one.
        sign: 1 or -1 where the number has one; else 0.
        compared: ``<``, ``>``, ``≤``, ``≥``, ``≠``, ``±`` or ``≈`` before it; else empty.
        bound: 1 for "more than", -1 for "less than", in words; else 0.
        direction: 1 where words near it say that something went up, -1 for down; else 0.
        counts: whether a word for things that are counted follows it.
        loose: units and currencies of the table that it stands in.
        small: whether it is a word below ten, which often counts what a source lists.
        measure: the sign of a physical unit behind it; empty for others.
    """

    values: frozenset[float]
    unit: str = ""
    currency: str = ""
    sign: int = 0
    compared: str = ""
    bound: int = 0
    direction: int = 0
    counts: bool = False
    loose: frozenset[str] = frozenset()
    small: bool = False
    measure: str = ""

    @property
    def is_marked(self) -> bool:
        """Whether it has a unit, a currency, a sign, or more than two digits beside zeros."""
        return bool(
            self.unit
            or self.currency
            or self.sign
            or any(len(f"{each:g}".strip("0.").replace(".", "")) > 2 for each in self.values)
        )

    def agrees_with(self, source: "NumberValue") -> bool:
        """Return whether a source that has that number says what this one says."""
        return bool(
            self.values & source.values
            and (self.measure == source.measure or not (self.measure and source.measure))
            and self._same_unit(source)
            and self._same_money(source)
            and self._same_side(source)
            and self._same_bound(source)
        )

    def _same_unit(self, source: "NumberValue") -> bool:
        units = {self.unit, source.unit}
        if BARE_POINTS in units:
            return units <= {BARE_POINTS, POINTS, ""}
        return (
            len(units) == 1
            or (not source.unit and self.unit in source.loose)
            or (not self.unit and source.unit in self.loose)
        )

    def _same_money(self, source: "NumberValue") -> bool:
        if self.currency and source.currency:
            return _same_currency(self.currency, source.currency)
        if self.currency:
            return any(_same_currency(self.currency, each) for each in source.loose)
        return not (source.currency and self.counts)

    def _same_side(self, source: "NumberValue") -> bool:
        """Return whether neither is above where the other is below."""
        own, other = self.sign or self.direction, source.sign or source.direction
        if own and other:
            return own == other
        return self.sign >= 0 and source.sign >= 0

    def _same_bound(self, source: "NumberValue") -> bool:
        own, other = self.side, source.side
        if own and other and own != other:
            return False
        if self.compared == source.compared or {self.compared, source.compared} <= {"", "±", "≈"}:
            return True
        if self.compared and source.compared:
            return False
        return bool(self.bound if source.compared else source.bound)

    @property
    def side(self) -> int:
        """Whether it is a bound that others are above, 1, or below, -1; else 0."""
        return {"<": -1, "≤": -1, ">": 1, "≥": 1}.get(self.compared, self.bound)


def _same_currency(one: str, other: str) -> bool:
    """Return whether two signs may be of one currency: that of several has no country."""
    return one == other or any(
        bare in {one, other} and one.endswith(bare) and other.endswith(bare) for bare in ("¥", "kr")
    )


class NumberPlace(NamedTuple):
    """A number in a text with all that belongs to it.

    Attributes:
        start: the first character of it or of its signs.
        stop: the place behind the last one.
        value: what it says.
        bare_stop: the place behind its digits and scale.
        has_digits: whether it is written in digits.
    """

    start: int
    stop: int
    value: NumberValue
    bare_stop: int
    has_digits: bool = True


_HAN = "〇零一二三四五六七八九十百千"
DIGIT = re.compile(rf"[\d{_HAN}]")
"""The beginning of a number in digits."""
_SEPARATED = r"\d{1,3}(?P<mark>[.,'’ \u00a0\u202f٬])\d{2,3}(?:(?P=mark)\d{2,3})*(?!\d)"
"""One and the same mark between all: in "2,000 15" there are two numbers."""


@cache
def load_scales() -> dict[str, int]:
    """Return the size of each word for a power of ten."""
    scales = {
        word: int(size)
        for size, words in load_source_table()["multipliers"].items()
        for word in words
    }
    return scales | {"mn": 10**6, "bn": 10**9, "tn": 10**12}


@cache
def load_currencies() -> dict[str, str]:
    """Return the sign of each currency, by each of its names in lower case."""
    return {
        word: sign for sign, words in load_source_table()["currencies"].items() for word in words
    }


@cache
def join_currencies() -> str:
    """Return a pattern of the names of currencies; those of several words may be hyphenated."""
    names = [each for each in load_currencies() if each[-1].isalnum()]
    joined = join_words(tuple(sorted(names, key=len, reverse=True)))
    return joined.replace("\\ ", r"[\s\u00a0-]")


def find_currency(name: str) -> str:
    """Return the sign of a currency; the name itself where it is in no table."""
    plain = re.sub(r"[\s\u00a0-]+", " ", name.casefold())
    return load_currencies().get(name.casefold()) or load_currencies().get(plain, name)


@cache
def _number_pattern() -> re.Pattern[str]:
    scale = join_words(tuple(sorted(load_scales(), key=len, reverse=True)))
    return re.compile(
        rf"(?={DIGIT.pattern})"  # all other signs are passed quickly so
        rf"(?P<lead>百分之\s*)?(?<![^\W\u3040-\u9fff])(?<![.,](?=\d))(?P<digits>{_SEPARATED}(?:[.,٫]\d+)?|\d+(?:[.,٫]\d+)?"
        rf"|(?<=百分之)[{_HAN}]+)(?P<power>[eE][-+−]?\d+(?!\w))?"
        rf"(?:[\s\u00a0\u202f-]{{0,2}}(?P<scale>(?:{scale})(?![b-z][b-z]n))\w{{0,4}}|(?P<short>[mk])(?=\W|$))?",
        re.IGNORECASE,
    )


_RATIO = re.compile(r"(?:\s:\s|:)(\d+)(?![\d:])")
"""The colon and number behind the first number of a ratio; the two are one number: "3:1"."""
MINUS = "-−–"
SIGNS = rf"[{MINUS}+]"
COMPARED = r"<=|>=|!=|=<|\+/[-−]|[<>≤≥⩽⩾≠≈±]|(?<!~)~(?!~)"
_SAME = {
    "<=": "≤",
    "=<": "≤",
    "⩽": "≤",
    ">=": "≥",
    "⩾": "≥",
    "!=": "≠",
    "+/-": "±",
    "+/−": "±",
    "~": "≈",
}
MONEY = (
    r"(?:(?:US|AU?|CA?|HK|NZ|R|S)?\$|[€£¥￥₹₽₺₩₴]"
    r"|(?:EUR|USD|GBP|CHF|JPY|CNY|PLN|SEK|NOK|DKK|CAD|AUD|NZD|HKD|SGD|BRL|INR|CZK|HUF)(?![^\W\d]))"
)
OF_MONEY = r"(?:d['’]|(?:de|of|di|von)\s)?"
"""Between "millions" and its currency."""
SIGN_AT = r"(?:(?<=[\s(\[{«‹“„‘\"'<>≤≥≠≈±~=/:;|^$€£¥])|(?<![\s\S]))(?<!\d\s)"
"""Where a sign may stand; elsewhere it joins two words or numbers."""
_BEFORE = re.compile(
    rf"(?:(?P<compared>{COMPARED})\s?)?(?:{SIGN_AT}(?P<sign>{SIGNS}))?"
    rf"(?:(?<!\w)(?P<money>{MONEY})\s?(?P<after>{SIGNS})?)?\Z"
)


def find_sign(compared: str) -> str:
    """Return a comparison in one sign, however it is typed."""
    return _SAME.get(compared, compared)


@cache
def _behind() -> re.Pattern[str]:
    """Return a pattern of what belongs to a number and stands behind it."""
    percent, points = load_source_words("percent"), load_source_words("points")
    bare = load_source_words("bare_points")
    money = join_currencies()
    gap = r"(?:(?<=[^\W\d])\.)?[\s\u00a0\u202f-]{0,2}"
    return re.compile(
        rf"(?P<more>\+(?![\s]?\d))?{gap}(?:(?P<points>(?:%[\s-]?)?(?:{join_words(points)})(?!\w))"
        rf"|(?P<permille>‰|per mille?\b|promille\b)"
        rf"|(?P<percent>(?:{join_words(percent)})\w{{0,3}})|(?P<bare>(?:{join_words(bare)})(?!\w))"
        rf"|{OF_MONEY}(?P<money>(?:{money})(?!\w)|{MONEY}|[円元]))",
        re.IGNORECASE,
    )


_NOUN = re.compile(
    r"\s+(?:(?!in |of |for |per |a )[^\W\d_]{2,14}\s+)?"
    r"[^\W\d_]{3,}(?:(?<![aeiu]s)(?<=[a-z]s)|(?<=people))\b"
)
_FUNCTION = re.compile(
    r"\s+(?:was|has|is|less|this|its|as|plus|versus|across|during|was|dans|sous|après|tras|als|des|les|los|las)\b",
    re.IGNORECASE,
)
_GERMAN_NOUN = re.compile(r"\s+(?:[^\W\d_A-ZÄÖÜ]{2,14}\s+)?[A-ZÄÖÜ][a-zäöüß]{3,}")


def find_numbers(text: str, start: int = 0, stop: int | None = None) -> Iterator[NumberPlace]:
    """Find the numbers in digits between two places of a text, in order."""
    reached = 0
    for match in _number_pattern().finditer(text, start, len(text) if stop is None else stop):
        if match.start() >= reached:
            place = _place(text, match)
            reached = place.stop
            yield place


def _place(text: str, match: re.Match[str]) -> NumberPlace:
    end = match.end()
    before = _BEFORE.search(text, max(0, match.start() - 12), match.start())
    money_before = before["money"] if before else None
    if match["short"] and not money_before:
        end = match.start("short")
    behind = _behind().match(text, end)
    more = (
        behind["more"]
        if behind
        else text[end : end + 1] == "+" and not text[end + 1 : end + 2].isdigit()
    )
    values = _read_values(match, short=bool(money_before))
    value = _mark(values, before, behind, more=bool(more))
    if match["lead"]:
        value = value._replace(unit="%")
    start = before.start() if before and before.end() > before.start() else match.start()
    while start < match.start() and text[start].isspace():
        start += 1
    stop = behind.end() if behind else end
    if ratio := _RATIO.match(text, end):
        value, stop = value._replace(unit=f":{ratio[1]}"), ratio.end()
    return NumberPlace(start, stop, value, end)


def _mark(
    values: frozenset[float],
    before: re.Match[str] | None,
    behind: re.Match[str] | None,
    *,
    more: bool,
) -> NumberValue:
    """Return a number with what stands directly at it."""
    groups = behind.groupdict() if behind else {}
    kinds = (("points", POINTS), ("permille", "‰"), ("percent", "%"), ("bare", BARE_POINTS))
    unit = next((unit for name, unit in kinds if groups.get(name)), "")
    money = (before and before["money"]) or groups.get("money") or ""
    sign = (before and (before["sign"] or before["after"])) or ""
    compared = (before and before["compared"]) or ("≥" if more else "")
    return NumberValue(
        values,
        unit,
        find_currency(money),
        {"": 0, "+": 1}.get(sign, -1),
        find_sign(compared),
    )


@cache
def _words_near(key: str, at: str) -> re.Pattern[str]:
    words = join_words(load_source_words(key))
    if at == "before":
        return re.compile(rf"(?:^|\W)(?:{words})[\s(]*\Z", re.IGNORECASE)
    return re.compile(
        rf"(?<!\w)(?:{words})\w{{0,6}}|(?<=[\u0590-\u9fff])(?:{words})", re.IGNORECASE
    )


_CLAUSE = re.compile(r"[.;:!?…|\n–—](?=\s)|[。；！？।]")
_NOT = re.compile(
    r"\b(?:not|no|never|neither|without|nicht|kein\w*|nie|pas|jamais|no|nunca|non|não|nie|inte|ej|niet|geen|не)\b|n['’]t\b",
    re.IGNORECASE,
)
WINDOW = 80
"""Characters before a number in which words belong to it."""


def read_around(text: str, place: NumberPlace) -> NumberValue:
    """Return the value of a number, with the unit and the sense of the words around it."""
    start, stop, value = place.start, place.stop, place.value
    lead = text[max(0, start - WINDOW) : start]
    lead = _CLAUSE.split(lead)[-1]
    direct = lead[-24:]
    bound = bool(_words_near("more_than", "before").search(direct)) - bool(
        _words_near("less_than", "before").search(direct)
    )
    is_year = (
        not value.unit
        and not value.currency
        and all(each.is_integer() and YEARS[0] <= each <= YEARS[1] for each in value.values)
    )
    tail = text[stop : stop + 30]
    counts = not value.unit and not value.currency and _counts(tail)
    direction = 0 if is_year else _find_direction(lead, re.split(r"[.,;:|\n(\[]", tail)[0])
    measured = _MEASURE.match(text, stop)
    measure = _MEASURES[measured[1]] if measured else ""
    value = value._replace(bound=bound, direction=direction, counts=counts, measure=measure)
    return _share_range(text, stop, value) if not value.unit and not value.currency else value


_MEASURES = {
    name: sign
    for sign, names in {
        "mg": "mg milligram milligrams",
        "g": "g gram grams",
        "kg": "kg kilogram kilograms kilo kilos kilogramm",
        "lb": "lb lbs",
        "s": "s second seconds sekunden",
        "min": "min minute minutes minuten",
        "h": "h hour hours stunde stunden heures horas",
        "MW": "MW megawatt megawatts",
        "GW": "GW gigawatt gigawatts",
        "kW": "kW kilowatt kilowatts",
        "ha": "ha hectare hectares hektar",
        "km²": "km² km2",
        "m²": "m² m2",
        "km": "km kilometre kilometres kilometer kilometers",
        "cm": "cm centimetre centimetres",
        "mm": "mm millimetre millimetres",
        "mi": "mile miles",
    }.items()
    for name in names.split()
}
"""The signs of physical units, by their names; signs keep their case."""
_MEASURE = re.compile(
    rf"[\s\u00a0\u202f-]?({'|'.join(sorted(_MEASURES, key=len, reverse=True))})(?![\w²³/])"
)


_RANGE = re.compile(r"\s?(?:to|bis|à|a|ad|til|till|do|and|und|et|y|e|och|[-–—])\s?(?=\d)")


def _share_range(text: str, stop: int, value: NumberValue) -> NumberValue:
    """Return the first number of "9 to 12 million euros" with what the last says for both."""
    begins = _RANGE.match(text, stop)
    match = _number_pattern().match(text, begins.end()) if begins else None
    if match is None:
        return value
    other = _place(text, match).value
    scale = load_scales().get((match["scale"] or "").casefold(), 1)
    return value._replace(
        values=value.values | {round(each * scale, 6) for each in value.values},
        loose=value.loose | ({other.unit, other.currency} - {""}),
    )


def _counts(tail: str) -> bool:
    noun = _NOUN.match(tail) or _GERMAN_NOUN.match(tail)
    return bool(noun) and not _FUNCTION.match(tail)


_ADJECTIVE = re.compile(
    r"\s+(?:higher|lower|rising|falling|growing)\s+(?!than\b|in\b|by\b|from\b)[^\W\d_]",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b(?:Lower|Higher)\s+[A-ZÄÖÜ]\w+[^.;]*\Z")


_PURPOSE = re.compile(r"\s*to (?:increase|reduce)\b[^,]*,\s+\Z", re.IGNORECASE)
"""A purpose: another thing is to rise or fall: "To increase access, 12 museums …"."""
_OF_OTHERS = re.compile(
    r"(?:higher|lower|greater|smaller|more|fewer)\b(?!\s+(?:in|at)\s+\Z).*\b(?:in|at)\s+\Z",
    re.IGNORECASE | re.DOTALL,
)
"""A comparative of another noun: "Higher taxes left emissions at 340"; not "lower at 340"."""


def _find_direction(lead: str, tail: str) -> int:
    if _NOT.search(lead) or _NAME.search(lead):
        return 0
    if _PURPOSE.match(lead) or _ADJECTIVE.match(tail):
        return 0
    up, down = _words_near("up", "near"), _words_near("down", "near")
    rises, falls = (
        [at for match in words.finditer(lead) if not _OF_OTHERS.match(lead, at := match.start())]
        for words in (up, down)
    )
    if rises or falls:
        return 1 if max(rises, default=-1) > max(falls, default=-1) else -1
    rise, fall = up.search(tail), down.search(tail)
    if rise and fall:
        return 1 if rise.start() < fall.start() else -1
    return bool(rise) - bool(fall)


def _read_values(match: re.Match[str], *, short: bool) -> frozenset[float]:
    digits = match["digits"]
    scale = load_scales().get((match["scale"] or "").casefold(), 1)
    if short and match["short"]:
        scale = {"m": 10**6, "k": 1000}[match["short"].casefold()]
    if digits[0] in _HAN:
        return frozenset({float(_read_han(digits))})
    plain = unicodedata.normalize("NFKC", digits).replace("٫", ".").replace("٬", ",")
    plain = "".join(str(unicodedata.digit(each)) if each.isdigit() else each for each in plain)
    readings = {re.sub(r"\D", "", plain)} if re.fullmatch(_SEPARATED, digits) else set()
    marks = [place for place, each in enumerate(plain) if each in ".,"]
    if marks:
        whole, part = plain[: marks[-1]], plain[marks[-1] + 1 :]
        readings.add(f"{re.sub(r'[^0-9]', '', whole)}.{part}")
    elif not readings:
        readings.add(plain)
    power = int((match["power"] or "e0")[1:].replace("−", "-")[:4])
    return frozenset(
        round(float(each) * scale * 10.0 ** min(power, 300), 6 - min(power, 0)) for each in readings
    )


def _read_han(digits: str) -> int:
    """Return the number in Han numerals below ten thousand."""
    total, one = 0, 0
    for each in digits:
        place = _HAN.index(each)
        if each in "十百千":
            total += max(one, 1) * {"十": 10, "百": 100, "千": 1000}[each]
            one = 0
        else:
            one = max(place - 1, 0)
    return total + one


@cache
def _number_words() -> dict[str, int]:
    return {
        word: int(value)
        for value, words in load_source_table()["number_words"].items()
        for word in words
    }


@cache
def _fractions() -> dict[str, int]:
    return {
        word: int(value)
        for value, words in load_source_table()["fractions"].items()
        for word in words
    }


@cache
def _word_pattern() -> re.Pattern[str]:
    words = sorted(_number_words(), key=len, reverse=True)
    one = join_words(tuple(words))
    scale = join_words(tuple(sorted(load_scales(), key=len, reverse=True)))
    parts = join_words(tuple(sorted(_fractions(), key=len, reverse=True)))
    spaced = r"[^\W\u3040-\u9fff]"
    initials = re.escape("".join(sorted({word[0] for word in (*words, *_fractions())})))
    return re.compile(
        rf"(?<!{spaced})(?=[{initials}])(?:(?P<part>{parts})(?!{spaced})(?=\s+(?:of|de|der|des|du|af|av|van|the)\b|\W*(?:$|[.,;:)\[(]))"
        rf"|(?P<first>{one})(?:[\s-](?P<second>{one}))?(?:\s(?:and\s)?(?P<third>{one}))?"
        rf"(?:\s(?P<scale>{scale})\w{{0,4}})?(?!\w))",
        re.IGNORECASE,
    )


def find_number_words(text: str, start: int = 0, stop: int | None = None) -> Iterator[NumberPlace]:
    """Find the numbers in words between two places of a text: "twelve", "a third"."""
    for match in _word_pattern().finditer(text, start, len(text) if stop is None else stop):
        behind = _behind().match(text, match.end())
        if match["part"]:
            share = _fractions()[" ".join(match["part"].casefold().split())]
            near = {33: (100 / 3, 33.3, 33.33), 67: (200 / 3, 66.7, 66.67, 66)}.get(share, ())
            values = frozenset(round(float(each), 6) for each in (share, *near))
            value = NumberValue(values, "%")
        else:
            value = _mark(frozenset({_add_words(match)}), None, behind, more=False)
        stop_at = behind.end() if behind and not match["part"] else match.end()
        small = (
            not match["part"] and not value.unit and not value.currency and max(value.values) < 10
        )
        yield NumberPlace(
            match.start(), stop_at, value._replace(small=small), match.end(), has_digits=False
        )


def _add_words(match: re.Match[str]) -> float:
    total = 0
    for name in ("first", "second", "third"):
        if said := match[name]:
            size = _number_words()[said.casefold()]
            total = total * size if total and size in {12, 100} else total + size
    return float(total * load_scales().get((match["scale"] or "").casefold(), 1))


def list_numbers(text: str, start: int = 0, stop: int | None = None) -> list[NumberPlace]:
    """Return the numbers between two places of a text, in digits and in words, in order."""
    first = DIGIT.search(text, start, len(text) if stop is None else stop)
    found = list(find_numbers(text, first.start(), stop)) if first else []
    taken = [each.start for each in found]
    for each in find_number_words(text, start, stop):
        place = bisect_right(taken, each.start)
        before, behind = found[max(place - 1, 0) : place], found[place : place + 1]
        if any(each.start < one.stop and one.start < each.stop for one in before + behind):
            continue  # "per cento"
        found.insert(place, each)
        taken.insert(place, each.start)
    return found


@lru_cache(maxsize=4096)
def read_numbers(text: str) -> tuple[NumberPlace, ...]:
    """Return the numbers of a source with all that they say, those in words and tables included.

    A number of a table has the units and the scale that its caption and heads name.
    """
    read = list_numbers(text)
    loose = frozenset(each.value.currency for each in read) - {""}
    scales, units = _read_heads(text) if " | " in text else (set[int](), frozenset[str]())
    found: list[NumberPlace] = []
    for each in read:
        value = read_around(text, each)
        scaled = {round(one * size, 6) for one in value.values for size in scales}
        own = value._replace(values=value.values | scaled, loose=value.loose | loose | units)
        found.append(each._replace(value=own))
    return tuple(found)


_IN_HEAD = re.compile(
    r"\(([^()\n|]{1,30})\)|\b(?:in|en|i)\s+([^\W\d_]{2,}(?:\s+[^\W\d_]+)?)|(%|‰|[€$£¥])"
)
_SHORT_SCALES = {
    "m": 10**6,
    "mn": 10**6,
    "bn": 10**9,
    "k": 1000,
    "'000": 1000,
    "000": 1000,
    "mio": 10**6,
    "mrd": 10**9,
    "tsd": 1000,
}


def _read_heads(text: str) -> tuple[set[int], frozenset[str]]:
    """Return the scales and the units that captions and heads of tables name."""
    scales, units = set[int](), set[str]()
    for match in _IN_HEAD.finditer(text):
        for word in re.findall(r"[^\W\d_]+|'?000|[%‰€$£¥]", match.group().casefold()):
            stems = (
                size
                for stem, size in load_scales().items()
                if word.startswith(stem) and len(word) - len(stem) < 5 and len(stem) > 2
            )
            if size := _SHORT_SCALES.get(word) or next(stems, None):
                scales.add(size)
            if sign := load_currencies().get(word):
                units.add(sign)
            if word in load_source_words("percent"):
                units.add("%")
            if word == "‰":
                units.add("‰")
    return scales, frozenset(units)
