"""What a client may spend within an hour, counted from what its debates really took."""

from collections import deque
from collections.abc import Callable
from time import monotonic

from moot.core.errors import BudgetReached
from moot.runtime.budget import Budget, Need, Purse, Size, Used
from moot.runtime.limiter import Urgency

HOUR = 3600.0
PARTS = 60
"""What was spent is remembered by the minute: so many sums, however many calls there were."""


class HourReached(BudgetReached):
    """A client has spent what it may within an hour.

    Attributes:
        retry_after: seconds until it may spend again.
    """

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Allowance(Purse):
    """The purse of one client, which fills up again as the hour goes on.

    Args:
        budget: the most within an hour.
        client: its name, for error texts.
        clock: seconds.
    """

    def __init__(self, budget: Budget, client: str, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(budget)
        self._client, self._clock = client, clock
        self._spent: deque[tuple[int, int, int, float]] = deque()

    def check(self) -> None:
        """Raises ``HourReached`` where nothing is left at all."""
        self._forget()
        cap = self.budget
        pairs = ((cap.calls, self.calls), (cap.tokens, self.tokens), (cap.cost, self.cost))
        if any(most is not None and spent >= most for most, spent in pairs):
            raise self._reached()

    async def hold(self, size: Size, urgency: Urgency = (0, 0)) -> Need:
        """Set aside what a call may take. Raises ``HourReached`` when too little is left."""
        self._forget()
        try:
            return await super().hold(size, urgency)
        except BudgetReached:
            raise self._reached() from None

    def settle(self, need: Need, used: Used | None) -> None:
        """Give back what was set aside and book what the call took; None when it got no reply."""
        super().settle(need, used)
        if used is not None:
            self._book(1, used.tokens, used.cost)

    def _book(self, calls: int, tokens: int, cost: float) -> None:
        part = self._part()
        if self._spent and self._spent[-1][0] == part:
            _, calls_before, tokens_before, cost_before = self._spent.pop()
            calls, tokens = calls + calls_before, tokens + tokens_before
            cost += cost_before
        self._spent.append((part, calls, tokens, cost))

    def _part(self) -> int:
        return int(self._clock() * PARTS / HOUR)

    def _forget(self) -> None:
        """Leave out what was spent more than an hour ago."""
        now, old = self._part(), len(self._spent)
        while self._spent and self._spent[0][0] < now - PARTS:
            self._spent.popleft()
        if len(self._spent) < old:
            self.calls = sum(entry[1] for entry in self._spent)
            self.tokens = sum(entry[2] for entry in self._spent)
            self.cost = sum(entry[3] for entry in self._spent)

    def _reached(self) -> HourReached:
        oldest = self._spent[0][0] if self._spent else self._part()
        wait = max(1.0, (oldest + PARTS + 1) * HOUR / PARTS - self._clock())
        cap = self.budget
        caps = [f"{cap.calls} calls"] if cap.calls is not None else []
        caps += [f"{cap.tokens} tokens"] if cap.tokens is not None else []
        caps += [f"${cap.cost:g}"] if cap.cost is not None else []
        return HourReached(
            f"client {self._client}: what it may spend within an hour, {' and '.join(caps)}, is "
            f"spent; some of it is free again in {wait:.0f} s",
            wait,
        )


class Purses(Purse):
    """The purse of one debate of a client: what is taken from it is taken from the hour's, too.

    Args:
        budget: the most this debate may spend.
        allowance: its client's.
    """

    def __init__(self, budget: Budget, allowance: Allowance) -> None:
        super().__init__(budget)
        self._allowance = allowance

    @property
    def sized(self) -> bool:
        """Whether it matters to either how large a call is."""
        return super().sized or self._allowance.sized

    @property
    def priced(self) -> bool:
        """Whether it matters to either what a call costs."""
        return super().priced or self._allowance.priced

    async def hold(self, size: Size, urgency: Urgency = (0, 0)) -> Need:
        """Set aside what a call may take. Raises ``BudgetReached`` when too little is left."""
        need = await super().hold(size, urgency)
        try:
            return await self._allowance.hold(lambda: need, urgency)
        except BaseException:
            super().settle(need, None)
            raise

    def settle(self, need: Need, used: Used | None) -> None:
        """Give back what was set aside in both and book what the call took."""
        super().settle(need, used)
        self._allowance.settle(need, used)


def shared(budget: Budget, among: int) -> Budget:
    """The part of a budget that each of so many debates may spend."""
    return Budget(
        cost=None if budget.cost is None else budget.cost / among,
        tokens=None if budget.tokens is None else budget.tokens // among,
        calls=None if budget.calls is None else budget.calls // among,
    )


def lesser(one: Budget, other: Budget) -> Budget:
    """The budget that keeps to both: of each cap the lower one."""
    caps = {}
    for name in Budget.__struct_fields__:
        both = [cap for each in (one, other) if (cap := getattr(each, name)) is not None]
        caps[name] = min(both, default=None)
    return Budget(**caps)
