"""The store as one run of several sees it."""

from moot.core.calls import Call, Reply
from moot.ledger.store import Store


class Account:
    """The store as one of several runs at the same time sees it: what it records, it pays for.

    Args:
        store: where they are kept.
        run: who pays for them.
        lease: the part of a budget out of which they are paid, if any; see ``Lease``.
    """

    def __init__(self, store: Store, run: int, lease: int | None = None) -> None:
        self.find, self.claim, self.release = store.find, store.claim, store.release
        self.ready = store.ready
        self._store, self._run, self._lease = store, run, lease

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be kept now."""
        return self._store.blocked

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Keep a reply; see ``Store.record``."""
        own, lease = self._run, self._lease
        return await self._store.record_for(own, identity, call, request, reply, lease=lease)
