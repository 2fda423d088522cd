"""Words that look like a reason and say nothing: sentences of a pack, as many as are wanted."""

from collections.abc import Sequence
from itertools import cycle

LONGER = 1.1
"""A filler has at most so many times the words of the reply that it stands for."""


def join_fillers(bank: Sequence[str], order: Sequence[int], wanted: int) -> tuple[str, list[int]]:
    """Return sentences that are as many words as a reply, and their numbers in the bank.

    Args:
        bank: all sentences.
        order: their numbers in the order in which they are used, again and again.
        wanted: the number of words; 0 for a single sentence.
    """
    words, used = list[str](), list[int]()
    for place in cycle(order):
        if used and len(words) >= wanted:
            break
        words += bank[place].split()
        used.append(place)
    most = max(int(wanted * LONGER), 1) if wanted else len(words)
    return " ".join(words[:most]), used
