"""The call path: draw → ledger → in-flight sharing → claim → budget → limiter → retry → model."""

import asyncio
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from typing import NamedTuple

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.errors import InputError, ModelError, MootError, ShortageError, TransientError
from moot.core.pieces import PieceListener
from moot.core.ports import Ledger, Model
from moot.core.thought import separate_recorded_thought, separate_thought
from moot.core.thought_marks import may_hold_marks
from moot.runtime.budget import Budget, BudgetGuard, CallAmounts, CallNeed, NestedGuard
from moot.runtime.first import BeforeFirstCall
from moot.runtime.limiter import EndpointLimits, Limiter
from moot.runtime.reply_pieces import stream_reply
from moot.runtime.retry import Retry
from moot.runtime.room import Room, Urgency
from moot.runtime.sizes import ESTIMATED_RATIO, Sizes, count_completion_tokens

USUAL_REPLY = 512
"""Tokens that a reply without ``max_tokens`` counts in an endpoint's tokens a minute, until it
arrives."""

UNKEPT = 1024
"""The most replies kept in memory until they are durable; older ones are durable by then."""


class Traffic:
    """Counts of the calls on a path, for the progress display.

    Args:
        whole: the counts that this one is a part of, if any.
    """

    def __init__(self, whole: "Traffic | None" = None) -> None:
        self._whole = whole
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
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens or 0
        self.completion_tokens += reply.completion_tokens or 0
        if reply.tokens is None:
            self.unreported += 1
        if reply.cost is None:
            self.unpriced += 1
        else:
            self.cost += reply.cost
        if self._whole is not None:
            self._whole.count(reply)

    def replay(self) -> None:
        """Count a reply that cost nothing."""
        self.replayed += 1
        if self._whole is not None:
            self._whole.replay()

    def track_in_flight(self, calls: int) -> None:
        """Add to the number of calls in flight; negative after their end."""
        self.in_flight += calls
        if self._whole is not None:
            self._whole.track_in_flight(calls)

    def retry(self) -> None:
        """Count a failure after which the call is made again."""
        self.retries += 1
        if self._whole is not None:
            self._whole.retry()


class PaidCall(NamedTuple):
    """A call that was made, until its reply is recorded.

    Attributes:
        reply: its reply.
        held: what was set aside for it; None where nothing was.
        used: what it took.
    """

    reply: Reply
    held: CallNeed | None = None
    used: CallAmounts | None = None


class CallPath:
    """The only way to a model. Every reply is durable in the ledger before it is returned.

    Args:
        ledger: the ledger of replies.
        guard: the guard of the budget; without one nothing is capped.
        retry: the waits after failures.
        prices: prices by model name, in place of the models' own.
        first: the check before the first call that is paid for.
        sizes: the tokens of earlier calls, for caps on tokens and cost.

    Attributes:
        traffic: the counts of calls.
        guard: the guard of the budget.
        sizes: the tokens of calls so far, where a cap on tokens or cost needs them.
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
    ) -> None:
        self.traffic = Traffic()
        self.guard = guard or BudgetGuard(Budget())
        self.sizes = sizes or Sizes()
        self.make_limiter: Callable[[Model, EndpointLimits], Limiter] = _make_limiter
        self.listen: PieceListener | None = None
        self._ledger = ledger
        self._retry = retry or Retry()
        self._prices = prices or {}
        self._first = first
        self._closed: MootError | None = None
        self._limiters: dict[int, Limiter] = {}
        """By ``id`` of the model, which its limiter keeps alive."""
        self._endpoints: dict[str, EndpointLimits] = {}
        self._room = Room()
        self._flying: dict[bytes, asyncio.Future[Reply | None]] = {}
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
        branch = copy(self)
        branch._closed = error  # noqa: SLF001  a path, too
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
        while (flying := self._flying.get(key)) is not None:
            # Shielded: one cancelled caller must not cancel the call of the others.
            if (shared := await asyncio.shield(flying)) is not None:
                self.traffic.replay()
                return msgspec.structs.replace(shared, replayed=True)
        landing = self._flying[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._find(model, key)
            if reply is None:
                reply = await self._pay(model, call, request, key, urgency)
            landing.set_result(reply)
        except asyncio.CancelledError:
            landing.set_result(None)  # the callers that share this call make it again
            raise
        except BaseException as error:
            landing.set_exception(error)
            landing.exception()  # read it, so that asyncio does not report it where no caller waits
            raise
        finally:
            del self._flying[key], landing  # an error, its frames and what they hold end with it
        return reply

    async def _find(self, model: Model, key: bytes) -> Reply | None:
        """Return the recorded reply; None where this caller has to make the call."""
        reply = await self._ledger.claim(key)
        if reply is None:
            return None
        self._unkept.pop(key, None)
        self.traffic.replay()
        if reply.cost is None:  # the price may be known by now
            reply = msgspec.structs.replace(reply, cost=self._cost(model, reply))
        return separate_recorded_thought(reply)

    async def _pay(
        self, model: Model, call: Call, request: bytes, key: bytes, urgency: Urgency
    ) -> Reply:
        """Make a claimed call, and record its reply.

        The call is in flight for the budget until its reply is durable: where the process dies
        before, the call counts as spent.
        """
        unkept = self._unkept.pop(key, None)
        if unkept is not None:
            paid = PaidCall(unkept)
        else:
            try:
                self._check_payment()
                paid = await self._ask(model, call, len(request), urgency)
            except BaseException:
                self._ledger.release(key)
                raise
        try:
            return await self._ledger.record(key, call, request, paid.reply)
        except asyncio.CancelledError:
            self._unkept[key] = paid.reply
            if len(self._unkept) > UNKEPT:
                del self._unkept[next(iter(self._unkept))]
            raise
        finally:
            if paid.held is not None:
                self.guard.settle(paid.held, paid.used)

    def _check_payment(self) -> None:
        if self._closed is not None:
            raise self._closed

    async def _ask(self, model: Model, call: Call, size: int, urgency: Urgency) -> PaidCall:
        """Make a call within the budget; what was set aside for it stays so."""
        # Four bytes a token holds for English; the reply may use all it is allowed.
        tokens = size // 4 + (call.sampling.max_tokens or USUAL_REPLY)
        guard = self.guard
        need = partial(self._need, model, call, size) if guard.counts_tokens else CallNeed
        if self._first is not None and not self._first.passed:
            await self._first.wait()
        held = await guard.reserve(need, urgency)
        try:
            reply = await self._try(model, call, tokens, urgency)
            if may_hold_marks(reply.text):
                reply = separate_thought(reply)
            self.traffic.count(reply)
            return PaidCall(reply, held, self._count_usage(model, call, size, reply))
        except BaseException:
            guard.settle(held, None)
            raise

    def _need(self, model: Model, call: Call, size: int) -> CallNeed:
        """Return the amounts that a call may take, by the calls before it."""
        expected = self.sizes.expect(call, size, model.limits.context)
        prompt, reply, least_prompt, least_reply, longest = expected
        most = None if longest is None else prompt + longest
        tokens, least = prompt + reply, least_prompt + least_reply
        if not self.guard.counts_cost:
            return CallNeed(tokens, 0.0, least, 0.0, most, 0.0)
        cost, least_cost = (
            self._price(model, prompt, reply),
            self._price(model, least_prompt, least_reply),
        )
        if cost is None or least_cost is None:
            raise InputError(
                f"a cap on cost needs a price, and that of {model.name} is unknown: state it "
                "with --price, or under [prices] in a study, or cap calls or tokens"
            )
        dearest = None if longest is None else self._price(model, prompt, longest)
        return CallNeed(tokens, cost, least, least_cost, most, dearest)

    def _count_usage(self, model: Model, call: Call, size: int, reply: Reply) -> CallAmounts:
        """Return the amounts that a call took; estimates where its endpoint reports none."""
        told = reply.tokens
        if not self.guard.counts_tokens:
            return CallAmounts(told or 0, reply.cost or 0.0)
        self.sizes.learn(call, size, reply)
        if told is not None and reply.cost is not None:
            return CallAmounts(told, reply.cost)
        prompt = int(size * ESTIMATED_RATIO) if reply.prompt_tokens is None else reply.prompt_tokens
        written = count_completion_tokens(reply)
        cost = reply.cost
        if cost is None and self.guard.counts_cost:
            cost = self._price(model, prompt, written)
        return CallAmounts(prompt + written, cost or 0.0, estimated=told is None)

    def _price(self, model: Model, prompt: int, reply: int) -> float | None:
        """Return the cost of so many tokens in US dollars; None where the price is unknown."""
        return self._cost(model, Reply(text="", prompt_tokens=prompt, completion_tokens=reply))

    async def _try(self, model: Model, call: Call, tokens: int, urgency: Urgency) -> Reply:
        """Make a call within the limits of model and endpoint; retry what may pass."""
        limiter = self._limiters.get(id(model)) or self._limiter(model)
        attempt, short = 1, list[float]()
        while True:
            place = await limiter.enter(urgency, tokens)
            taken: int | None = 0
            self.traffic.track_in_flight(1)
            try:
                if self._ledger.blocked:  # a reply that is paid for now could be lost
                    await self._ledger.ready()
                if self.listen is None:
                    reply = await model.reply(call)
                else:
                    reply = await stream_reply(model, call, self.listen, attempt)
                taken = reply.tokens
                cost = self._cost(model, reply)
                if cost is reply.cost and reply.retries == attempt - 1:  # as it is
                    return reply
                return msgspec.structs.replace(reply, cost=cost, retries=attempt - 1)
            except ModelError as error:
                error.retries = attempt - 1
                wait, counts = self._wait(limiter, error, attempt, short)
                if wait is None:
                    raise
                attempt += counts
            finally:
                self.traffic.track_in_flight(-1)
                limiter.leave(place, taken)
            await asyncio.sleep(wait)

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

    def _cost(self, model: Model, reply: Reply) -> float | None:
        """Return a reply's cost in US dollars: the study's, else the reply's, else the model's."""
        stated = self._prices.get(model.name)
        if stated is None:
            return model.cost(reply) if reply.cost is None else reply.cost
        return stated(reply)


def _make_limiter(model: Model, endpoint: EndpointLimits) -> Limiter:
    return Limiter(lambda: model.limits, endpoint)
