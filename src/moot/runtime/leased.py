"""A budget that several processes share: each leases a part of the rest."""

import asyncio
from collections.abc import Callable
from math import inf
from operator import add
from time import monotonic

from moot.core.errors import BudgetReached
from moot.core.ports import BudgetLease
from moot.core.stored import Amount, LeaseAnswer
from moot.runtime.budget import AllowedAmounts, Budget, BudgetGuard, CallNeed

TICK = 0.25
"""Seconds between two checks whether another process wants more."""
LOOKS = 4
"""Every so many checks, the calls in flight are compared with the number in the store."""
SOON, LATER = 0.1, 1.0
"""Seconds until the next request for more: at first, and after a long time without change."""
FRESH = 1.0
"""Seconds without another request after a refusal."""
PATIENCE = 600.0
"""Seconds without any change after which a call waits no longer for another process."""
_NOTHING = Amount()


class LeasedGuard(BudgetGuard):
    """Lets calls through while this process's part of a shared budget lasts.

    When its part is too small it asks the store for more, and waits while another process has a
    part that it may give back. It reports a higher number of calls in flight to the store before
    they are made: if the process dies, so many calls count as paid for.

    Args:
        budget: the whole budget.
        lease: this process's lease.
        refusal: makes the error for a call that the budget has no room for, from the store's newest
            answer; by default ``BudgetReached``.

    Attributes:
        lease: this process's lease.
        answer: the newest answer of the store.
    """

    def __init__(
        self,
        budget: Budget,
        lease: BudgetLease,
        refusal: Callable[[LeaseAnswer], BudgetReached] | None = None,
    ) -> None:
        super().__init__(budget)
        self.is_open, self._refusal = False, refusal
        self.lease, self.answer = lease, lease.first
        self._before = lease.first.spent
        self._flying = self._peak = self._looks = 0
        self._dry = False
        self._refused: tuple[Amount, float] = _NOTHING, 0.0
        self._changed, self._pause = monotonic(), SOON
        self._asking: asyncio.Task[None] | None = None
        self._again: asyncio.TimerHandle | None = None
        self._ticks: asyncio.TimerHandle | None = None
        self.allowed = AllowedAmounts.of(budget, lease.first.granted or _NOTHING)

    async def check(self) -> None:
        """Raise the error for a call if the whole budget is spent; the store is asked then."""
        left = self._find_rest()
        caps = self.budget.calls, self.budget.tokens, self.budget.cost
        if self._held_calls or all(
            cap is None or some > 0 for cap, some in zip(caps, left, strict=True)
        ):
            return
        least = Amount(1, 1, 1e-9).add(left, -1)
        self._note(await self.lease.ask(least, least, self._flying), least, idle=True)
        if self._dry:
            raise self._refuse("all")

    def close(self) -> None:
        """Give back what was not spent. No call may follow."""
        for handle in (self._again, self._ticks, self._asking):
            if handle is not None:
                handle.cancel()
        self.lease.end()

    @property
    def lost(self) -> int:
        """The number of calls that count as spent because their process died."""
        return self.answer.lost

    def amount_spent(self) -> Amount:
        """Return the amount that all processes have spent, as far as this one knows."""
        return super().amount_spent().add(self._before)

    def _refuse(self, cap: str) -> BudgetReached:
        return super()._refuse(cap) if self._refusal is None else self._refusal(self.answer)

    def _take(self, need: CallNeed, sign: int) -> None:
        super()._take(need, sign)
        self._peak = max(self._peak, self._held_calls)

    def _find_exceeded(self, tokens: int, cost: float) -> str | None:
        if self._held_calls >= self._flying:
            return "calls in flight"
        return super()._find_exceeded(tokens, cost)

    def _is_alone(self) -> bool:
        return not self._held_calls and not self.answer.elsewhere

    def _waits(self, need: CallNeed) -> bool:
        """Return whether a call that does not fit now may still go; ask the store for more."""
        if self._asking is not None or self._again is not None:
            return True
        if self._held_calls < self._flying:
            if self._dry and self._held_calls:
                return True
            refused, until = self._refused
            if (
                not self._held_calls
                and monotonic() < until
                and refused.is_within(self._smallest(need))
            ):
                return False
        self._asking = asyncio.get_running_loop().create_task(self._ask())
        return True

    async def _ask(self) -> None:
        """Ask for the needs of the first waiting call, and to have all waiting calls in flight."""
        if self._ticks is None:
            self._ticks = asyncio.get_running_loop().call_later(TICK, self._tick)
        try:
            await asyncio.sleep(0)  # so that calls of the same time are counted
            need = next((size() for _, _, size, place in sorted(self._queue) if not place.done()))
            held, left = self._held_calls, self._find_rest()
            alone = None if held else self._smallest(need).add(left, -1)
            more = Amount(1, need.tokens, need.cost).add(left, -1)
            flying = max(self._flying, held + len(self._queue))
            answer = await self.lease.ask(more, alone, flying)
        except StopIteration:  # the waiting calls were cancelled
            self._asking = None
            return
        except Exception as error:  # noqa: BLE001 -- the waiting calls get it
            self._asking = None
            self._turn_away(error)
            return
        self._asking, self._flying = None, flying
        self._note(answer, self._smallest(need), idle=not held)
        self._serve()

    def _note(self, answer: LeaseAnswer, least: Amount, *, idle: bool) -> None:
        """Use an answer of the store."""
        now = monotonic()
        if answer.spent != self.answer.spent:
            self._changed, self._pause = now, SOON
        self.answer = answer
        self._before = answer.spent.add(super().amount_spent(), -1).without_negatives()
        self._dry = answer.granted is None and not answer.elsewhere
        if answer.granted is not None:
            self._changed, self._pause = now, SOON
            self._allow(answer.granted)
        elif not self._held_calls:
            stalled = now - self._changed > PATIENCE
            if stalled if answer.elsewhere else idle:
                self._refused = least, now + FRESH
        if answer.granted is None and answer.elsewhere and now >= self._refused[1]:
            self._again = asyncio.get_running_loop().call_later(self._pause, self._retry)
            self._pause = min(LATER, 1.5 * self._pause)

    def _retry(self) -> None:
        self._again = None
        self._serve()

    def _tick(self) -> None:
        """Give back what is not needed if another process wants more."""
        self._ticks = asyncio.get_running_loop().call_later(TICK, self._tick)
        if self._asking is not None:
            return
        self._looks += 1
        flying, surplus = self._flying, _NOTHING
        if self._looks % LOOKS == 0:
            if flying > 2 * self._peak and not self._queue:
                flying = self._peak + self._peak // 2
            self._peak = self._held_calls
        if self.lease.is_wanted_elsewhere():
            left = self._find_rest().without_negatives()
            surplus = left if self._queue or left.calls < LOOKS else left.add(left, -1 / LOOKS)
        if flying != self._flying or max(surplus) > 0:
            self._flying = flying
            self._allow(_NOTHING.add(surplus, -1))
            self.lease.give_back(surplus, flying)

    def _least(self, need: CallNeed) -> tuple[int, float]:
        """Return the tokens and US dollars that must be left for a call that goes alone.

        They are at least the means of the replies so far.
        """
        spent = self.answer.spent
        if not spent.calls:
            return super()._least(need)
        return (
            max(need.least_tokens, spent.tokens // spent.calls),
            max(need.least_cost, spent.cost / spent.calls),
        )

    def _smallest(self, need: CallNeed) -> Amount:
        """Return the least amounts of a call, for a request to the store."""
        return Amount(1, *self._least(need))

    def _find_rest(self) -> Amount:
        """Return what can be set aside for further calls; 0 for what has no cap."""
        spent = (
            self.calls + self._held_calls,
            self.tokens + self._held_tokens,
            self.cost + self._held_cost,
        )
        rest = [most - took for most, took in zip(self.allowed, spent, strict=True)]
        calls, tokens, cost = (0 if left == inf else left for left in rest)
        return Amount(int(calls), int(tokens), cost)

    def _allow(self, more: Amount) -> None:
        """Add to the amount that this process may spend."""
        self.allowed = AllowedAmounts(*map(add, self.allowed, more))
