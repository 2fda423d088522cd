"""The price of replies: given by the user, or taken from the price package."""

from collections.abc import Callable

import msgspec

from moot.core.calls import Reply
from moot.core.errors import InputError

Pricer = Callable[[Reply], float | None]
"""A function that returns the cost of a reply in US dollars; None where it is unknown."""


class Price(msgspec.Struct, frozen=True):
    """A model's price in US dollars for a million tokens.

    Attributes:
        input: for prompt tokens.
        output: for completion tokens.
        cached: for prompt tokens served from the endpoint's cache; None: as ``input``.
        batch: the share of these prices that a call in a batch costs, 0 to 1; None: the share that
            the provider states.
    """

    input: float
    output: float
    cached: float | None = None
    batch: float | None = None

    def __post_init__(self) -> None:
        if self.batch is not None and not 0 <= self.batch <= 1:
            message = f"price batch = {self.batch!r}: give a share of the price, 0 to 1, e.g. 0.5"
            raise InputError(message)
        for name in ("input", "output", "cached"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < float("inf"):
                message = (
                    f"price {name} = {value!r}: give US dollars for a million tokens, 0 or more"
                )
                raise InputError(message)

    def __call__(self, reply: Reply) -> float | None:
        """Return the cost of a reply in US dollars; None where its tokens are unknown."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        cached = self.input if self.cached is None else self.cached
        fresh = reply.prompt_tokens - reply.cached_tokens
        dollars = fresh * self.input + reply.cached_tokens * cached
        return _share(reply) * (dollars + reply.completion_tokens * self.output) / 1e6


def find_price(provider: str, model: str) -> Pricer | None:
    """Return the price of a provider's model, from the price package; None for an unknown model.

    Args:
        provider: the price package's name for the provider.
        model: the provider's name for the model.
    """
    from genai_prices import Usage, calc_price
    from genai_prices.types import ModelPrice

    try:
        found = calc_price(Usage(), model, provider_id=provider)
    except LookupError:
        return None
    rates = found.model.prices
    if isinstance(rates, ModelPrice):
        flat = _flat(rates)
        if flat is not None:
            return flat

    def by_package(reply: Reply) -> float | None:
        """Return the cost by the package: for prices with tiers, or that change with the hour."""
        if reply.prompt_tokens is None or reply.completion_tokens is None:
            return None
        usage = Usage(
            input_tokens=reply.prompt_tokens,
            output_tokens=reply.completion_tokens,
            cache_read_tokens=reply.cached_tokens,
        )
        price = calc_price(usage, model, provider_id=provider).total_price
        return _share(reply) * float(price)

    return by_package


def _share(reply: Reply) -> float:
    """Return the share of the usual price that a reply costs."""
    return 1.0 if reply.batch is None else reply.batch


def _flat(rates: object) -> Price | None:
    """Return a price that is the same for every token; None for any other."""
    from decimal import Decimal

    read = getattr(rates, "input_mtok", None)
    written = getattr(rates, "output_mtok", None)
    cached = getattr(rates, "cache_read_mtok", None)
    if getattr(rates, "requests_kcount", None) is not None:
        return None
    if not (isinstance(read, Decimal) and isinstance(written, Decimal)):
        return None
    if not isinstance(cached, Decimal | None):
        return None
    return Price(float(read), float(written), None if cached is None else float(cached))
