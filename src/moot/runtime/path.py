"""The call path: draw → ledger → in-flight sharing → claim → budget → limiter → retry → model."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from moot.core.calls import Call, Reply, identity
from moot.core.errors import InputError, ModelError, ShortageError, TransientError
from moot.core.ports import Ledger, Model
from moot.core.thought import MARK, separate_thought
from moot.runtime.budget import Budget, BudgetGuard, Need, Used
from moot.runtime.first import BeforeFirstCall
from moot.runtime.limiter import Endpoint, Limiter, Urgency
from moot.runtime.quota import Booked
from moot.runtime.retry import Retry
from moot.runtime.room import Room
from moot.runtime.sizes import ESTIMATED_RATIO, Sizes, completion

USUAL_REPLY = 512
"""Tokens that count for a reply without ``max_tokens`` in an endpoint's tokens a minute, until
it is there."""

UNKEPT = 1024
"""Replies that are remembered until they are surely durable; the ledger has older ones by then."""


class Traffic:
    """What has gone down the path so far; read by the progress display.

    Args:
        whole: what all this counts towards, where it is a part.
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
        self.untold = 0
        """Calls whose endpoint did not tell its tokens: the sums of tokens leave them out."""

    def count(self, reply: Reply) -> None:
        """Book a reply that was paid for."""
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens or 0
        self.completion_tokens += reply.completion_tokens or 0
        if reply.tokens is None:
            self.untold += 1
        if reply.cost is None:
            self.unpriced += 1
        else:
            self.cost += reply.cost
        if self._whole is not None:
            self._whole.count(reply)

    def replay(self) -> None:
        """Book a reply that cost nothing."""
        self.replayed += 1
        if self._whole is not None:
            self._whole.replay()

    def track_in_flight(self, calls: int) -> None:
        """So many calls more, or less, are at an endpoint."""
        self.in_flight += calls
        if self._whole is not None:
            self._whole.track_in_flight(calls)

    def retry(self) -> None:
        """Book a failure after which the call is made again."""
        self.retries += 1
        if self._whole is not None:
            self._whole.retry()


class CallPath:
    """The one way to a model. Every reply is durable in the ledger before it is returned.

    Args:
        ledger: where replies are kept.
        purse: what may be spent; nothing is capped without one.
        retry: when to ask again.
        prices: by model name, for models whose own price is unknown or not the one paid.
        first: what is checked before the first call that no ledger has the reply of.
        sizes: what calls have taken before, for caps on tokens and cost.

    Attributes:
        traffic: what has gone down the path.
        purse: what may be spent.
        sizes: what calls have taken so far, where a cap on tokens or cost needs it.
    """

    def __init__(
        self,
        ledger: Ledger,
        *,
        purse: BudgetGuard | None = None,
        retry: Retry | None = None,
        prices: Mapping[str, Callable[[Reply], float | None]] | None = None,
        first: BeforeFirstCall | None = None,
        sizes: Sizes | None = None,
    ) -> None:
        self.traffic = Traffic()
        self.purse = purse or BudgetGuard(Budget())
        self.sizes = sizes or Sizes()
        self._ledger = ledger
        self._retry = retry or Retry()
        self._prices = prices or {}
        self._first = first
        self._limiters: dict[int, Limiter] = {}
        """By the identity of the model object, which its limiter keeps alive."""
        self._endpoints: dict[str, Endpoint] = {}
        self._room = Room()
        self._flying: dict[bytes, asyncio.Future[Reply | None]] = {}
        self._unkept: dict[bytes, Reply] = {}
        """Paid for by a caller that gave up before its reply was known to be durable."""

    def branch(self, ledger: Ledger, purse: BudgetGuard | None = None) -> "CallPath":
        """A path for one of several runs that go on at once: with its own ledger.

        It has its own purse, or this path's. What endpoints allow, and calls in flight that are the
        same, they have in common; what goes down the branch is counted here, too.
        """
        branch = CallPath(
            ledger,
            purse=purse or self.purse,
            retry=self._retry,
            prices=self._prices,
            first=self._first,
            sizes=self.sizes,
        )
        branch.traffic = Traffic(self.traffic)
        branch._limiters, branch._endpoints = self._limiters, self._endpoints
        branch._room = self._room
        branch._flying, branch._unkept = self._flying, self._unkept
        return branch

    async def reply(
        self,
        model: Model,
        call: Call,
        request: bytes,
        key: bytes | None = None,
        *,
        urgency: Urgency = (0, 0),
    ) -> Reply:
        """The reply to a call: from the ledger, from the same call in flight, or from the model.

        Args:
            model: who is asked.
            call: what is asked; its draw tells it from other samples of the same prompt.
            request: ``call.request()``, which the caller has needed before.
            key: ``identity(request, call.draw)``, where the caller has needed that, too.
            urgency: see ``Limiter``.

        Raises:
            ModelError: the model gave no reply.
            BudgetReached: the call would break the cap.
            InputError: the cap is on cost, and the model's price is unknown; or what is checked
                before the first call is wrong.
            StoreError: the reply could not be recorded.
        """
        key = key or identity(request, call.draw)
        while (flying := self._flying.get(key)) is not None:
            # Shielded: one caller that gives up must not take the call from the others.
            if (shared := await asyncio.shield(flying)) is not None:
                self.traffic.replay()
                return msgspec.structs.replace(shared, replayed=True)
        landing = self._flying[key] = asyncio.get_running_loop().create_future()
        try:
            reply = await self._recorded(model, key)
            if reply is None:
                reply = await self._paid(model, call, request, key, urgency)
            landing.set_result(reply)
        except asyncio.CancelledError:
            landing.set_result(None)  # whoever shares this call makes it again
            raise
        except BaseException as error:
            landing.set_exception(error)
            landing.exception()  # nobody may be waiting, and that is fine
            raise
        finally:
            del self._flying[key]
        return reply

    async def _recorded(self, model: Model, key: bytes) -> Reply | None:
        """The reply that the ledger has; None where this caller is the one to make the call."""
        reply = await self._ledger.find(key)
        if reply is None:  # another process may be making the call
            reply = await self._ledger.claim(key)
            if reply is None:
                return None
        self._unkept.pop(key, None)
        self.traffic.replay()
        if reply.cost is None:  # a price may have been stated since
            reply = msgspec.structs.replace(reply, cost=self._cost(model, reply))
        if MARK in reply.text:  # recorded before thought was kept apart
            reply = separate_thought(reply)
        return reply

    async def _paid(
        self, model: Model, call: Call, request: bytes, key: bytes, urgency: Urgency
    ) -> Reply:
        """Make a call that has been claimed, and record its reply."""
        paid = self._unkept.pop(key, None)
        if paid is None:
            try:
                paid = await self._ask(model, call, len(request), urgency)
            except BaseException:
                self._ledger.release(key)
                raise
        try:
            return await self._ledger.record(key, call, request, paid)
        except asyncio.CancelledError:
            self._unkept[key] = paid
            if len(self._unkept) > UNKEPT:
                del self._unkept[next(iter(self._unkept))]
            raise

    async def _ask(self, model: Model, call: Call, size: int, urgency: Urgency) -> Reply:
        """Pay for a reply, within the budget."""
        # Four bytes a token holds for English; the reply may use all it is allowed.
        tokens = size // 4 + (call.sampling.max_tokens or USUAL_REPLY)
        purse = self.purse
        need = partial(self._need, model, call, size) if purse.sized else Need
        if self._first is not None and not self._first.passed:
            await self._first.wait()
        held = await purse.hold(need, urgency)
        used: Used | None = None
        try:
            paid = await self._try(model, call, tokens, urgency)
            if MARK in paid.text:
                paid = separate_thought(paid)
            self.traffic.count(paid)
            used = self._used(model, call, size, paid)
        finally:
            purse.settle(held, used)
        return paid

    def _need(self, model: Model, call: Call, size: int) -> Need:
        """What a call may take, as those before it have shown."""
        expected = self.sizes.expect(call, size, model.limits.context)
        prompt, reply, least_prompt, least_reply, longest = expected
        most = None if longest is None else prompt + longest
        tokens, least = prompt + reply, least_prompt + least_reply
        if not self.purse.priced:
            return Need(tokens, 0.0, least, 0.0, most, 0.0)
        cost, least_cost = (
            self._estimated_cost(model, prompt, reply),
            self._estimated_cost(model, least_prompt, least_reply),
        )
        if cost is None or least_cost is None:
            raise InputError(
                f"a cap on cost needs a price, and that of {model.name} is unknown: state it "
                "with --price, or under [prices] in a study, or cap calls or tokens"
            )
        dearest = None if longest is None else self._estimated_cost(model, prompt, longest)
        return Need(tokens, cost, least, least_cost, most, dearest)

    def _used(self, model: Model, call: Call, size: int, reply: Reply) -> Used:
        """What a call took; an estimate where its endpoint does not tell."""
        told = reply.tokens
        if not self.purse.sized:
            return Used(told or 0, reply.cost or 0.0)
        self.sizes.learn(call, size, reply)
        if told is not None and reply.cost is not None:
            return Used(told, reply.cost)
        prompt = int(size * ESTIMATED_RATIO) if reply.prompt_tokens is None else reply.prompt_tokens
        written = completion(reply)
        cost = reply.cost
        if cost is None and self.purse.priced:
            cost = self._estimated_cost(model, prompt, written)
        return Used(prompt + written, cost or 0.0, estimated=told is None)

    def _estimated_cost(self, model: Model, prompt: int, reply: int) -> float | None:
        """What so many tokens cost; None where the price is unknown."""
        return self._cost(model, Reply(text="", prompt_tokens=prompt, completion_tokens=reply))

    async def _try(self, model: Model, call: Call, tokens: int, urgency: Urgency) -> Reply:
        """Ask within the limits of model and endpoint, again after a failure that may pass."""
        limiter = self._limiters.get(id(model)) or self._limiter(model)
        attempt, room, short = 1, limiter.room, list[float]()
        while True:
            place = await limiter.enter(urgency, tokens)
            if room is not None and not room.take():
                await self._make_room(room, limiter, place, urgency)
            taken: int | None = 0
            self.traffic.track_in_flight(1)
            try:
                if self._ledger.blocked:  # what is paid for now could be lost
                    await self._ledger.ready()
                reply = await model.reply(call)
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
                if room is not None:
                    room.leave()
                limiter.leave(place, taken)
            await asyncio.sleep(wait)

    def _wait(
        self, limiter: Limiter, error: ModelError, attempt: int, short: list[float]
    ) -> tuple[float | None, bool]:
        """Seconds until a failed call is made again, None where it is not; whether that counts.

        A shortage of this machine is no failure of the call, see ``Room.shrink``.
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

    async def _make_room(
        self, room: Room, limiter: Limiter, place: Booked | None, urgency: Urgency
    ) -> None:
        """Wait for room with a place in hand, which is given back if the wait is given up."""
        try:
            await room.enter(urgency)
        except asyncio.CancelledError:
            limiter.leave(place, 0)
            raise

    def _limiter(self, model: Model) -> Limiter:
        """Make the limiter of a model, which shares its endpoint with those of other models."""
        endpoint = self._endpoints.setdefault(model.endpoint, Endpoint())
        made = self._limiters[id(model)] = Limiter(lambda: model.limits, endpoint)
        if model.limits.files:
            self._room.expect(model.limits.concurrency)
            made.room = self._room
        return made

    def _cost(self, model: Model, reply: Reply) -> float | None:
        """In US dollars: what the study states, else what the reply says, else the model."""
        stated = self._prices.get(model.name)
        if stated is None:
            return model.cost(reply) if reply.cost is None else reply.cost
        return stated(reply)
