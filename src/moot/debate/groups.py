"""Groups: agents, or what they said, divided into parts."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")


def split_evenly(items: Sequence[T], parts: int) -> list[Sequence[T]]:
    """Return neighbours in so many parts, as even as they can be; the first ones are larger.

    Args:
        items: what is divided.
        parts: how many parts, from 1; with fewer items than parts the last ones are empty.
    """
    share, more = divmod(len(items), parts)
    starts = [part * share + min(part, more) for part in range(parts + 1)]
    return [items[start:end] for start, end in pairwise(starts)]
