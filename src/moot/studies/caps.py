"""The caps of a run before it begins: what they leave, and what may be spent beyond them."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any

import msgspec

from moot.core.calls import Reply
from moot.core.errors import UnknownName
from moot.core.stored import Spent
from moot.runtime.budget import BudgetGuard, Cap
from moot.runtime.sizes import UNKNOWN_REPLY, Quantile
from moot.studies.lab import Lab
from moot.studies.plan import Plan, prices
from moot.studies.run import models_of


class Foreseen(msgspec.Struct, frozen=True, kw_only=True):
    """The caps of a run as they stand before it begins.

    Attributes:
        caps: each cap, with the most that replies in flight may take beyond it.
        replies: how many replies of its models without ``max_tokens`` the store knows.
        usual: tokens that all but the longest of these have; None without any.
        first_exceeds: whether the first reply may already exceed a cap.
    """

    caps: tuple[Cap, ...]
    replies: int
    usual: int | None
    first_exceeds: bool


def foreseen(plan: Plan, lab: Lab) -> Foreseen:
    """The caps of a run before it begins; nothing is asked and nothing is written."""
    try:
        spent = lab.store.spent(lab.store.run_named(plan.key).id)
    except UnknownName:
        spent = Spent()
    purse = BudgetGuard(plan.study.budget, calls=spent.calls, tokens=spent.tokens, cost=spent.cost)
    models = [lab.model(name) for name in models_of(plan.study)]
    seen = _seen(lab, [model.name for model in models]) if purse.sized else Quantile()
    limits = [limit for arm in plan.study.arms for limit in reply_limits(arm.settings)]
    longest = _longest(limits, [model.limits.context for model in models])
    usual = max([limit or 0 for limit in limits] + [ceil(seen.value)])
    width = plan.study.at_once or sum(model.limits.concurrency for model in models)
    stated = prices(lab, plan.study)
    priced = [stated.get(model.name, model.cost) for model in models]

    def worth(cap: Cap, tokens: int) -> float:
        """What a reply of so many tokens takes of a cap."""
        if cap.of != "cost":
            return tokens if cap.of == "tokens" else 0.0
        reply = Reply(text="", prompt_tokens=0, completion_tokens=tokens)
        return max((price(reply) or 0.0 for price in priced), default=0.0)

    found, first_exceeds = [], False
    for cap in purse.caps():
        left, one = cap.most - cap.spent, worth(cap, usual)
        flight = max(1, min(width, int(left // one))) if one else width
        more = None if longest is None else flight * max(0.0, worth(cap, longest) - one)
        more = 0.0 if cap.of == "calls" else more
        found.append(msgspec.structs.replace(cap, in_flight=flight, more=more))
        first_exceeds |= worth(cap, longest or UNKNOWN_REPLY) > left
    return Foreseen(
        caps=tuple(found),
        replies=seen.count,
        usual=ceil(seen.value) if seen.count else None,
        first_exceeds=first_exceeds and None in limits,
    )


def _seen(lab: Lab, models: Sequence[str]) -> Quantile:
    """The lengths of the replies without ``max_tokens`` that the store knows of these models."""
    seen = Quantile()
    for past in lab.store.past_replies(models):
        if past.sampling.max_tokens is None and past.completion_tokens is not None:
            seen.add(past.completion_tokens)
    return seen


def reply_limits(settings: Mapping[str, Any]) -> Iterable[int | None]:
    """The ``max_tokens`` of the agents of a debate with these settings; None where one has none."""
    yield settings.get("max_tokens")
    for entry in settings.get("cast", ()):
        if "max_tokens" in entry:
            yield entry["max_tokens"]
    for node in settings.get("nodes", ()):
        yield from reply_limits({"max_tokens": settings.get("max_tokens"), **node})


def _longest(limits: list[int | None], contexts: list[int | None]) -> int | None:
    """The longest reply there can be; None where nothing limits one."""
    if None not in limits:
        return max(limit for limit in limits if limit is not None)
    if None in contexts:
        return None
    return max(context for context in contexts if context is not None)
