"""Options of a choice: which one a text is, and which have the same words."""

import re
from collections.abc import Sequence
from functools import lru_cache

from moot.core.questions import WITHHELD

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTERED = re.compile(
    r"(?:(?:option|choice|answer) )?[(\[]?(?P<letter>[A-Za-z])(?P<close>[)\].:]{0,2})"
    r"(?:\s+(?P<text>\S.*))?",
    re.IGNORECASE | re.DOTALL,
)


def fold_option(text: str) -> str:
    """Return an option's words as they are compared: without case, outer blanks or full stop."""
    return " ".join(text.casefold().split()).removesuffix(".").strip()


def read_option(text: str, choices: Sequence[str]) -> str | None:
    """Return the letter of the option that a text is; None for none, or for more than one.

    It is an option's own text, its letter, as ``B``, ``(B)``, ``B.`` or "Option B", or a letter
    with the words of that option, as ``B) gold``. An option's exact text outranks a letter. Of
    options with the same words it is the first.
    """
    letters = LETTERS[: len(choices)]
    said, own = text.strip(), [*map(fold_option, choices[: len(letters)])]
    if said in choices[: len(letters)]:
        return letters[choices.index(said)]
    found = _LETTERED.fullmatch(said)
    letter = found["letter"].upper() if found else ""
    if found and not found["text"] and letter in letters:
        return letter
    if (folded := fold_option(said)) in own and folded:
        return letters[own.index(folded)]
    if not found or letter not in letters or not found["close"]:
        return None
    return letter if fold_option(found["text"] or "") == own[letters.index(letter)] else None


@lru_cache(maxsize=512)
def _first_alike(choices: tuple[str, ...]) -> dict[str, str]:
    """Return the letters of options whose words an earlier option has, each with the first one."""
    seen: dict[str, str] = {}
    twins = {}
    for letter, choice in zip(LETTERS, choices, strict=False):
        words = " ".join(choice.split())  # in their own case: AA, Aa and aa are three genotypes
        first = seen.setdefault(words, letter)
        if first != letter and words and words != WITHHELD:  # of a secret question
            twins[letter] = first
    return twins


def first_alike(letter: str, choices: tuple[str, ...]) -> str:
    """Return the letter of the first option that has the same words; mostly the letter itself."""
    return _first_alike(choices).get(letter, letter)
