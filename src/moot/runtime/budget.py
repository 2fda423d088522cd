"""Budgets: caps on the money, tokens and calls of a run."""

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Literal, NamedTuple

import msgspec

from moot.core.display_text import format_things
from moot.core.errors import BudgetReached, InputError
from moot.core.stored import Amount
from moot.runtime.room import Urgency

MOST = 10**15
"""The largest cap on calls or tokens: the store counts in 64 bits."""


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The most a run may spend over its whole life, resumptions included; None is no cap.

    Attributes:
        cost: US dollars; every model then needs a price.
        tokens: prompt and completion tokens together, hidden thought included; where an endpoint
            does not report them, one for four bytes.
        calls: calls paid for; replies from the ledger are free.

    Raises:
        InputError: a cap is negative or no number.
    """

    cost: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            _check_cap(f"budget: {name}", getattr(self, name), inf if name == "cost" else MOST)

    def lower(
        self, *, cost: float | None = None, tokens: int | None = None, calls: int | None = None
    ) -> "Budget":
        """Return the budget with further caps; of two of one kind the lower one holds.

        Raises:
            InputError: a cap is negative or no number; it names the option.
        """
        _check_cap("--max-cost", cost, inf)
        _check_cap("--max-total-tokens", tokens, MOST)
        _check_cap("--max-calls", calls, MOST)
        other = Budget(cost=cost, tokens=tokens, calls=calls)
        pairs = {
            name: (getattr(self, name), getattr(other, name)) for name in self.__struct_fields__
        }
        return Budget(
            **{
                name: min((cap for cap in both if cap is not None), default=None)
                for name, both in pairs.items()
            }
        )


def _check_cap(where: str, cap: float | None, most: float) -> None:
    if cap is not None and not 0 <= cap < inf:
        raise InputError(f"{where} = {cap}: must be a number, 0 or more")
    if cap is not None and cap > most:
        raise InputError(f"{where} = {cap}: must be at most {most}")


ROUNDING = 1 + 1e-9
"""The tolerance for a sum of many small costs: three times $0.10 fits into $0.30."""


class AllowedAmounts(NamedTuple):
    """The part of a budget that a process may spend; infinite where there is no cap."""

    calls: float
    tokens: float
    cost: float

    @classmethod
    def of(cls, budget: Budget, part: Amount | None = None) -> "AllowedAmounts":
        """Return this part of a budget; by default all of it."""
        caps = (budget.calls, budget.tokens, budget.cost)
        parts = caps if part is None else part
        known = zip(caps, parts, strict=True)
        return cls(*[inf if cap is None or most is None else most for cap, most in known])


class CallNeed(NamedTuple):
    """The amounts that a call may take.

    Attributes:
        tokens: tokens set aside for it while other calls are in flight.
        cost: US dollars set aside for it while other calls are in flight.
        least_tokens: tokens that must be left for it where no other call is in flight.
        least_cost: US dollars that must be left for it where no other call is in flight.
        most_tokens: the most tokens that it can take; None where nothing limits them.
        most_cost: the most US dollars that it can take; None where nothing limits them.
    """

    tokens: int = 0
    cost: float = 0.0
    least_tokens: int = 0
    least_cost: float = 0.0
    most_tokens: int | None = 0
    most_cost: float | None = 0.0


EstimateNeed = Callable[[], CallNeed]
"""A function that returns what a call may take, as far as it is known at that moment."""


class CallAmounts(NamedTuple):
    """The amounts that a call took.

    Attributes:
        tokens: tokens read and written.
        cost: US dollars.
        estimated: whether both are estimates, since the endpoint did not report them.
    """

    tokens: int
    cost: float
    estimated: bool = False


class CapState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a cap.

    Attributes:
        of: what is capped; ``cost`` is in US dollars.
        most: the cap.
        spent: the amount spent so far.
        in_flight: the number of calls in flight.
        more: the most that they may take beyond the cap; None where nothing limits their length.
        estimated: the number of replies whose usage is estimated.
        lost: the number of calls in flight in a process that died; they count as spent.
    """

    of: Literal["calls", "tokens", "cost"]
    most: float
    spent: float
    in_flight: int
    more: float | None
    estimated: int
    lost: int = 0


class BudgetGuard:
    """Lets calls through while a budget lasts.

    A call goes when the amount spent, plus the amounts set aside for calls in flight and for the
    call itself, is within the cap. Otherwise it waits until calls in flight have ended; the most
    urgent call goes first. With no other call in flight, it goes if its least amount is left; else
    the budget is reached. So the cap on calls is exact. Those on tokens and cost can be exceeded by
    replies that take more than was set aside for them; see ``caps``.

    Attributes:
        budget: the budget.
        is_open: whether nothing is capped: then calls need not be reserved and counted.
        counts_cost: whether cost is capped.
        counts_tokens: whether tokens or cost are capped.
        allowed: the amounts that this process may spend.
        reached: the cap that a call had no room in, such as ``30 calls``; empty for none.
    """

    def __init__(
        self, budget: Budget, *, calls: int = 0, tokens: int = 0, cost: float = 0.0
    ) -> None:
        self.budget, self.is_open = budget, budget == Budget()
        self.counts_cost = budget.cost is not None
        self.counts_tokens = self.counts_cost or budget.tokens is not None
        self.allowed, self.reached = AllowedAmounts.of(budget), ""
        self.calls, self.tokens, self.cost, self.estimated = calls, tokens, cost, 0
        self._held_calls, self._held_tokens, self._held_cost = 0, 0, 0.0
        self._most_tokens, self._most_cost, self._boundless = 0, 0.0, 0
        self._queue: list[tuple[Urgency, int, EstimateNeed, asyncio.Future[CallNeed]]] = []
        self._arrivals = 0

    async def reserve(self, size: EstimateNeed, urgency: Urgency = (0, 0)) -> CallNeed:
        """Wait until a call may go; set aside the amounts that it may take, and return them.

        Args:
            size: returns these amounts. It is called in the call's turn, when more replies are
                known.
            urgency: see ``Limiter``.

        Raises:
            BudgetReached: too little is left.
        """
        need = size()
        if not self._queue and self._short_of(need) is None:
            self._take(need, 1)
            return need
        place: asyncio.Future[CallNeed] = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heappush(self._queue, (urgency, self._arrivals, size, place))
        self._serve()
        try:
            return await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._serve()  # the next calls may fit now
            elif place.exception() is None:
                self.settle(place.result(), None)  # the call is not made
            raise

    def settle(self, need: CallNeed, used: CallAmounts | None) -> None:
        """Give back what was set aside, and count what the call took; None when it got no reply."""
        self._take(need, -1)
        if not self._held_calls:
            self._held_cost = self._most_cost = 0.0  # remove rounding errors
        if used is not None:
            self.count(used)
        self._serve()

    def count(self, used: CallAmounts) -> None:
        """Count what a call took for which nothing was set aside."""
        self.calls += 1
        self.tokens += used.tokens
        self.cost += used.cost
        self.estimated += used.estimated

    @property
    def lost(self) -> int:
        """The number of calls that count as spent because their process died."""
        return 0

    def amount_spent(self) -> Amount:
        """Return the amount spent."""
        return Amount(self.calls, self.tokens, self.cost)

    def close(self) -> None:
        """Give back what was not spent. No call may follow."""

    def caps(self) -> tuple[CapState, ...]:
        """Return the state of each cap."""
        budget, spent = self.budget, self.amount_spent()
        known: list[tuple[Literal["calls", "tokens", "cost"], float | None, float, float]] = [
            ("calls", budget.calls, spent.calls, 0),
            ("tokens", budget.tokens, spent.tokens, self._most_tokens),
            ("cost", budget.cost, spent.cost, self._most_cost),
        ]
        return tuple(
            CapState(
                of=name,
                most=most,
                spent=used,
                in_flight=self._held_calls,
                more=max(0, used + held - most) if name == "calls" or not self._boundless else None,
                estimated=0 if name == "calls" else self.estimated,
                lost=self.lost,
            )
            for name, most, used, held in known
            if most is not None
        )

    def _take(self, need: CallNeed, sign: int) -> None:
        """Set aside the amounts of a call; with -1 give them back."""
        self._held_calls += sign
        self._held_tokens += sign * need.tokens
        self._held_cost += sign * need.cost
        if need.most_tokens is None or need.most_cost is None:
            self._boundless += sign
        else:
            self._most_tokens += sign * need.most_tokens
            self._most_cost += sign * need.most_cost

    def _serve(self) -> None:
        """Let calls through that fit, the most urgent first; fail those that never will."""
        while self._queue:
            _, _, size, place = self._queue[0]
            if not place.done():  # its caller has not gone
                need = size()
                short = self._short_of(need)
                if short is not None and self._waits(need):
                    return
                if short is None:
                    self._take(need, 1)
                    place.set_result(need)
                else:
                    place.set_exception(self._refuse(short))
            heappop(self._queue)

    def _refuse(self, cap: str) -> BudgetReached:
        """Return the error for a call that this cap has no room for; its text says what is over."""
        over = []
        spent, budget = self.amount_spent(), self.budget
        if budget.tokens is not None and spent.tokens > budget.tokens:
            over.append(f"{spent.tokens - budget.tokens} tokens")
        if budget.cost is not None and spent.cost > budget.cost * ROUNDING:
            over.append(f"${spent.cost - budget.cost:.2g}")
        self.reached = cap
        beyond = f", and exceeded by {' and '.join(over)} of replies in flight" if over else ""
        return BudgetReached(
            f"stopped at the cap of {cap}{beyond}; what was paid for is in the store: "
            "raise the cap and run again to go on from there"
        )

    def _short_of(self, need: CallNeed) -> str | None:
        """Return the cap that one more call of this size would exceed, in words; None for none."""
        short = self._find_exceeded(need.tokens, need.cost)
        if short is not None and self._is_alone():
            return self._find_exceeded(*self._least(need))
        return short

    def _least(self, need: CallNeed) -> tuple[int, float]:
        """Return the tokens and US dollars that must be left for a call that goes alone."""
        return need.least_tokens, need.least_cost

    def _is_alone(self) -> bool:
        """Return whether no other call is in flight."""
        return not self._held_calls

    def _waits(self, need: CallNeed) -> bool:  # noqa: ARG002 -- for guards that may get more
        """Return whether a call that does not fit now may still go when others have ended."""
        return self._held_calls > 0

    def _turn_away(self, error: Exception) -> None:
        """Fail all waiting calls with this error."""
        queue, self._queue = self._queue, []
        for _, _, _, place in queue:
            if not place.done():
                place.set_exception(error)

    def _find_exceeded(self, tokens: int, cost: float) -> str | None:
        """Return the cap that one more call with these amounts would exceed, in words; or None."""
        cap, budget = self.allowed, self.budget
        if self.calls + self._held_calls + 1 > cap.calls:
            return format_things(budget.calls, "call")
        if self.tokens + self._held_tokens + tokens > cap.tokens:
            return format_things(budget.tokens, "token")
        if self.cost + self._held_cost + cost > cap.cost * ROUNDING:
            return f"${budget.cost:g}"
        return None


class NestedGuard(BudgetGuard):
    """Lets calls through while a budget lasts, and a wider one in which it books as well.

    Args:
        budget: the narrower one.
        outer: the guard of the wider one; None where there is none.
    """

    def __init__(self, budget: Budget, outer: BudgetGuard | None) -> None:
        super().__init__(budget)
        self._outer = outer or BudgetGuard(Budget())
        self.is_open = self.is_open and self._outer.is_open
        self.counts_cost = self.counts_cost or self._outer.counts_cost
        self.counts_tokens = self.counts_tokens or self._outer.counts_tokens

    async def reserve(self, size: EstimateNeed, urgency: Urgency = (0, 0)) -> CallNeed:
        """Reserve what a call may take. Raises ``BudgetReached`` if too little is left."""
        need = await super().reserve(size, urgency)
        try:
            return await self._outer.reserve(lambda: need, urgency)
        except BaseException:
            super().settle(need, None)
            raise

    def settle(self, need: CallNeed, used: CallAmounts | None) -> None:
        """Release the reservation in both, and book what the call took."""
        super().settle(need, used)
        self._outer.settle(need, used)
