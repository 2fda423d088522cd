"""The calls of a run that go out in batches: they are gathered, and not sent."""

import asyncio
from functools import partial
from hashlib import blake2b
from typing import Protocol

import msgspec

from moot.core.calls import Call, Reply
from moot.core.errors import CallWaits, TransientError
from moot.core.ports import BatchModel, Model
from moot.core.thought import separate_thought
from moot.core.thought_marks import may_hold_marks
from moot.runtime.budget import CallAmounts, CallNeed
from moot.runtime.path import CallPath, PaidReply
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


class GatheredCalls:
    """Gathers calls, and gives the replies that came in.

    A model whose calls cannot go out in a batch is asked at once. So is the first call of each
    kind where the endpoint carries the batch itself: a parameter that it refuses would cost all
    calls of the kind a whole batch.

    Args:
        batch: where calls are gathered.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._testing: dict[str, asyncio.Lock] = {}

    async def pay(
        self,
        path: CallPath,
        key: bytes,
        model: Model,
        call: Call,
        size: int,
        urgency: Urgency,
    ) -> PaidReply:
        """Return the reply that came in for a claimed call; else gather the call.

        Args:
            path: the path of the call.
            key: the identity of the call.
            model: the model, a ``BatchModel``.
            call: the call.
            size: bytes of its request.
            urgency: see ``Limiter``.

        Raises:
            CallWaits: the call is gathered.
            BudgetReached: it would exceed the cap.
        """
        assert isinstance(model, BatchModel)  # others are asked at once
        reply = self._batch.find(model, call, key)
        if reply is None:
            direct = await self._test(path, model, call, size, urgency)
            if direct is not None:
                return direct
            await self._gather(path, model, call, key, size, urgency)
            raise CallWaits(f"a call of {model.name} waits for a batch")
        if may_hold_marks(reply.text):
            reply = separate_thought(reply)
        paid = msgspec.structs.replace(reply, batch=self._batch.share(model))
        paid = msgspec.structs.replace(paid, cost=path.meter.find_cost(model, paid))
        path.traffic.count(paid)
        path.guard.count(path.meter.count(model, call, size, paid, path.guard))
        return paid, None

    async def _test(
        self, path: CallPath, model: BatchModel, call: Call, size: int, urgency: Urgency
    ) -> PaidReply | None:
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
                paid = await path.pay(model, call, size, urgency)
            except TransientError:
                paid = None
            tested.add(kind)
        return paid

    async def _gather(
        self,
        path: CallPath,
        model: BatchModel,
        call: Call,
        key: bytes,
        size: int,
        urgency: Urgency,
    ) -> None:
        """Gather a call; it counts in the budget with what it is expected to take."""
        if self._batch.waits(key):
            return
        guard = path.guard
        need = partial(self._expect, path, model, call, size) if guard.counts_tokens else CallNeed
        held = await guard.reserve(need, urgency)
        guard.settle(held, CallAmounts(held.tokens, held.cost, estimated=True))
        self._batch.add(model, call, key)

    def _expect(self, path: CallPath, model: BatchModel, call: Call, size: int) -> CallNeed:
        """Return the amounts that a call may take at the price of the batch."""
        need, share = path.meter.expect(model, call, size, path.guard), self._batch.share(model)
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
