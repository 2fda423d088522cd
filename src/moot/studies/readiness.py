"""Whether models can be called at all: their keys are set and their addresses answer."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from moot.core.calls import Reply
from moot.core.errors import InputError
from moot.core.ports import Model
from moot.models.prices import Price


async def find_problems(models: Iterable[Model]) -> list[str]:
    """Return why models can answer no call: one text for each cause, equal ones once.

    A model that has a method ``check`` is asked: ``async def check(self) -> None`` raises
    ``InputError`` where no call can succeed, and must pay for nothing. All are asked at once.
    Models without ``check`` count as able. Any other error of a check is raised.
    """
    checks = [check() for each in models if (check := getattr(each, "check", None)) is not None]
    found = await asyncio.gather(*checks, return_exceptions=True)
    for error in found:
        if isinstance(error, BaseException) and not isinstance(error, InputError):
            raise error
    return list(dict.fromkeys(str(error) for error in found if error is not None))


async def require_ready(
    models: Sequence[Model], prices: Mapping[str, Price], *, capped: bool = False
) -> None:
    """Check models before the first call.

    Args:
        models: who may be asked.
        prices: those that are stated, by the names under which calls go.
        capped: whether there is a cap on cost, for which every model needs a price.

    Raises:
        InputError: naming every problem there is.
    """
    found = await find_problems(models)
    if capped:
        found += [
            explain_missing_price(each.name) for each in models if not _is_priced(each, prices)
        ]
    if found:
        raise InputError("\n".join([*found, "nothing was called"]))


def explain_missing_price(name: str) -> str:
    """Return the error text where a cap on cost meets a model without a price."""
    return (
        f"a cap on cost needs a price, and that of {name} is unknown: state it with --price, "
        "or under [prices] in a study, or cap calls or tokens"
    )


def _is_priced(model: Model, prices: Mapping[str, Price]) -> bool:
    reply = Reply(text="", prompt_tokens=1, completion_tokens=1)
    return prices.get(model.name, model.cost)(reply) is not None
