"""Limits of models and endpoints: requests at once, requests and tokens a minute."""

import asyncio
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from typing import Protocol

from moot.core.ports import Limits, Rates
from moot.runtime.quota import MINUTE, Booked, Quota
from moot.runtime.room import Room, Urgency


class EndpointLimits:
    """The limits that the models of one endpoint share: reported rates, and pauses.

    Models with the same reported rates are counted together: an endpoint that counts by key reports
    the same for each of its models. Models with different reported rates are counted apart: such an
    endpoint counts by model. A model without reported rates is counted with the tightest ones.

    Args:
        minute: the seconds over which requests and tokens are counted.
    """

    def __init__(self, minute: float = MINUTE) -> None:
        self.minute = minute
        self.paused_until = 0.0
        self.members: list[Limiter] = []
        self.arrivals = 0
        self._told: dict[Rates, Quota] = {}
        self._alarm: asyncio.TimerHandle | None = None

    def share(self) -> None:
        """Give each model its quotas, after the reported rates of one have changed."""
        told = {rates: None for each in self.members if (rates := each.reported) is not None}
        gone = [rates for rates in self._told if rates not in told]
        for rates in told:
            if rates not in self._told:
                # New rates for models that had others: calls booked before still count.
                known = self._told.pop(gone.pop()) if gone else Quota(rates, self.minute)
                known.rates = rates
                self._told[rates] = known
        for rates in gone:
            del self._told[rates]
        tightest = min(self._told.values(), key=_tightness, default=None)
        for each in self.members:
            quota = tightest if each.reported is None else self._told[each.reported]
            each.quotas = tuple(one for one in (each.own, quota) if one is not None)

    def serve(self) -> None:
        """Admit all calls that fit, the most urgent first; set a timer for the next."""
        heads = [
            (head, number, each)
            for number, each in enumerate(self.members)
            if (head := each.head()) is not None
        ]
        heapify(heads)
        soonest, busy = inf, list[Quota]()
        loop = asyncio.get_running_loop()
        while heads:
            (*_, tokens), number, member = heappop(heads)
            now = loop.time()
            wait = member.wait(now, tokens)
            if wait is None or any(quota in busy for quota in member.quotas):
                continue  # no place, or a more urgent call waits for the quota
            if wait > 0.0:
                soonest = min(soonest, wait)
                busy += [quota for quota in member.quotas if quota.wait(now, tokens) > 0.0]
                continue
            member.admit_first(now)
            if (head := member.head()) is not None:
                heappush(heads, (head, number, member))
        if soonest < inf:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = loop.call_later(soonest, self.serve)


def _tightness(quota: Quota) -> tuple[float, float]:
    """Return the key that sorts quotas by requests a minute, then by tokens."""
    requests, tokens = quota.rates.requests, quota.rates.tokens
    return inf if requests is None else requests, inf if tokens is None else tokens


WaitingCall = tuple[Urgency, int, int]
"""A waiting call: its urgency, its number in the order of arrival, its tokens."""
Place = Booked | int | None
"""The place of a call that entered: its booked tokens, or the number of its booking elsewhere; None
where nothing is counted."""


class OutsideRates(Protocol):
    """Rates of a model that are counted outside of this process."""

    async def book(self, urgency: Urgency, tokens: int) -> int | None:
        """Wait until a call may go, and return the number of its booking; None without rates."""

    def end(self, number: int, taken: int | None) -> None:
        """End a booked call that took so many tokens; None where that is unknown."""


class Limiter:
    """Admits the calls to one model, the most urgent first.

    Both the model's own rates and those that its endpoint reports hold.

    Args:
        limits: returns the limits of model and endpoint as known now.
        endpoint: the endpoint that it shares with other models; by default one of its own.
        minute: the seconds over which an endpoint of its own counts requests and tokens.
        outside: the rates that are counted outside of this process, if any.

    Attributes:
        in_flight: the number of calls that entered and have not left.
        own: the quota of the model's own rates; None without any.
        reported: the rates that the endpoint has reported for it; None without any.
        quotas: the quotas that its calls are booked in; set by ``EndpointLimits.share``.
        room: the open files that its calls share with others; None where calls need none.
    """

    room: "Room | None" = None

    def __init__(
        self,
        limits: Callable[[], Limits],
        endpoint: EndpointLimits | None = None,
        *,
        minute: float = MINUTE,
        outside: OutsideRates | None = None,
    ) -> None:
        self._limits, self._outside = limits, outside
        self._endpoint = endpoint or EndpointLimits(minute)
        self._seen: Limits | None = None
        self._queue: list[tuple[Urgency, int, int, asyncio.Future[Booked | None]]] = []
        self.in_flight = 0
        self.own: Quota | None = None
        self.reported: Rates | None = None
        self.quotas: tuple[Quota, ...] = ()
        self._endpoint.members.append(self)
        self._endpoint.share()

    @property
    def waiting(self) -> int:
        """The number of calls that wait."""
        return len(self._queue)

    def admit_at_once(self) -> bool:
        """Admit a call that has not to wait, where no rate is counted; else return False."""
        limits, room = self._limits(), self.room
        if (
            limits is not self._seen
            or self.in_flight >= limits.concurrency
            or self._queue
            or self.quotas
            or self._outside is not None
            or self._endpoint.paused_until
            or (room is not None and room.in_flight >= room.most)
        ):
            return False
        self._admit(0.0, 0)
        return True

    async def enter(self, urgency: Urgency, tokens: int) -> Place:
        """Wait until a call may go; ``tokens`` is the number that it will probably take.

        Returns:
            Its place, for ``leave``.
        """
        place = await self._enter_here(urgency, tokens)
        if self._outside is None:
            return place
        try:
            number = await self._outside.book(urgency, tokens)
        except BaseException:
            self.leave(place, 0)
            raise
        return place if number is None else number

    async def _enter_here(self, urgency: Urgency, tokens: int) -> Booked | None:
        """Wait until a call may go by the limits that this process counts."""
        loop, endpoint = asyncio.get_running_loop(), self._endpoint
        alone = not self._queue and (not self.quotas or len(endpoint.members) == 1)
        if alone and self.wait(now := loop.time(), tokens) == 0.0:
            return self._admit(now, tokens)
        place: asyncio.Future[Booked | None] = loop.create_future()
        endpoint.arrivals += 1
        heappush(self._queue, (urgency, endpoint.arrivals, tokens, place))
        endpoint.serve()
        try:
            return await place
        except asyncio.CancelledError:
            if place.cancelled():
                endpoint.serve()  # the next call may fit now
            else:
                self.leave(place.result(), 0)  # it was admitted and is not made
            raise

    def leave(self, place: Place, taken: int | None) -> None:
        """End a call, and correct its booked tokens to those that it took.

        Where the endpoint did not report them (None) the estimate stays.
        """
        self.in_flight -= 1
        if self.room is not None:
            self.room.leave()
        if place is not None:
            self._correct(place, taken)
        if self._queue or (place and len(self._endpoint.members) > 1):
            self._endpoint.serve()

    def _correct(self, place: Place, taken: int | None) -> None:
        """Correct the booked tokens of a call to those that it took."""
        if isinstance(place, int):
            assert self._outside is not None
            self._outside.end(place, taken)
        elif place is not None and taken is not None:
            for window, entry in place:
                window.correct(entry, taken)

    def pause(self, seconds: float) -> None:
        """Send nothing to the endpoint for some seconds, as it has asked."""
        until = asyncio.get_running_loop().time() + seconds
        self._endpoint.paused_until = max(self._endpoint.paused_until, until)

    def wait(self, now: float, tokens: int) -> float | None:
        """Return seconds until the next call may go; None when a call in flight must end first."""
        limits = self._limits()
        if limits is not self._seen:
            self._update(limits)
        if self.in_flight >= limits.concurrency:
            return None
        if self.room is not None and self.room.is_full(self._endpoint.serve):
            return None
        wait = self._endpoint.paused_until - now
        if wait <= 0.0:
            self._endpoint.paused_until = 0.0
        if self.quotas:
            wait = max(wait, *(quota.wait(now, tokens) for quota in self.quotas))
        return max(0.0, wait)

    def head(self) -> WaitingCall | None:
        """Return the most urgent waiting call, or None."""
        queue = self._queue
        while queue and queue[0][3].done():  # it was cancelled
            heappop(queue)
        return queue[0][:3] if queue else None

    def admit_first(self, now: float) -> None:
        """Admit the call that ``head`` returned."""
        _, _, tokens, place = heappop(self._queue)
        place.set_result(self._admit(now, tokens))

    def _admit(self, now: float, tokens: int) -> Booked | None:
        self.in_flight += 1
        if self.room is not None:
            self.room.in_flight += 1
        if not self.quotas:
            return None
        booked = [quota.book(now, tokens) for quota in self.quotas]
        return [each for each in booked if each is not None]

    def _update(self, limits: Limits) -> None:
        """Use limits that may have changed."""
        self._seen = limits
        stated = Rates(requests=limits.requests_per_minute, tokens=limits.tokens_per_minute)
        before = None if self.own is None else self.own.rates
        after = None if stated == _NO_RATES else stated
        told = None if limits.told == _NO_RATES else limits.told
        if before == after and told == self.reported:
            return
        if after is None:
            self.own = None
        elif self.own is None:
            self.own = Quota(after, self._endpoint.minute)
        else:
            self.own.rates = after
        self.reported = told
        self._endpoint.share()


_NO_RATES = Rates()
