"""What a command says on standard error before it begins: models it keeps, caps it may exceed."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from moot.cli.console import say
from moot.core.display_text import format_things, make_visible
from moot.core.stored import Arm
from moot.debate.agent_config import models_in
from moot.models.model_names import show_name
from moot.reports.cap_text import warn_of_unlimited
from moot.runtime.budget import Budget
from moot.studies.forecast import reply_limits

NAMED = 3
"""Arms that are named of each model; of further ones only the number."""


def find_kept_models(arms: Sequence[Arm], model: str | None) -> dict[str, list[str]]:
    """Return the models that ``--model`` does not replace, each with its arms."""
    kept: dict[str, list[str]] = {}
    for arm in arms if model is not None else ():
        for name in models_in(arm.settings):
            if name != model:
                kept.setdefault(name, []).append(arm.name)
    return kept


def report_kept_models(arms: Sequence[Arm], model: str | None) -> dict[str, list[str]]:
    """Say on standard error which models ``--model`` does not replace; return them."""
    kept = find_kept_models(arms, model)
    if not kept or model is None:
        return kept
    partly = {arm for named in kept.values() for arm in named}
    heard = sum(model in models_in(arm.settings) for arm in arms)
    told = f"--model {show_name(model)} speaks in {heard} of {format_things(len(arms), 'arm')}"
    if not heard:
        told = f"--model {show_name(model)} replaces nothing"
    elif heard + len(partly) > len(arms):
        told += ", in some of them beside others"
    sys.stderr.write(make_visible(f"{told}: these models are named in the study and stay:") + "\n")
    for name, named in kept.items():
        more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
        sys.stderr.write(
            make_visible(f"  {show_name(name)}: {', '.join(named[:NAMED])}{more}") + "\n"
        )
    sys.stderr.write(
        "  to replace them, extend the study and set model under [settings], or in these arms\n"
    )
    return kept


def warn_unlimited_replies(budget: Budget, settings: Mapping[str, Any]) -> None:
    """Say on standard error that replies in flight can exceed a cap, where they can."""
    if budget.tokens is None and budget.cost is None:
        return

    if None in set(reply_limits(settings)):
        say(warn_of_unlimited(budget), err=True)
