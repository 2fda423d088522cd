"""What a client may spend within an hour, counted in the store from the costs of its debates.

The hour slides: each payment counts for an hour, to the minute. It outlives the server, and
several servers on one store share it.
"""

from moot import Budget, BudgetReached
from moot.core.ports import BudgetLease
from moot.core.stored import LeaseAnswer
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


def make_client_guard(budget: Budget, lease: BudgetLease, client: str) -> LeasedGuard:
    """Return the budget guard of one client: its budget is that of a sliding hour.

    Args:
        budget: the most within an hour.
        lease: this server's share of the budget.
        client: its name, for the texts of ``HourReached``.
    """
    caps = [f"{budget.calls} calls"] if budget.calls is not None else []
    caps += [f"{budget.tokens} tokens"] if budget.tokens is not None else []
    caps += [f"${budget.cost:g}"] if budget.cost is not None else []

    def refuse(answer: LeaseAnswer) -> HourReached:
        wait = max(1.0, answer.wait)
        return HourReached(
            f"client {client}: its limit for an hour, {' and '.join(caps)}, does not suffice "
            f"for this; some of it is free again in {wait:.0f} s",
            wait,
        )

    return LeasedGuard(budget, lease, refuse)


class DebateBudgetGuard(BudgetGuard):
    """The budget guard of one debate: it books in the budget of its client's hour, too.

    Args:
        budget: the most this debate may spend.
        allowance: of its client; a guard without caps if the client has no limit.
    """

    def __init__(self, budget: Budget, allowance: BudgetGuard) -> None:
        super().__init__(budget)
        self.is_open = self.is_open and allowance.is_open
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
