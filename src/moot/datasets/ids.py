"""Whether ids are all different, for a million of them in a little memory."""

from array import array
from itertools import pairwise

FEW = 50_000
"""So many are sorted before numpy is there."""


class Ids:
    """Ids as they come by; 8 bytes are kept of each, a hash."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, name: str) -> None:
        """Note one more."""
        self._hashes.append(hash(name))

    def twice(self) -> set[int]:
        """The hashes that came more than once: of ids that are the same, but for rare chance."""
        if len(self) < FEW:
            ordered = sorted(self._hashes)
            return {one for one, other in pairwise(ordered) if one == other}
        import numpy as np

        found = np.sort(np.frombuffer(self._hashes, dtype=np.int64))
        return {*found[1:][found[1:] == found[:-1]].tolist()}
