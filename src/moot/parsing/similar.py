"""Similarity: the share of two replies that is the same text."""

from collections import Counter
from difflib import SequenceMatcher

_LONGEST = 4_000
"""Characters compared of each text."""

_EFFORT = 6_000_000
"""The most pairs of equal characters that are compared, in about a second.

Two replies of 4,000 characters of English take up to three quarters of that. ``difflib`` alone
needs more than half a minute for 2,000 characters of which every second one is the same.
"""


def similarity(a: str, b: str) -> float:
    """Return the share of two texts that is the same, from 0 (nothing) to 1 (all).

    The ratio of ``difflib.SequenceMatcher`` for the lowercase texts: twice the characters in
    matching blocks, divided by the characters of both. No character counts as junk: with the
    heuristic that difflib turns on from 200 characters, nearly every letter of an English text
    does, and two replies that share 95 % of their characters get about 0.5.

    The first 4,000 characters of each text are compared, fewer if a few characters make up most of
    both. If the effort is used up, the rest counts as different; ordinary texts need less. Equal
    texts are 1 without a comparison, empty ones too.

    Source: debate framework settings, Exchange-of-Thought, termination conditions.
    """
    a, b = _prepare(a, b)
    return 1.0 if a == b else 2 * _count_matching(a, b) / (len(a) + len(b))


def is_similar(a: str, b: str, *, above: float) -> bool:
    """Return whether ``similarity`` is above a threshold; most texts below it cost little.

    Matching blocks keep their order, so they have no more characters than the longest common
    subsequence, which is found a hundred times faster.
    """
    one, other = _prepare(a, b)
    if one != other and 2 * _count_common(one, other) <= above * (len(one) + len(other)):
        return False
    return similarity(a, b) > above


def plain_ratio(a: str, b: str) -> float:
    """Return the ratio of ``difflib.SequenceMatcher`` for two lowercase texts, as it comes.

    From 200 characters on, frequent letters count as junk.
    """
    a, b = _prepare(a, b)
    return SequenceMatcher(None, a, b).ratio()


def _prepare(a: str, b: str) -> tuple[str, str]:
    """Return the part of two texts that is compared."""
    a, b = a.lower()[:_LONGEST], b.lower()[:_LONGEST]
    while a != b and _count_pairs(a, b) > _EFFORT // 2:
        a, b = a[: len(a) * 3 // 4], b[: len(b) * 3 // 4]
    return a, b


def _count_common(a: str, b: str) -> int:
    """Return the length of the longest common subsequence, by bits (Hyyrö 2004)."""
    at: dict[str, int] = {}
    for place, sign in enumerate(a):
        at[sign] = at.get(sign, 0) | 1 << place
    every = row = (1 << len(a)) - 1
    for sign in b:
        found = row & at.get(sign, 0)
        row = (row + found | row - found) & every
    return len(a) - row.bit_count()


def _count_pairs(a: str, b: str) -> int:
    """Return the number of pairs of equal characters: the effort of one search."""
    counts = Counter(b)
    return sum(count * counts[sign] for sign, count in Counter(a).items())


def _count_matching(a: str, b: str) -> int:
    """Return the number of characters in matching blocks: the longest, then on both sides of it.

    Each part is searched by itself: in one search over the whole, difflib would go through all of
    ``b`` again for every part.
    """
    matched, effort, parts = 0, _EFFORT, [(a, b)]
    while parts and effort > 0:
        a, b = parts.pop()
        effort -= _count_pairs(a, b) + 10 * (len(a) + len(b))
        at, other, size = SequenceMatcher(None, a, b, autojunk=False).find_longest_match()
        matched += size
        if size and at and other:
            parts.append((a[:at], b[:other]))
        if size and at + size < len(a) and other + size < len(b):
            parts.append((a[at + size :], b[other + size :]))
    return matched
