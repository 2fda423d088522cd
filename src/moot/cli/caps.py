"""What a cap on tokens or money means where replies have no limit of their own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from moot.cli.console import say

if TYPE_CHECKING:
    from moot.runtime.budget import Budget


def tell_unlimited(budget: "Budget", settings: Mapping[str, Any]) -> None:
    """Say on standard error that replies in flight can exceed a cap, where they can."""
    if budget.tokens is None and budget.cost is None:
        return
    from moot.reports.cap_text import unlimited
    from moot.studies.forecast import reply_limits

    if None in set(reply_limits(settings)):
        say(unlimited(budget), err=True)
