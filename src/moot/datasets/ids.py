"""Ids: whether all are different, for millions of them in little memory, and orders by them."""

from array import array
from hashlib import blake2b
from itertools import pairwise

FEW = 50_000
"""Up to this number they are sorted without numpy."""


def rank(*parts: object) -> bytes:
    """Return what sorts things into an order that is drawn from the parts: BLAKE2b of them."""
    return blake2b("/".join(map(str, parts)).encode(), digest_size=16).digest()


class IdHashes:
    """A collection of ids that keeps 8 bytes of each, a hash."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, name: str) -> None:
        """Add an id."""
        self._hashes.append(hash(name))

    def find_repeats(self) -> set[int]:
        """Return the hashes that occur more than once; nearly always their ids are the same."""
        if len(self) < FEW:
            ordered = sorted(self._hashes)
            return {one for one, other in pairwise(ordered) if one == other}
        import numpy as np

        found = np.sort(np.frombuffer(self._hashes, dtype=np.int64))
        return {*found[1:][found[1:] == found[:-1]].tolist()}
