"""Facts about a model before its first call: address, key, limits, price."""

import os
from typing import Any

from moot.core.calls import Reply
from moot.core.ports import Model
from moot.models.effort import WAYS
from moot.models.http import HttpModel

_TOKENS = 1000
"""Tokens of a short call: some models have another price for long prompts."""


def about_model(model: Model) -> dict[str, Any]:
    """Return facts about a model, by name, without calling it.

    There is no key and no header's value among them: of a variable it says whether it is set.
    """
    known: dict[str, Any] = {"name": model.name}
    if isinstance(model, HttpModel):
        known |= _of_endpoint(model)
    else:
        kind = "simulated: no language model" if model.simulated else "in this process"
        known |= {"address": f"none: {kind}", "key": "none needed"}
    limits = model.limits
    known["limits"] = {
        "concurrency": limits.concurrency,
        "requests_per_minute": limits.requests_per_minute,
        "tokens_per_minute": limits.tokens_per_minute,
        "context": limits.context,
    }
    known["price"] = _price(model)
    return known


def _price(model: Model) -> list[float] | None:
    """Return US dollars for a million tokens read and written in short calls; None for unknown."""
    read = model.cost(Reply(text="", prompt_tokens=_TOKENS, completion_tokens=0))
    written = model.cost(Reply(text="", prompt_tokens=0, completion_tokens=_TOKENS))
    if read is None or written is None:
        return None
    return [round(dollars * 1_000_000 / _TOKENS, 9) for dollars in (read, written)]


def _of_endpoint(model: HttpModel) -> dict[str, Any]:
    variable = model.address.variable
    key = model.key_variable
    facts: dict[str, Any] = {
        "address": model.address.base.partition("?")[0] + model.form.path,
        "decided_by": variable or "its name",
        "model": model.model,
        "key": "none: a header carries it" if key is None else key,
        "key_is_set": None if key is None else bool(os.environ.get(key, "").strip()),
        "key_needed": model.needs_key,
    }
    if model.extra.headers:
        facts["headers"] = sorted(model.extra.headers)
    if model.extra.body:
        facts["extra_body"] = sorted(model.extra.body)
    facts["effort"] = WAYS[model.provider.effort]
    return facts


def describe_facts(known: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the facts of ``about_model`` as lines for people: a title and a text."""
    lines = [("name", known["name"]), ("address", known["address"])]
    if "decided_by" in known:
        lines.append(("decided by", known["decided_by"]))
        lines.append(("there called", known["model"]))
    key = known["key"]
    if known.get("key_is_set") is not None:
        state = "set" if known["key_is_set"] else "not set"
        key += f" ({state}{'' if known['key_needed'] else ', not needed'})"
    lines.append(("key", key))
    for name, title in (("headers", "headers"), ("extra_body", "extra_body")):
        if name in known:
            lines.append((title, f"{', '.join(known[name])} (values are not shown)"))
    limits = [
        f"{value:,g} {name.replace('_', ' ')}" if name != "concurrency" else f"{value} at once"
        for name, value in known["limits"].items()
        if value is not None
    ]
    lines.append(("limits", ", ".join(limits)))
    price = known["price"]
    text = "unknown: state it under [prices], or with --price"
    if price is not None:
        text = f"${price[0]:g} and ${price[1]:g} for a million tokens read and written"
    lines.append(("price", text))
    if "effort" in known:
        lines.append(("effort is sent as", known["effort"]))
    return lines
