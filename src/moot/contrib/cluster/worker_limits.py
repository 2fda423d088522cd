"""The limits of a worker's calls: its shares of requests at once, and rates that all have together.

Requests and tokens a minute are booked with the one actor ``RateKeeper`` before a call is made. So
they hold for all workers together, and those of a worker that died still count.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from itertools import count
from typing import Any

from msgspec.structs import replace

from moot import Limits, Model
from moot.runtime.limiter import EndpointLimits, Limiter, Place
from moot.runtime.quota import MINUTE
from moot.runtime.room import Urgency

_SLACK = 1.0
"""Seconds by which a minute is longer here: from a booking to its call some time passes."""
_ENDLESS = 10**9


class RateKeeper:
    """The actor that books the calls of all workers in the rates of their endpoints.

    Args:
        minute: the seconds over which requests and tokens are counted.
    """

    def __init__(self, minute: float = MINUTE) -> None:
        self._minute = minute + _SLACK
        self._endpoints: dict[str, EndpointLimits] = {}
        self._limiters: dict[str, Limiter] = {}
        self._limits: dict[str, Limits] = {}
        self._booked: dict[int, tuple[Limiter, Place]] = {}
        self._numbers = count(1)
        self._is_first = False

    async def open(self) -> None:
        """Say that nothing was booked before. Ray does not say so when it starts this again."""
        self._is_first = True

    async def enter(
        self, model: str, endpoint: str, limits: Limits, urgency: Urgency, tokens: int
    ) -> int:
        """Wait until a call may go; return the number of its booking.

        Args:
            model: the name of its model.
            endpoint: the endpoint of its model.
            limits: the limits of its model, as its worker knows them now.
            urgency: as of ``Limiter``.
            tokens: the number that it will probably take.
        """
        self._limits[model] = replace(limits, concurrency=_ENDLESS)
        limiter = self._limiters.get(model)
        if limiter is None:
            limiter = self._add(model, endpoint)
        booked = await limiter.enter(urgency, tokens)
        number = next(self._numbers)
        self._booked[number] = limiter, booked
        return number

    async def leave(self, number: int, taken: int | None) -> None:
        """End a call, and correct its tokens to those that it took; None where that is unknown."""
        if (found := self._booked.pop(number, None)) is not None:
            limiter, booked = found
            limiter.leave(booked, taken)

    def _add(self, model: str, endpoint: str) -> Limiter:
        shared = self._endpoints.get(endpoint)
        if shared is None:
            shared = self._endpoints[endpoint] = EndpointLimits(self._minute)
            if not self._is_first:  # what was booked before is not known: let it pass
                shared.paused_until = asyncio.get_running_loop().time() + self._minute
        made = self._limiters[model] = Limiter(lambda: self._limits[model], shared)
        return made


class WorkerLimits:
    """The limits of a worker's calls.

    Attributes:
        shares: requests at once, by the names of the models that have shares.
        keeper: the handle of the ``RateKeeper``; None where no model has an endpoint.
        is_closed: whether no more calls may go.
    """

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._known: dict[int, tuple[Limits, int, Limits]] = {}
        self.shares: dict[str, int] = {}
        self.keeper: Any = None
        self.is_closed = False

    def begin(
        self,
        models: Mapping[str, Model],
        shares: Mapping[str, int],
        keeper: Any,  # noqa: ANN401 -- Ray's
    ) -> None:
        """Let calls go from now on.

        Args:
            models: by their names.
            shares: requests at once, by these names; a model without a share has its own limits.
            keeper: see the attribute.
        """
        self._names = {id(models[name]): name for name in shares}
        self.shares, self.keeper, self.is_closed = dict(shares), keeper, False

    def make_limiter(self, model: Model, endpoint: EndpointLimits) -> Limiter:
        """Make the limiter of a model in this worker."""
        outside = WorkerRates(model, self)
        return Limiter(partial(self.find, model), endpoint, outside=outside)

    def find(self, model: Model) -> Limits:
        """Return the limits of a model in this worker. Its rates are kept elsewhere."""
        whole = model.limits
        share = 0 if self.is_closed else self.shares.get(self._names.get(id(model), ""))
        if share is None:
            return whole
        known = self._known.get(id(model))
        if known is None or known[0] is not whole or known[1] != share:
            own = replace(
                whole,
                concurrency=share,
                requests_per_minute=None,
                tokens_per_minute=None,
                told=None,
            )
            known = self._known[id(model)] = whole, share, own
        return known[2]

    def has_rates(self, model: Model) -> bool:
        """Return whether calls of a model are booked with the keeper."""
        limits = model.limits
        rates = (limits.requests_per_minute, limits.tokens_per_minute, limits.told)
        return id(model) in self._names and any(each is not None for each in rates)


class WorkerRates:
    """The rates of one model in a worker (``moot.runtime.limiter.OutsideRates``)."""

    def __init__(self, model: Model, limits: WorkerLimits) -> None:
        self._model, self._shared = model, limits
        self._leaving: set[asyncio.Future[None]] = set()

    async def book(self, urgency: Urgency, tokens: int) -> int | None:
        """Wait until a call may go, and return the number of its booking; None without rates.

        A call that was admitted just before the worker was closed waits until it is cancelled.
        """
        model, number = self._model, None
        if self._shared.has_rates(model):
            number = await self._shared.keeper.enter.remote(
                model.name, model.endpoint, model.limits, urgency, tokens
            )
        if self._shared.is_closed:
            if number is not None:
                self.end(number, 0)
            await asyncio.get_running_loop().create_future()
        return number

    def end(self, number: int, taken: int | None) -> None:
        """End a booked call that took so many tokens; None where that is unknown."""
        leaving = asyncio.ensure_future(self._shared.keeper.leave.remote(number, taken))
        self._leaving.add(leaving)
        leaving.add_done_callback(self._forget)

    def _forget(self, leaving: "asyncio.Future[None]") -> None:
        self._leaving.discard(leaving)
        if not leaving.cancelled():
            leaving.exception()  # a booking that was not corrected counts with its estimate
