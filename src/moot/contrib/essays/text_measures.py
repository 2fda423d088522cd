"""The length of a text, and how much of it repeats earlier words.

A word is a run of letters and digits, with apostrophes and hyphens within; in scripts without
spaces between words, such as Chinese, Japanese and Thai, it is a letter or sign. Words that differ
in case alone are the same. Neither measure says that an essay is good: they are shown beside those
that say how much essays differ, since short or repetitive texts differ little for that reason.
"""

import re
from collections.abc import Sequence

SPACELESS = r"\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Thai, Lao, Khmer, Chinese and Japanese."""
_SIGN = rf"(?=\w)[{SPACELESS}]"
_LETTER = rf"(?![{SPACELESS}])\w"
_WORD = re.compile(rf"{_SIGN}|(?:{_LETTER})+(?:['’\-‐‑](?:{_LETTER})+)*")
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|\n\s*\n|$")
_DOTTED = re.compile(
    r"(?<![.\w])(?:(?:[^\W\d_]\.){2,}+|(?:mr|mrs|ms|dr|prof|st|vs|cf|fig|approx)\.)(?=\s+\S)",
    re.IGNORECASE,
)
"""Abbreviations whose last full stop ends no sentence: single letters, and a few common ones."""
ORDER = 4
"""Words in a row that count as repeated."""


def words(text: str) -> int:
    """Count the words of a text."""
    return len(_WORD.findall(text))


def is_spaceless(text: str) -> bool:
    """Return whether most words of a text are signs of scripts without spaces between words."""
    return 2 * len(re.findall(_SIGN, text)) > words(text)


def sentences(text: str) -> int:
    """Count the sentences of a text.

    One ends at a full stop, question or exclamation mark or ellipsis before a space, and where a
    paragraph ends; what has no word in it is none. Common abbreviations end none.
    """
    plain = _DOTTED.sub("x", text)
    return sum(bool(_WORD.search(part)) for part in _END.split(plain))


def repetition(text: str) -> float | None:
    """Return the share of a text's runs of four words that repeat an earlier one.

    1 - different runs / runs: "seq-rep-4" of Welleck et al. 2020, "Neural Text Generation with
    Unlikelihood Training", by words where they count tokens.

    Returns:
        0 to 1; None for fewer than four words.
    """
    runs = _runs(_lower(text), ORDER)
    return 1 - len(set(runs)) / len(runs) if runs else None


def distinct(text: str, n: int = 2) -> float | None:
    """Return the number of different runs of n words, divided by the number of words.

    "distinct-1" and "distinct-2" of Li et al. 2016, "A Diversity-Promoting Objective Function for
    Neural Conversation Models".

    Returns:
        0 to 1; None without a word.
    """
    own = _lower(text)
    return len(set(_runs(own, n))) / len(own) if own else None


def overlap(text: str, others: Sequence[str]) -> float | None:
    """Return the share of a text's different runs of four words that stand in another text, too.

    Returns:
        0 to 1; None for fewer than four words.
    """
    own = set(_runs(_lower(text), ORDER))
    rest = {run for other in others for run in _runs(_lower(other), ORDER)}
    return len(own & rest) / len(own) if own else None


def _lower(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))


def _runs(own: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(own[start:] for start in range(n)), strict=False))
