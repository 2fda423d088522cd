"""The cap on what a run may spend: money, tokens and calls."""

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Literal, NamedTuple

import msgspec

from moot.core.errors import BudgetReached, InputError
from moot.core.stored import Amount
from moot.runtime.limiter import Urgency

MOST = 10**15
"""Calls or tokens that a cap may be: the store counts in 64 bits."""


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The most a run may spend over its whole life, resumptions included; None is no cap.

    Attributes:
        cost: US dollars; every model then needs a price.
        tokens: prompt and completion tokens together, hidden thought included; where an endpoint
            does not tell them, one for four bytes.
        calls: calls paid for; replies from the ledger are free.

    Raises:
        InputError: a cap is negative or no number.
    """

    cost: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            cap = getattr(self, name)
            if cap is not None and not 0 <= cap < inf:
                raise InputError(f"budget: {name} = {cap}: must be a number, 0 or more")
            if name != "cost" and cap is not None and cap > MOST:
                raise InputError(f"budget: {name} = {cap}: must be at most {MOST}")


ROUNDING = 1 + 1e-9
"""What a sum of many small costs may be off by: three times $0.10 fits into $0.30."""


class Allowed(NamedTuple):
    """What a process may spend of a budget; None is no cap."""

    calls: int | None
    tokens: int | None
    cost: float | None


class Need(NamedTuple):
    """What a call may take.

    Attributes:
        tokens: set aside for it while other calls are in flight.
        cost: likewise, in US dollars.
        least_tokens: what must be left for it where no other call is in flight.
        least_cost: likewise, in US dollars.
        most_tokens: the most it can take; None where nothing limits it.
        most_cost: likewise, in US dollars.
    """

    tokens: int = 0
    cost: float = 0.0
    least_tokens: int = 0
    least_cost: float = 0.0
    most_tokens: int | None = 0
    most_cost: float | None = 0.0


Size = Callable[[], Need]
"""Tells what a call may take, as is known at that moment."""


class Used(NamedTuple):
    """What a call took.

    Attributes:
        tokens: read and written.
        cost: in US dollars.
        estimated: whether the endpoint did not tell, and both are estimates.
    """

    tokens: int
    cost: float
    estimated: bool = False


class Cap(msgspec.Struct, frozen=True, kw_only=True):
    """How far a cap is used, and what may be spent beyond it.

    Attributes:
        of: what is capped; ``cost`` in US dollars.
        most: the cap.
        spent: of it so far.
        in_flight: replies that are being waited for.
        more: how much more than the cap these may take; None where nothing limits their length.
        estimated: replies whose usage the endpoint did not tell; what they took is estimated.
        lost: calls that were in flight when their process died; they count as spent.
    """

    of: Literal["calls", "tokens", "cost"]
    most: float
    spent: float
    in_flight: int
    more: float | None
    estimated: int
    lost: int = 0


class BudgetGuard:
    """What is left of a budget while calls are under way.

    A call is let through when what is spent, plus what is set aside for calls in flight, plus what
    is set aside for itself stays within the cap. Else it waits for calls in flight to settle, the
    most urgent first. When none is left in flight, it goes alone if what it takes at least is
    left; else the budget is reached. So the cap on calls holds exactly, and those on tokens and
    cost up to what replies in flight take beyond what was set aside for them; see ``caps``.
    """

    def __init__(
        self, budget: Budget, *, calls: int = 0, tokens: int = 0, cost: float = 0.0
    ) -> None:
        self.budget = budget
        self.allowed = Allowed(budget.calls, budget.tokens, budget.cost)
        self.calls, self.tokens, self.cost, self.estimated = calls, tokens, cost, 0
        self._held_calls, self._held_tokens, self._held_cost = 0, 0, 0.0
        self._most_tokens, self._most_cost, self._boundless = 0, 0.0, 0
        self._queue: list[tuple[Urgency, int, Size, asyncio.Future[Need]]] = []
        self._arrivals = 0

    @property
    def sized(self) -> bool:
        """Whether it matters how large a call is."""
        return self.budget.tokens is not None or self.budget.cost is not None

    @property
    def priced(self) -> bool:
        """Whether it matters what a call costs."""
        return self.budget.cost is not None

    async def hold(self, size: Size, urgency: Urgency = (0, 0)) -> Need:
        """Set aside what a call may take, and return that.

        Args:
            size: asked when it is the call's turn: other replies may have told more by then.
            urgency: see ``Limiter``.

        Raises:
            BudgetReached: too little is left.
        """
        need = size()
        if not self._queue and self._short_of(need) is None:
            self._take(need, 1)
            return need
        place: asyncio.Future[Need] = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heappush(self._queue, (urgency, self._arrivals, size, place))
        self._serve()
        try:
            return await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._serve()  # those behind it may go at once
            elif place.exception() is None:
                self.settle(place.result(), None)  # what it got was not used
            raise

    def settle(self, need: Need, used: Used | None) -> None:
        """Give back what was set aside and book what the call took; None when it got no reply."""
        self._take(need, -1)
        if not self._held_calls:
            self._held_cost = self._most_cost = 0.0  # what rounding has left must not count
        if used is not None:
            self.calls += 1
            self.tokens += used.tokens
            self.cost += used.cost
            self.estimated += used.estimated
        self._serve()

    @property
    def lost(self) -> int:
        """Calls that count as spent because their process died."""
        return 0

    def spent(self) -> Amount:
        """What was spent of the budget."""
        return Amount(self.calls, self.tokens, self.cost)

    def close(self) -> None:
        """Give back what was not spent; no call may be made any more."""

    def caps(self) -> tuple[Cap, ...]:
        """Each cap: how far it is used, and what replies in flight may take beyond it."""
        spent, flying = self.spent(), Amount(0, self._most_tokens, self._most_cost)
        names: tuple[Literal["calls", "tokens", "cost"], ...] = ("calls", "tokens", "cost")
        found = []
        for name in names:
            most, used, held = (getattr(each, name) for each in (self.budget, spent, flying))
            if most is None:
                continue
            bounded = name == "calls" or not self._boundless
            found.append(
                Cap(
                    of=name,
                    most=most,
                    spent=used,
                    in_flight=self._held_calls,
                    more=max(0, used + held - most) if bounded else None,
                    estimated=0 if name == "calls" else self.estimated,
                    lost=self.lost,
                )
            )
        return tuple(found)

    def _take(self, need: Need, sign: int) -> None:
        """Set aside what a call needs; with -1 give it back."""
        self._held_calls += sign
        self._held_tokens += sign * need.tokens
        self._held_cost += sign * need.cost
        if need.most_tokens is None or need.most_cost is None:
            self._boundless += sign
        else:
            self._most_tokens += sign * need.most_tokens
            self._most_cost += sign * need.most_cost

    def _serve(self) -> None:
        """Let through the calls that fit, the most urgent first; turn away what never will."""
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
                    place.set_exception(BudgetReached(self._told(short)))
            heappop(self._queue)

    def _told(self, cap: str) -> str:
        """The error's text, with what was spent beyond the cap."""
        over = []
        spent, budget = self.spent(), self.budget
        if budget.tokens is not None and spent.tokens > budget.tokens:
            over.append(f"{spent.tokens - budget.tokens} tokens")
        if budget.cost is not None and spent.cost > budget.cost * ROUNDING:
            over.append(f"${spent.cost - budget.cost:.2g}")
        beyond = f", and exceeded by {' and '.join(over)} of replies in flight" if over else ""
        return (
            f"the budget of {cap} is reached{beyond}; what was paid for is in the store: "
            "raise the budget and run again to go on from there"
        )

    def _short_of(self, need: Need) -> str | None:
        """The cap that one more call of this size would break, in words; None when none."""
        short = self._broken(need.tokens, need.cost)
        if short is not None and self._solitary():
            return self._broken(*self._least(need))
        return short

    def _least(self, need: Need) -> tuple[int, float]:
        """The tokens and US dollars that must be left for a call that goes alone."""
        return need.least_tokens, need.least_cost

    def _solitary(self) -> bool:
        """Whether no call is in flight for which something is set aside."""
        return not self._held_calls

    def _waits(self, need: Need) -> bool:  # noqa: ARG002 -- for purses that may get more
        """Whether a call that is short may still go, once others have settled."""
        return self._held_calls > 0

    def _turn_away(self, error: Exception) -> None:
        """Raise this for all calls that wait."""
        queue, self._queue = self._queue, []
        for _, _, _, place in queue:
            if not place.done():
                place.set_exception(error)

    def _broken(self, tokens: int, cost: float) -> str | None:
        """The cap that one more call, so many tokens and dollars would break, in words."""
        cap, budget = self.allowed, self.budget
        if cap.calls is not None and self.calls + self._held_calls + 1 > cap.calls:
            return f"{budget.calls} call{'s' * (budget.calls != 1)}"
        if cap.tokens is not None and self.tokens + self._held_tokens + tokens > cap.tokens:
            return f"{budget.tokens} token{'s' * (budget.tokens != 1)}"
        whole = self.cost + self._held_cost + cost
        if cap.cost is not None and whole > cap.cost * ROUNDING:
            return f"${budget.cost:g}"
        return None
