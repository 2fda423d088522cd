"""The call path: draw → ledger → in-flight sharing → claim → budget → limiter → retry → model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from copy import copy
from functools import partial
from typing import Protocol

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.errors import ModelError, MootError, ShortageError, TransientError
from moot.core.ports import BatchModel, Ledger, Model, PieceListener
from moot.core.thought import separate_recorded_thought, separate_thought
from moot.core.thought_marks import may_hold_marks
from moot.runtime.budget import Budget, BudgetGuard, CallNeed, NestedGuard
from moot.runtime.call_meter import CallMeter
from moot.runtime.first import BeforeFirstCall
from moot.runtime.limiter import EndpointLimits, Limiter
from moot.runtime.reply_pieces import stream_reply
from moot.runtime.retry import Retry
from moot.runtime.room import Room, Urgency
from moot.runtime.sizes import Sizes

USUAL_REPLY = 512
"""Tokens that a reply without ``max_tokens`` counts in an endpoint's tokens a minute, until it
arrives."""

UNKEPT = 1024
"""The most replies kept in memory until they are durable; older ones are durable by then."""

PaidReply = tuple[Reply, Callable[[], None] | None]
"""The reply to a call that was made, and a function to call once it is recorded: it counts the call
in the budget and frees what was set aside. None where nothing was."""
PaymentWay = Callable[[Model, Call, int, Urgency], Awaitable[PaidReply]]
"""A function as ``CallPath.pay``."""


class Traffic:
    """Counts of the calls on a path, for the progress display.

    Args:
        whole: the counts that this one is a part of, if any.
    """

    def __init__(self, whole: "Traffic | None" = None) -> None:
        self._counts: tuple[Traffic, ...] = (self,) if whole is None else (self, *whole._counts)  # noqa: SLF001  counts, too
        self.calls = 0
        self.replayed = 0
        self.in_flight = 0
        self.retries = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.cost = 0.0
        self.unpriced = 0
        """Calls whose price is unknown: ``cost`` leaves them out."""
        self.unreported = 0
        """Calls whose endpoint did not report tokens: the sums of tokens leave them out."""

    def count(self, reply: Reply) -> None:
        """Count a reply that was paid for."""
        prompt, written, cost = reply.prompt_tokens, reply.completion_tokens, reply.cost
        for each in self._counts:
            each.calls += 1
            each.prompt_tokens += prompt or 0
            each.completion_tokens += written or 0
            each.unreported += prompt is None or written is None
            if cost is None:
                each.unpriced += 1
            else:
                each.cost += cost

    def replay(self) -> None:
        """Count a reply that cost nothing."""
        for each in self._counts:
            each.replayed += 1

    def track_in_flight(self, calls: int) -> None:
        """Add to the number of calls in flight; negative after their end."""
        for each in self._counts:
            each.in_flight += calls

    def retry(self) -> None:
        """Count a failure after which the call is made again."""
        for each in self._counts:
            each.retries += 1


class Gathering(Protocol):
    """The calls that go out in batches (``moot.runtime.gathered_calls``)."""

    async def pay(
        self, path: "CallPath", key: bytes, model: Model, call: Call, size: int, urgency: Urgency
    ) -> PaidReply:
        """Return the reply that came in for a claimed call; see ``CallPath.pay``."""


class CallPath:
    """The only way to a model. Every reply is durable in the ledger before it is returned.

    Args:
        ledger: the ledger of replies.
        guard: the guard of the budget; without one nothing is capped.
        retry: the waits after failures.
        prices: prices by model name, in place of the models' own.
        first: the check before the first call that is paid for.
        sizes: the tokens of earlier calls, for caps on tokens and cost.
        gathered: the calls that go out in batches; None where each is made at once.

    Attributes:
        traffic: the counts of calls.
        guard: the guard of the budget.
        meter: the tokens and cost of calls.
        make_limiter: makes the limiter of a model at an endpoint.
        listen: is called with the pieces of replies under way; None where no one watches.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        guard: BudgetGuard | None = None,
        retry: Retry | None = None,
        prices: Mapping[str, Callable[[Reply], float | None]] | None = None,
        first: BeforeFirstCall | None = None,
        sizes: Sizes | None = None,
        gathered: "Gathering | None" = None,
    ) -> None:
        self.traffic = Traffic()
        self.guard = guard or BudgetGuard(Budget())
        self.meter = CallMeter(prices, sizes)
        self.make_limiter: Callable[[Model, EndpointLimits], Limiter] = lambda model, endpoint: (
            Limiter(lambda: model.limits, endpoint)
        )
        self.listen: PieceListener | None = None
        self._ledger = ledger
        self._retry = retry or Retry()
        self._first, self._gathered = first, gathered
        self._limiters: dict[int, Limiter] = {}
        """By ``id`` of the model, which its limiter keeps alive."""
        self._endpoints: dict[str, EndpointLimits] = {}
        self._room = Room()
        self._flying: dict[bytes, asyncio.Future[Reply | None] | None] = {}
        """By identity: the future of the calls that wait for this one; None while none does."""
        self._unkept: dict[bytes, Reply] = {}
        """Paid replies whose caller was cancelled before they were durable."""

    def branch(
        self,
        ledger: Ledger,
        guard: BudgetGuard | None = None,
        *,
        budget: Budget | None = None,
        within: BudgetGuard | None = None,
    ) -> "CallPath":
        """Return a path for one of several runs at the same time, with a ledger of its own.

        It has its own guard, or this path's. It shares the limits of endpoints and equal calls in
        flight. Its calls are counted here, too.

        Args:
            ledger: its own.
            guard: its own.
            budget: the most it may spend, in place of a guard.
            within: the guard of a wider budget in which it books as well.
        """
        if budget is not None:
            guard = NestedGuard(budget, within)
        branch = copy(self)
        branch._ledger = ledger  # noqa: SLF001  a path, too
        branch.guard = guard or self.guard
        branch.traffic = Traffic(self.traffic)
        return branch

    def replay_only(self, error: MootError) -> "CallPath":
        """Return this path without calls that are paid for: in place of one it raises the error."""

        async def refuse() -> None:
            raise error

        branch = copy(self)
        branch._first, branch._gathered = BeforeFirstCall(refuse), None  # noqa: SLF001  a path, too
        return branch

    def count_calls(self, model: Model) -> tuple[int, int]:
        """Return how many calls of a model are in flight, and how many wait for its limits."""
        limiter = self._limiters.get(id(model))
        return (0, 0) if limiter is None else (limiter.in_flight, limiter.waiting)

    def admit_waiting(self) -> None:
        """Admit the calls that fit now, after limits have changed."""
        for endpoint in self._endpoints.values():
            endpoint.serve()

    async def reply(
        self,
        model: Model,
        call: Call,
        request: bytes,
        key: bytes | None = None,
        *,
        urgency: Urgency = (0, 0),
    ) -> Reply:
        """Return the reply to a call: from the ledger, an equal call in flight, or the model.

        Args:
            model: the model.
            call: the call; its draw is its number among samples of the same prompt.
            request: ``call.request()``, if the caller has it already: it is not made again.
            key: ``identity(request, call.draw)``, if the caller has it.
            urgency: see ``Limiter``.

        Raises:
            ModelError: the model gave no reply.
            BudgetReached: the call would exceed the cap.
            InputError: cost is capped and the model's price is unknown, or the check before the
                first call failed.
            StoreError: the reply could not be recorded.
        """
        key = key or identity(request, call.draw)
        while key in self._flying:
            if (shared := await self._share(key)) is not None:
                return shared
        self._flying[key], claimed = None, False
        paid = settle = None
        try:
            reply = await self._ledger.claim(key)
            if reply is not None:
                reply = self._replay(model, key, reply)
            else:
                claimed = True
                paid = self._unkept.pop(key, None)
                if paid is None:
                    pay: PaymentWay = self.pay
                    if self._gathered is not None and isinstance(model, BatchModel):
                        pay = partial(self._gathered.pay, self, key)
                    paid, settle = await pay(model, call, len(request), urgency)
                reply = await self._ledger.record(key, call, request, paid)
        except BaseException as error:
            self._fail(key, error, paid, claimed=claimed)
            raise
        finally:  # until here, the call counts as spent where the process dies
            if settle is not None:
                settle()
        if (sharing := self._flying.pop(key)) is not None:
            sharing.set_result(reply)
        return reply

    async def _share(self, key: bytes) -> Reply | None:
        """Return the reply to an equal call in flight; None where that one was cancelled."""
        if (sharing := self._flying[key]) is None:
            sharing = self._flying[key] = asyncio.get_running_loop().create_future()
        # Shielded: one cancelled caller must not cancel the call of the others.
        shared = await asyncio.shield(sharing)
        if shared is None:
            return None
        self.traffic.replay()
        return msgspec.structs.replace(shared, replayed=True)

    def _fail(self, key: bytes, error: BaseException, paid: Reply | None, *, claimed: bool) -> None:
        """End a call that gives no reply, for those that share it, too.

        Args:
            key: the identity of the call.
            error: the reason.
            paid: its reply, where that was paid for; to record it ends the claim.
            claimed: whether the call was claimed.
        """
        cancelled = isinstance(error, asyncio.CancelledError)
        if claimed and paid is None:
            self._ledger.release(key)
        elif paid is not None and cancelled:
            self._unkept[key] = paid
            if len(self._unkept) > UNKEPT:
                del self._unkept[next(iter(self._unkept))]
        sharing = self._flying.pop(key)
        if sharing is None:
            return
        if cancelled:
            sharing.set_result(None)  # the callers that share this call make it again
        else:
            sharing.set_exception(error)
            sharing.exception()  # read it, so that asyncio does not report it where no caller waits

    def _replay(self, model: Model, key: bytes, reply: Reply) -> Reply:
        """Return a recorded reply as this path gives it."""
        self._unkept.pop(key, None)
        self.traffic.replay()
        if reply.cost is None:  # the price may be known by now
            reply = msgspec.structs.replace(reply, cost=self.meter.find_cost(model, reply))
        return separate_recorded_thought(reply)

    async def pay(self, model: Model, call: Call, size: int, urgency: Urgency) -> PaidReply:
        """Make a claimed call within its budget and limits; retry what may pass.

        Args:
            model: the model.
            call: the call.
            size: bytes of its request.
            urgency: see ``Limiter``.
        """
        held = None
        if not self.guard.is_open or (self._first is not None and not self._first.passed):
            held = await self._prepare(model, call, size, urgency)
        limiter = self._limiters.get(id(model)) or self._limiter(model)
        short: list[float] = []  # by a literal: a call of list[float] makes an error and drops it
        attempt, pause, reply = 1, 0.0, None
        try:
            while reply is None:
                place = None
                if not limiter.admit_at_once():
                    # Four bytes a token holds for English; the reply may use all it is allowed.
                    tokens = size // 4 + (call.sampling.max_tokens or USUAL_REPLY)
                    place = await limiter.enter(urgency, tokens)
                self.traffic.track_in_flight(1)
                try:
                    if self._ledger.blocked:  # a reply that is paid for now could be lost
                        await self._ledger.ready()
                    listen = self.listen
                    reply = await (
                        model.reply(call)
                        if listen is None
                        else stream_reply(model, call, listen, attempt)
                    )
                except ModelError as error:
                    error.retries = attempt - 1
                    wait, counts = self._wait(limiter, error, attempt, short)
                    if wait is None:
                        raise
                    pause, attempt = wait, attempt + counts
                finally:
                    self.traffic.track_in_flight(-1)
                    limiter.leave(place, 0 if reply is None else reply.tokens)
                if reply is None:
                    await asyncio.sleep(pause)
            return self._count(model, call, size, reply, attempt - 1, held)
        except BaseException:
            if held is not None:
                self.guard.settle(held, None)
            raise

    async def _prepare(
        self, model: Model, call: Call, size: int, urgency: Urgency
    ) -> CallNeed | None:
        """Check that calls can be made, and set aside what this one may take of the budget."""
        if self._first is not None and not self._first.passed:
            await self._first.wait()
        guard = self.guard
        if guard.is_open:
            return None
        if not guard.counts_tokens:
            return await guard.reserve(CallNeed, urgency)
        return await guard.reserve(partial(self.meter.expect, model, call, size, guard), urgency)

    def _count(
        self, model: Model, call: Call, size: int, reply: Reply, retries: int, held: CallNeed | None
    ) -> PaidReply:
        """Count a reply that was paid for, and return it with its cost and its thought apart."""
        cost = self.meter.find_cost(model, reply)
        if cost is not reply.cost or reply.retries != retries:
            reply = msgspec.structs.replace(reply, cost=cost, retries=retries)
        if may_hold_marks(reply.text):
            reply = separate_thought(reply)
        self.traffic.count(reply)
        if held is None:
            return reply, None
        used = self.meter.count(model, call, size, reply, self.guard)
        return reply, partial(self.guard.settle, held, used)

    def _wait(
        self, limiter: Limiter, error: ModelError, attempt: int, short: list[float]
    ) -> tuple[float | None, bool]:
        """Return the seconds until a failed call is made again, and whether the failure counts.

        The seconds are None where it is not made again. A shortage of this machine does not count
        as a failure of the call, see ``Room.shrink``.
        """
        if not isinstance(error, TransientError):
            return None, False
        if limiter.room is not None and isinstance(error, ShortageError):
            wait = limiter.room.shrink(error, short)
            if wait is not None:
                return wait, False
        wait = self._retry.wait(error, attempt)
        if wait is not None:
            self.traffic.retry()
            if error.retry_after is not None:
                limiter.pause(error.retry_after)
        return wait, True

    def _limiter(self, model: Model) -> Limiter:
        """Make the limiter of a model; models of one endpoint share its limits."""
        endpoint = self._endpoints.setdefault(model.endpoint, EndpointLimits())
        made = self._limiters[id(model)] = self.make_limiter(model, endpoint)
        if model.limits.files:
            self._room.expect(model.limits.concurrency)
            made.room = self._room
        return made
