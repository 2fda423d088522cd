"""How far a run is."""

from collections import Counter
from time import monotonic

from moot.core.events import Transcript
from moot.ledger.database import CallClaims
from moot.runtime.path import CallPath


class RunProgress:
    """How far a run is; the display reads it as often as it likes.

    Attributes:
        total: debates there are.
        done: debates held.
        unchanged: those of them that were in the store and were not run again.
        failed: those of them that failed.
        reasons: why, and how often.
        began: when, on the monotonic clock.
        traffic: what has gone down the call path.
        guard: what may be spent.
        claims: of calls that other processes may be making.
        waiting: the batches that calls wait for, in words.
    """

    def __init__(self, total: int, path: CallPath, claims: CallClaims) -> None:
        self.total, self.claims = total, claims
        self.follow(path)
        self.done = self.failed = self.unchanged = 0
        self.reasons: Counter[str] = Counter()
        self.waiting: tuple[str, ...] = ()
        self.began = monotonic()

    def follow(self, path: CallPath) -> None:
        """Look at this call path from now on."""
        self.traffic, self.guard = path.traffic, path.guard

    def begin_again(self, path: CallPath) -> None:
        """Begin a pass over all debates anew, on this call path."""
        self.follow(path)
        self.done = self.failed = self.unchanged = 0
        self.reasons.clear()

    def count_unchanged(self) -> None:
        """Count a debate that is in the store, and would be the same again."""
        self.done += 1
        self.unchanged += 1

    def count(self, transcript: Transcript) -> None:
        """Count a debate that was held."""
        self.done += 1
        if transcript.failed is not None:
            self.failed += 1
            self.reasons[transcript.failed.reason] += 1
