"""What a store asks of the claims of calls, whichever database has its tables."""

from collections import Counter
from typing import Protocol

from moot.core.calls import Reply


class CallClaims(Protocol):
    """The claims of a store's own session.

    Attributes:
        waiting: the number of calls that wait now, by the session that makes them; 0 for unknown.
        shared: the number of replies from other sessions after waiting, by session.
        others_known: whether all other sessions show their claims.
    """

    waiting: Counter[int]
    shared: Counter[int]
    others_known: bool

    def begin(self) -> None:
        """Begin, once the own session has begun."""

    async def obtain(self, identity: bytes) -> Reply | None:
        """Return the recorded reply of a call; or claim the call, and return None.

        This waits while another session, or another caller of this one, has the claim.

        Raises:
            DamagedError: the reply is not what was written.
            StoreError: the store cannot be read or written.
        """

    def free(self, identity: bytes) -> None:
        """Free a claim; may be called in any thread."""

    async def wait_for_others(self) -> None:
        """Wait until every other live session shows which calls it makes."""

    def close(self) -> None:
        """Stop to watch for other sessions."""
