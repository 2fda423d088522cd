"""The cap on what a run may spend: money, tokens and calls."""

import asyncio
from heapq import heappop, heappush
from math import inf

import msgspec

from moot.core.calls import Reply
from moot.core.errors import BudgetReached, InputError
from moot.runtime.limiter import Urgency


class Budget(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The most a run may spend over its whole life, resumptions included; None is no cap.

    Attributes:
        cost: US dollars; every model then needs a price.
        tokens: prompt and completion tokens together; where an endpoint does not tell them, their
            estimate; of what was paid before a resumption, one token for four bytes.
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


ROUNDING = 1 + 1e-9
"""What a sum of many small costs may be off by: three times $0.10 fits into $0.30."""


class Purse:
    """What is left of a budget while calls are under way.

    A call is let through when what is spent, plus what calls in flight may still cost, plus what it
    may cost itself stays within the cap; else it waits for calls in flight to settle, the most
    urgent first, and when none is left the budget is reached. So the cap on calls holds exactly,
    and the one on tokens and cost up to what calls in flight take beyond their estimates: a prompt
    that has more tokens than estimated, or a reply without ``max_tokens``.
    """

    def __init__(
        self, budget: Budget, *, calls: int = 0, tokens: int = 0, cost: float = 0.0
    ) -> None:
        self.budget = budget
        self.calls, self.tokens, self.cost = calls, tokens, cost
        self._held_calls, self._held_tokens, self._held_cost = 0, 0, 0.0
        self._queue: list[tuple[Urgency, int, int, float, asyncio.Future[None]]] = []
        self._arrivals = 0

    async def hold(self, tokens: int, cost: float, urgency: Urgency = (0, 0)) -> None:
        """Set aside what a call may take. Raises ``BudgetReached`` when too little is left."""
        if not self._queue and self._short_of(tokens, cost) is None:
            self._take(tokens, cost)
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals += 1
        heappush(self._queue, (urgency, self._arrivals, tokens, cost, place))
        self._serve()
        try:
            await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._serve()  # whoever waited behind it may go at once
            elif place.exception() is None:
                self.settle(tokens, cost, None)  # what came was not used
            raise

    def settle(self, tokens: int, cost: float, reply: Reply | None) -> None:
        """Give back what was set aside and book what the reply took; None when there was none."""
        self._held_calls -= 1
        self._held_tokens -= tokens
        self._held_cost -= cost
        if not self._held_calls:
            self._held_cost = 0.0  # what rounding has left must not count
        if reply is not None:
            self.calls += 1
            self.tokens += tokens if reply.tokens is None else reply.tokens
            self.cost += cost if reply.cost is None else reply.cost
        self._serve()

    def _take(self, tokens: int, cost: float) -> None:
        self._held_calls += 1
        self._held_tokens += tokens
        self._held_cost += cost

    def _serve(self) -> None:
        """Let through whoever fits, the most urgent first; turn away who never will."""
        while self._queue:
            _, _, tokens, cost, place = self._queue[0]
            if not place.done():  # its caller has not gone
                short = self._short_of(tokens, cost)
                if short is not None and self._held_calls:
                    return
                if short is None:
                    self._take(tokens, cost)
                    place.set_result(None)
                else:
                    reached = (
                        f"the budget of {short} is reached; what was paid for is in the store: "
                        "raise the budget and run again to go on from there"
                    )
                    place.set_exception(BudgetReached(reached))
            heappop(self._queue)

    def _short_of(self, tokens: int, cost: float) -> str | None:
        """The cap that one more call of this size would break, in words; None when none."""
        cap = self.budget
        if cap.calls is not None and self.calls + self._held_calls + 1 > cap.calls:
            return f"{cap.calls} call{'s' * (cap.calls != 1)}"
        if cap.tokens is not None and self.tokens + self._held_tokens + tokens > cap.tokens:
            return f"{cap.tokens} token{'s' * (cap.tokens != 1)}"
        whole = self.cost + self._held_cost + cost
        if cap.cost is not None and whole > cap.cost * ROUNDING:
            return f"${cap.cost:g}"
        return None
