"""What a client may spend within an hour, counted in the store from the costs of its debates.

The hour slides: each payment counts for an hour, to the minute. It outlives the server, and
several servers on one store share it.
"""

from moot import Budget, BudgetReached

HOUR = 3600.0


class HourReached(BudgetReached):
    """A client has spent its limit of an hour.

    Attributes:
        retry_after: seconds until it may spend again.
    """

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


def refuse_for_hour(client: str, cap: Budget, wait: float) -> HourReached:
    """Return the error for a client whose hour does not suffice.

    Args:
        client: its name.
        cap: the most within an hour.
        wait: seconds until some of it is free again.
    """
    wait = max(1.0, wait)
    caps = [f"{cap.calls} calls"] if cap.calls is not None else []
    caps += [f"{cap.tokens} tokens"] if cap.tokens is not None else []
    caps += [f"${cap.cost:g}"] if cap.cost is not None else []
    return HourReached(
        f"client {client}: its limit for an hour, {' and '.join(caps)}, does not suffice "
        f"for this; some of it is free again in {wait:.0f} s",
        wait,
    )


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
