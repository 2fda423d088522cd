"""The call path of a run whose calls go out in batches: they are gathered, and not sent."""

import asyncio
from functools import partial
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.errors import CallWaits, TransientError
from moot.core.ports import BatchModel, Ledger, Model
from moot.core.thought import separate_thought
from moot.core.thought_marks import may_hold_marks
from moot.runtime.budget import CallAmounts, CallNeed
from moot.runtime.path import CallPath, PaidCall
from moot.runtime.room import Urgency


class Batch(Protocol):
    """The calls that wait for a batch, and the replies that came in.

    Attributes:
        tested: the kinds of calls that their endpoint is known to take, see ``kind_of``; None where
            no call goes by itself.
    """

    tested: set[str] | None

    def find(self, model: BatchModel, call: Call, key: bytes) -> Reply | None:
        """Return the reply that came in for a call, or None.

        Raises ``ModelError`` where the call has failed for good.
        """

    def waits(self, key: bytes) -> bool:
        """Return whether a call was gathered already."""

    def add(self, model: BatchModel, call: Call, key: bytes) -> None:
        """Gather a call."""

    def share(self, model: BatchModel) -> float:
        """Return the share of the usual price that a call in the batch costs."""


class BatchPath(CallPath):
    """A call path that gathers calls and records the replies that came in.

    A model whose calls cannot go out in a batch is asked at once. So is the first call of each
    kind where the endpoint carries the batch itself: a parameter that it refuses would cost all
    calls of the kind a whole batch.

    Args:
        ledger: as of ``CallPath``.
        batch: where calls are gathered.
        more: the other arguments of ``CallPath``.
    """

    def __init__(self, ledger: Ledger, *, batch: Batch, **more: Any) -> None:  # noqa: ANN401 -- those of ``CallPath``
        super().__init__(ledger, **more)
        self._batch = batch
        self._testing: dict[str, asyncio.Lock] = {}

    async def _ask(self, model: Model, call: Call, size: int, urgency: Urgency) -> PaidCall:
        """Return the reply that came in for a call; else gather the call.

        Raises:
            CallWaits: the call is gathered.
            BudgetReached: it would exceed the cap.
        """
        if not isinstance(model, BatchModel):
            return await super()._ask(model, call, size, urgency)
        key = identity(call.request(), call.draw)
        reply = self._batch.find(model, call, key)
        if reply is None:
            direct = await self._test(model, call, size, urgency)
            if direct is not None:
                return direct
            await self._gather(model, call, key, size, urgency)
            raise CallWaits(f"a call of {model.name} waits for a batch")
        if may_hold_marks(reply.text):
            reply = separate_thought(reply)
        paid = msgspec.structs.replace(reply, batch=self._batch.share(model))
        paid = msgspec.structs.replace(paid, cost=self._cost(model, paid))
        self.traffic.count(paid)
        self.guard.count(self._count_usage(model, call, size, paid))
        return PaidCall(paid)

    async def _test(
        self, model: BatchModel, call: Call, size: int, urgency: Urgency
    ) -> PaidCall | None:
        """Make the first call of a kind by itself; the others of the kind wait meanwhile.

        Returns:
            The call; None where the kind is known, or where the endpoint does not answer now.
        """
        tested = self._batch.tested
        if tested is None or not model.answers_directly:
            return None
        kind = kind_of(call)
        if kind in tested:
            return None
        async with self._testing.setdefault(kind, asyncio.Lock()):
            if kind in tested:
                return None
            try:
                paid = await super()._ask(model, call, size, urgency)
            except TransientError:
                paid = None
            tested.add(kind)
        return paid

    async def _gather(
        self, model: BatchModel, call: Call, key: bytes, size: int, urgency: Urgency
    ) -> None:
        """Gather a call; it counts in the budget with what it is expected to take."""
        if self._batch.waits(key):
            return
        guard = self.guard
        need = partial(self._need_in_batch, model, call, size) if guard.counts_tokens else CallNeed
        held = await guard.reserve(need, urgency)
        guard.settle(held, CallAmounts(held.tokens, held.cost, estimated=True))
        self._batch.add(model, call, key)

    def _need_in_batch(self, model: BatchModel, call: Call, size: int) -> CallNeed:
        """Return the amounts that a call may take at the price of the batch."""
        need, share = self._need(model, call, size), self._batch.share(model)
        return need._replace(
            cost=share * need.cost,
            least_cost=share * need.least_cost,
            most_cost=None if need.most_cost is None else share * need.most_cost,
        )


def kind_of(call: Call) -> str:
    """Return a digest of what a call asks of its endpoint beside its messages and its seed."""
    sampling = msgspec.structs.replace(call.sampling, seed=0)
    encoded = msgspec.json.encode((call.model, sampling), order="deterministic")
    return blake2b(encoded, digest_size=8).hexdigest()
