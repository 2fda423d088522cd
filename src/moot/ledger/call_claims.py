"""What a store asks of the claims of calls, whichever database has its tables."""

from collections import Counter
from typing import Protocol


class CallClaims(Protocol):
    """The claims of a store's own session.

    Attributes:
        waiting: the number of calls that wait now, by the session that makes them; 0 for unknown.
        shared: the number of replies from other sessions after waiting, by session.
        locked: whether another session may record a reply between ``find`` and ``obtain``.
    """

    waiting: Counter[int]
    shared: Counter[int]
    locked: bool

    def begin(self) -> None:
        """Begin, once the own session has begun."""

    async def obtain(self, identity: bytes) -> int | None:
        """Claim a call; wait while another session, or another caller of this one, has it.

        Returns:
            None where it was free; otherwise the session that had it, 0 where that is unknown.

        Raises:
            StoreError: the store cannot be read or written.
        """

    def free(self, identity: bytes) -> None:
        """Free a claim; may be called in any thread."""

    async def wait_for_others(self) -> None:
        """Wait until every other live session shows which calls it makes."""

    def close(self) -> None:
        """Stop to watch for other sessions."""
