"""Person names: lists of authors taken apart, and the parts of a name."""

import re
from typing import NamedTuple

from moot.extend.words import on_one_line

LONGEST = 200
"""Characters of a name."""
MOST = 50
"""The most names of a list."""
_PARTICLES = {
    *("de", "da", "di", "du", "del", "della", "dos", "van", "von", "der", "den", "ter", "ten"),
    *("la", "le", "al", "bin", "ibn", "zu", "zur", "af", "av", "y", "e", "i"),
    *("ó", "ní", "mac", "mc"),
}
_INITIAL = re.compile(r"(?:\w\.-?){1,3}")
_MARKS = re.compile(r"[*†‡¹²³⁴⁵⁶⁷⁸⁹]+")
_ORGANISATION = re.compile(
    r"\b(?:universit\w*|institut\w*|minist\w+|department|council|office|agency|bank|association"
    r"|foundation|stiftung|society|group|team|press|commission|committee|cent(?:re|er)|inc|ltd"
    r"|gmbh|organi[sz]ation|staff|editors?|museum|library|laborator\w+|college|school|company)\b",
    re.IGNORECASE,
)


class PersonName(NamedTuple):
    """The name of a person; that of an organisation is a family name alone."""

    family: str
    given: str = ""


def split_names(said: str) -> tuple[str, ...]:
    """Return the names in a list of authors: "Stone, A.; Fry, B.", "Ada Stone and Ben Fry"."""
    said = " ".join(said.split()).strip(" .;,")
    if ";" in said:
        found = said.split(";")
    else:
        found = re.split(r"\s+(?:and|und|et|y)\s+|\s*&\s*", said)
        if len(found) > 1 or said.count(",") != 1 or _are_two(said):
            found = [name for each in found for name in _split_commas(each)]
    named = (on_one_line(_MARKS.sub("", each).strip(" ,"), LONGEST) for each in found)
    return tuple(dict.fromkeys(filter(None, named)))[:MOST]


def _are_two(said: str) -> bool:
    """Return whether a comma stands between two people, and not within one name."""
    return all(len(side.split()) > 1 for side in said.split(","))


def _split_commas(said: str) -> list[str]:
    sides = said.split(",")
    return sides if len(sides) != 2 or _are_two(said) else [said]


def is_person(name: str) -> bool:
    """Return whether words may be the name of a person: two to six, each with a capital letter."""
    words = name.replace(",", " ").split()
    return 1 < len(words) <= 6 and all(
        word.casefold() in _PARTICLES
        or _INITIAL.fullmatch(word)
        or (word[0].isupper() and not any(each.isdigit() for each in word))
        for word in words
    )


def split_name(name: str) -> PersonName:
    """Return a name in its parts: what stands before a comma, else the last word, is the family's.

    A name of one word, of an organisation, or in a script without spaces is left whole.
    """
    family, comma, given = (each.strip() for each in name.partition(","))
    if comma:
        return PersonName(family, given)
    words = name.split()
    if not is_person(name) or _ORGANISATION.search(name):
        return PersonName(name)
    at = len(words) - 1
    while at > 1 and words[at - 1].casefold() in _PARTICLES:
        at -= 1
    return PersonName(" ".join(words[at:]), " ".join(words[:at]))
