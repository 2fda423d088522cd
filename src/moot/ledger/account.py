"""The ledger of one run, where several runs use a store at the same time."""

from moot.core.calls import Call, Reply
from moot.ledger.store_runs import StoreRuns


class RunLedger:
    """The ledger of one of several runs that use a store at the same time.

    Args:
        store: the store.
        run: the run that pays for the replies recorded here.
        lease: the lease of a budget that they are paid from, if any; see ``Lease``.
    """

    def __init__(self, store: StoreRuns, run: int, lease: int | None = None) -> None:
        self.find, self.claim, self.release = store.find, store.claim, store.release
        self.ready = store.ready
        self._store, self._run, self._lease = store, run, lease

    @property
    def blocked(self) -> bool:
        """Whether a reply could not be written now."""
        return self._store.blocked

    async def record(self, identity: bytes, call: Call, request: bytes, reply: Reply) -> Reply:
        """Record a reply; see ``Ledger.record``."""
        own, lease = self._run, self._lease
        return await self._store.record_for(own, identity, call, request, reply, lease=lease)
