"""What a run did not have to pay for: replies that were in the ledger already."""

from collections.abc import Iterable

from moot.core.results import ArmResult, Measure, Saved
from moot.core.stored import Spent


def saved(arms: Iterable[ArmResult], spent: Spent) -> Saved:
    """What the debates of a run used, less what the run has paid for.

    A reply that several debates share is paid once and used several times; one that another run
    has paid for is used alone. From sums alone, so that it takes no time to speak of. While a run
    is under way, replies of debates not yet recorded count as paid and not yet as used: what was
    saved is then no less than is said.

    Args:
        arms: all of the run.
        spent: what the store knows the run to have paid, ``Store.spent``.
    """
    arms = tuple(arms)
    calls = sum(arm.calls for arm in arms)
    cost = _whole((arm.cost, arm.n) for arm in arms)
    tokens = _whole(
        (part, arm.n) for arm in arms for part in (arm.prompt_tokens, arm.completion_tokens)
    )
    if calls <= spent.calls:  # nothing saved: what remains of sums in another order is no money
        cost, tokens = cost and 0.0, tokens and 0.0
    return Saved(
        calls=calls,
        paid=spent.calls,
        cost=None if cost is None or spent.unknown_cost_calls else max(0.0, cost - spent.cost),
        tokens=None if tokens is None else max(0, round(tokens) - spent.tokens),
    )


def _whole(measures: Iterable[tuple[Measure, int]]) -> float | None:
    """The sum over all debates; None where it is unknown for any: a part would pass for it."""
    total = 0.0
    for measure, debates in measures:
        if measure.known < debates:
            return None
        total += measure.total or 0.0
    return total
