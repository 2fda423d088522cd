"""The call path of a run whose calls go out in batches: they are gathered, and not sent."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.errors import CallWaits
from moot.core.ports import BatchModel, Ledger, Model
from moot.core.thought import MARK, separate_thought
from moot.runtime.budget import CallAmounts, CallNeed
from moot.runtime.path import CallPath
from moot.runtime.room import Urgency


class Batch(Protocol):
    """The calls that wait for a batch, and the replies that came in.

    Attributes:
        discounted: whether calls cost what they cost in a batch of their endpoint.
    """

    discounted: bool

    def find(self, model: BatchModel, call: Call, key: bytes) -> Reply | None:
        """Return the reply that came in for a call, or None.

        Raises ``ModelError`` where the call has failed for good.
        """

    def waits(self, key: bytes) -> bool:
        """Return whether a call was gathered already."""

    def add(self, model: BatchModel, call: Call, key: bytes) -> None:
        """Gather a call."""


class BatchPath(CallPath):
    """A call path that gathers calls and records the replies that came in.

    A model whose calls cannot go out in a batch is asked at once.

    Args:
        ledger: as of ``CallPath``.
        batch: where calls are gathered.
        more: the other arguments of ``CallPath``.
    """

    def __init__(self, ledger: Ledger, *, batch: Batch, **more: Any) -> None:  # noqa: ANN401 -- those of ``CallPath``
        super().__init__(ledger, **more)
        self._batch = batch

    async def _ask(self, model: Model, call: Call, size: int, urgency: Urgency) -> Reply:
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
            await self._gather(model, call, key, size, urgency)
            raise CallWaits(f"a call of {model.name} waits for a batch")
        if MARK in reply.text:
            reply = separate_thought(reply)
        paid = msgspec.structs.replace(reply, cost=self._cost(model, reply))
        self.traffic.count(paid)
        self.guard.count(self._count_usage(model, call, size, paid))
        return paid

    async def _gather(
        self, model: BatchModel, call: Call, key: bytes, size: int, urgency: Urgency
    ) -> None:
        """Gather a call; it counts in the budget with what it is expected to take."""
        if self._batch.waits(key):
            return
        guard = self.guard
        need: Callable[[], CallNeed] = CallNeed
        if guard.counts_tokens:
            need = partial(self._need, model, call, size)
        held = await guard.reserve(need, urgency)
        guard.settle(held, CallAmounts(held.tokens, held.cost, estimated=True))
        self._batch.add(model, call, key)

    def _cost(self, model: Model, reply: Reply) -> float | None:
        """Return a reply's cost in US dollars, at the batch price where it came in a batch."""
        cost = super()._cost(model, reply)
        if cost is None or reply.cost is not None or not self._batch.discounted:
            return cost
        return cost * model.batch_share if isinstance(model, BatchModel) else cost
