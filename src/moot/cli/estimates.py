"""What a run will take: told, and agreed to, before it begins."""

import sys
from typing import TYPE_CHECKING

from moot.cli.console import confirmed, drive
from moot.core.errors import InputError

if TYPE_CHECKING:
    from moot.studies.plan import Estimate
    from moot.studies.study import Study


def in_words(estimate: "Estimate") -> str:
    """What a run will take, on one line."""
    from moot.reports.plain import dollars, many

    calls = many(estimate.calls, "call")
    if estimate.fewest != estimate.calls:
        calls = f"{estimate.fewest:,} to {calls}"
    held, tokens = many(estimate.debates, "debate"), many(estimate.tokens, "token")
    return f"{held}, {calls}, about {tokens}, " + (
        "cost unknown" if estimate.cost is None else f"at most about {dollars(estimate.cost)}"
    )


def too_dear(study: "Study", estimate: "Estimate") -> str:
    """Why it does not start unasked; empty where it costs no more than the study's threshold."""
    if estimate.cost is None or estimate.cost <= study.confirm_above:
        return ""
    return (
        f"the estimate of ${estimate.cost:.2f} is above {study.confirm_above:g}: "
        "give --yes to start all the same"
    )


def confirm(study: "Study", estimate: "Estimate") -> None:
    """Ask before spending more than the study's threshold."""
    why = too_dear(study, estimate)
    if not why:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{why}; nothing was called")
    if not drive(confirmed(f"Start at an estimated ${estimate.cost:.2f}?")):
        raise InputError("not started; nothing was called")
