"""What is known of a run before its first call: what it takes, what is not ready, its caps."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

import msgspec

from moot.core.calls import Reply
from moot.core.errors import UnknownName
from moot.core.stored import Spent
from moot.runtime.budget import BudgetGuard, CapState
from moot.runtime.sizes import UNKNOWN_REPLY, Quantile
from moot.studies.estimate import Estimate
from moot.studies.lab import Lab, find_problems, open_lab
from moot.studies.plan import Plan
from moot.studies.rehearsal import estimate_run


class Caps(msgspec.Struct, frozen=True, kw_only=True):
    """The caps of a run as they stand before it begins.

    Attributes:
        caps: each cap, with the most that replies in flight may take beyond it.
        replies: how many replies of its models without ``max_tokens`` the store knows.
        usual: tokens that all but the longest of these have; None without any.
        first_exceeds: whether the first reply may already exceed a cap.
    """

    caps: tuple[CapState, ...]
    replies: int
    usual: int | None
    first_exceeds: bool


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it stands before its first call.

    Attributes:
        run: the key that it has, or would have.
        estimate: what it takes, expected and at most.
        not_ready: what keeps models from answering, one sentence each; None where they were not
            asked.
        caps: its caps.
    """

    run: str
    estimate: Estimate
    not_ready: list[str] | None
    caps: Caps


async def foresee(plan: Plan, lab: Lab, *, check: bool = True) -> Forecast:
    """Return what is known of a run before its first call; no model is asked for a reply.

    Args:
        plan: what is to be run.
        lab: where its models and its store are.
        check: whether each model is asked whether it is ready.

    Raises:
        InputError: there is no such model, or a price is of none that speaks.
        StoreError: the store cannot be read.
    """
    not_ready = await find_problems(map(lab.model, plan.models)) if check else None
    return Forecast(
        run=plan.key,
        estimate=await estimate_run(plan, lab),
        not_ready=not_ready,
        caps=forecast_caps(plan, lab),
    )


async def foresee_question(plan: Plan, store: str | Path | None) -> Forecast:
    """Return what is known of a debate before its first call; see ``foresee``.

    Args:
        plan: of the debate.
        store: the ledger's folder; ``MOOT_STORE``, else ``.moot``, when not given.
    """
    async with open_lab(store) as lab:
        return await foresee(plan, lab)


def forecast_caps(plan: Plan, lab: Lab) -> Caps:
    """Return the caps of a run before it begins; nothing is asked and nothing is written."""
    try:
        spent = lab.store.sum_spent(lab.store.find_run(plan.key).id)
    except UnknownName:
        spent = Spent()
    guard = BudgetGuard(plan.study.budget, calls=spent.calls, tokens=spent.tokens, cost=spent.cost)
    models = [lab.model(name) for name in plan.models]
    seen = (
        _past_lengths(lab, [model.name for model in models]) if guard.counts_tokens else Quantile()
    )
    limits = [limit for ready in plan.arms for limit in ready.settings.reply_limits]
    longest = _longest_reply(limits, [model.limits.context for model in models])
    usual = max([limit or 0 for limit in limits] + [ceil(seen.value)])
    width = plan.debates_at_once(lab)
    stated = plan.prices(lab)
    priced = [stated.get(model.name, model.cost) for model in models]

    def worth(cap: CapState, tokens: int) -> float:
        """Return the tokens or US dollars of a cap that a reply of so many tokens takes."""
        if cap.of != "cost":
            return tokens if cap.of == "tokens" else 0.0
        reply = Reply(text="", prompt_tokens=0, completion_tokens=tokens)
        return max((price(reply) or 0.0 for price in priced), default=0.0)

    found, first_exceeds = [], False
    for cap in guard.caps():
        left, one = cap.most - cap.spent, worth(cap, usual)
        flight = max(1, min(width, int(left // one))) if one else width
        more = None if longest is None else flight * max(0.0, worth(cap, longest) - one)
        more = 0.0 if cap.of == "calls" else more
        found.append(msgspec.structs.replace(cap, in_flight=flight, more=more))
        first_exceeds |= worth(cap, longest or UNKNOWN_REPLY) > left
    return Caps(
        caps=tuple(found),
        replies=seen.count,
        usual=ceil(seen.value) if seen.count else None,
        first_exceeds=first_exceeds and None in limits,
    )


def _past_lengths(lab: Lab, models: Sequence[str]) -> Quantile:
    """Return the lengths of these models' replies without ``max_tokens`` in the store."""
    seen = Quantile()
    for past in lab.store.past_replies(models):
        if past.sampling.max_tokens is None and past.completion_tokens is not None:
            seen.add(past.completion_tokens)
    return seen


def _longest_reply(limits: list[int | None], contexts: list[int | None]) -> int | None:
    """Return the longest reply there can be; None where nothing limits one."""
    if None not in limits:
        return max(limit for limit in limits if limit is not None)
    if None in contexts:
        return None
    return max(context for context in contexts if context is not None)
