"""What a client may spend within an hour, counted in the store from the costs of its debates.

The hour slides: each payment counts for an hour, to the minute. It outlives the server, and
several servers on one store share it.
"""

from moot import Budget, BudgetReached
from moot.core.ports import BudgetLease
from moot.core.stored import Amount
from moot.extend.calls import BudgetGuard, LeasedGuard, Urgency
from moot.runtime.budget import CallAmounts, CallNeed, EstimateNeed

HOUR = 3600.0


class HourReached(BudgetReached):
    """A client has spent its limit of an hour.

    Attributes:
        retry_after: seconds until it may spend again.
    """

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ClientBudgetGuard(LeasedGuard):
    """The budget guard of one client: its budget is that of a sliding hour.

    Args:
        budget: the most within an hour.
        lease: this server's share of the budget.
        client: its name, for error texts.
    """

    def __init__(self, budget: Budget, lease: BudgetLease, client: str) -> None:
        super().__init__(budget, lease)
        self._client = client

    async def check(self) -> None:
        """Raise ``HourReached`` if the whole budget is spent."""
        left = self._find_rest()
        caps = self.budget.calls, self.budget.tokens, self.budget.cost
        if self._held_calls or all(
            cap is None or some > 0 for cap, some in zip(caps, left, strict=True)
        ):
            return
        least = Amount(1, 1, 1e-9).add(left, -1)
        self._note(await self.lease.ask(least, least, self._flying), least, idle=True)
        if self._dry:
            raise self._refuse()

    async def reserve(self, size: EstimateNeed, urgency: Urgency = (0, 0)) -> CallNeed:
        """Reserve what a call may take. Raises ``HourReached`` if too little is left."""
        try:
            return await super().reserve(size, urgency)
        except BudgetReached:
            raise self._refuse() from None

    def _refuse(self) -> HourReached:
        wait = max(1.0, self.answer.wait)
        cap = self.budget
        caps = [f"{cap.calls} calls"] if cap.calls is not None else []
        caps += [f"{cap.tokens} tokens"] if cap.tokens is not None else []
        caps += [f"${cap.cost:g}"] if cap.cost is not None else []
        return HourReached(
            f"client {self._client}: its limit for an hour, {' and '.join(caps)}, does not suffice "
            f"for this; some of it is free again in {wait:.0f} s",
            wait,
        )


class DebateBudgetGuard(BudgetGuard):
    """The budget guard of one debate: it books in the budget of its client's hour, too.

    Args:
        budget: the most this debate may spend.
        allowance: of its client; a guard without caps if the client has no limit.
    """

    def __init__(self, budget: Budget, allowance: BudgetGuard) -> None:
        super().__init__(budget)
        self._allowance = allowance

    @property
    def counts_tokens(self) -> bool:
        """Whether either of the two counts tokens or money."""
        return super().counts_tokens or self._allowance.counts_tokens

    @property
    def counts_cost(self) -> bool:
        """Whether either of the two counts money."""
        return super().counts_cost or self._allowance.counts_cost

    async def reserve(self, size: EstimateNeed, urgency: Urgency = (0, 0)) -> CallNeed:
        """Reserve what a call may take. Raises ``BudgetReached`` if too little is left."""
        need = await super().reserve(size, urgency)
        try:
            return await self._allowance.reserve(lambda: need, urgency)
        except BaseException:
            super().settle(need, None)
            raise

    def settle(self, need: CallNeed, used: CallAmounts | None) -> None:
        """Release the reservation in both, and book what the call took."""
        super().settle(need, used)
        self._allowance.settle(need, used)


def divide(budget: Budget, among: int) -> Budget:
    """Return the share of each of so many debates in a budget."""
    return Budget(
        cost=None if budget.cost is None else budget.cost / among,
        tokens=None if budget.tokens is None else budget.tokens // among,
        calls=None if budget.calls is None else budget.calls // among,
    )


def lower_of(one: Budget, other: Budget) -> Budget:
    """Return the budget with the lower one of each cap."""
    caps = {}
    for name in Budget.__struct_fields__:
        both = [cap for each in (one, other) if (cap := getattr(each, name)) is not None]
        caps[name] = min(both, default=None)
    return Budget(**caps)
