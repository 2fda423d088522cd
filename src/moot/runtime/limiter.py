"""What a model and its endpoint can take: requests at once, requests and tokens per minute."""

import asyncio
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from typing import TYPE_CHECKING

from moot.core.ports import Limits, Rates
from moot.runtime.quota import MINUTE, Booked, Quota

if TYPE_CHECKING:
    from moot.runtime.room import Room

Urgency = tuple[int, int]
"""Smaller goes first: (minus the round, the debate's number), so started debates are finished."""


class Endpoint:
    """What the models at one endpoint have in common: the limits it tells, and its pauses.

    Models that were told the same rates are counted together: an endpoint that counts by key tells
    each of its models the same. Models that were told different rates are counted apart: such an
    endpoint counts by model. A model that was told nothing yet is counted with the tightest rates
    that another was told.

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
        """Have the models use the quotas that the endpoint has told, after one was told others."""
        told = {rates: None for each in self.members if (rates := each.told) is not None}
        gone = [rates for rates in self._told if rates not in told]
        for rates in told:
            if rates not in self._told:
                # New figures for models that had others: what was booked before counts on.
                known = self._told.pop(gone.pop()) if gone else Quota(rates, self.minute)
                known.rates = rates
                self._told[rates] = known
        for rates in gone:
            del self._told[rates]
        tightest = min(self._told.values(), key=_tightness, default=None)
        for each in self.members:
            quota = tightest if each.told is None else self._told[each.told]
            each.quotas = tuple(one for one in (each.own, quota) if one is not None)

    def serve(self) -> None:
        """Let in all calls that fit, the most urgent first; set an alarm for the next that may."""
        members = self.members
        soonest = members[0].serve_alone() if len(members) == 1 else self._serve_all()
        if soonest < inf:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = asyncio.get_running_loop().call_later(soonest, self.serve)

    def _serve_all(self) -> float:
        """Let in what fits of all models; return seconds until more may, infinite if none."""
        heads = [
            (head, number, each)
            for number, each in enumerate(self.members)
            if (head := each.head()) is not None
        ]
        heapify(heads)
        soonest, busy = inf, list[Quota]()
        time = asyncio.get_running_loop().time
        while heads:
            (*_, tokens), number, member = heappop(heads)
            now = time()
            wait = member.wait(now, tokens)
            if wait is None or any(quota in busy for quota in member.quotas):
                continue  # no place, or a more urgent call waits for the same quota
            if wait > 0.0:
                soonest = min(soonest, wait)
                busy += [quota for quota in member.quotas if quota.wait(now, tokens) > 0.0]
                continue
            member.admit_first(now)
            if (head := member.head()) is not None:
                heappush(heads, (head, number, member))
        return soonest


def _tightness(quota: Quota) -> tuple[float, float]:
    """Sorts quotas by requests a minute, then tokens; the tightest first."""
    requests, tokens = quota.rates.requests, quota.rates.tokens
    return inf if requests is None else requests, inf if tokens is None else tokens


Head = tuple[Urgency, int, int]
"""A waiting call: its urgency, its place in the order of arrival, its tokens."""


class Limiter:
    """Lets calls to one model through, the most urgent first.

    The tighter holds of what the model states and what its endpoint has told.

    Args:
        limits: what model and endpoint can take, as known now.
        endpoint: what it shares with other models; one of its own if not given.
        minute: the seconds over which requests and tokens are counted, of an endpoint of its own.

    Attributes:
        in_flight: calls that entered and have not left.
        own: the rates that the model states, with what was booked; None where it states none.
        told: the rates that its endpoint has told it; None where it has told none.
        quotas: those that its calls are booked in; set by ``Endpoint.share``.
        room: what its calls enter besides; None where they take no open files.
    """

    room: "Room | None" = None

    def __init__(
        self,
        limits: Callable[[], Limits],
        endpoint: Endpoint | None = None,
        *,
        minute: float = MINUTE,
    ) -> None:
        self._limits = limits
        self._endpoint = endpoint or Endpoint(minute)
        self._seen: Limits | None = None
        self._queue: list[tuple[Urgency, int, int, asyncio.Future[Booked | None]]] = []
        self.in_flight = 0
        self.own: Quota | None = None
        self.told: Rates | None = None
        self.quotas: tuple[Quota, ...] = ()
        self._endpoint.members.append(self)
        self._endpoint.share()

    async def enter(self, urgency: Urgency, tokens: int) -> Booked | None:
        """Wait for a place; ``tokens`` is what the call is expected to take.

        Returns:
            What ``leave`` takes: the tokens as booked, None where they are not counted.
        """
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
                endpoint.serve()  # the call behind it may go at once
            else:
                self.leave(place.result(), 0)  # the place came and was not taken
            raise

    def leave(self, booked: Booked | None, taken: int | None) -> None:
        """Give the place back as soon as the reply is there, with the tokens it really took.

        Where the endpoint did not report them (None) the estimate stands.
        """
        self.in_flight -= 1
        if booked is not None and taken is not None:
            for quota, entry in booked:
                quota.correct(entry, taken)
        if self._queue or (booked and len(self._endpoint.members) > 1):
            self._endpoint.serve()

    def pause(self, seconds: float) -> None:
        """Send nothing more to the endpoint for a while: it asked for that."""
        until = asyncio.get_running_loop().time() + seconds
        self._endpoint.paused_until = max(self._endpoint.paused_until, until)

    def wait(self, now: float, tokens: int) -> float | None:
        """Seconds until the next call may go; None when that depends on a call in flight."""
        limits = self._limits()
        if limits is not self._seen:
            self._update(limits)
        if self.in_flight >= limits.concurrency:
            return None
        wait = self._endpoint.paused_until - now
        if self.quotas:
            wait = max(wait, *(quota.wait(now, tokens) for quota in self.quotas))
        return max(0.0, wait)

    def head(self) -> Head | None:
        """The most urgent call that waits; None where there is none."""
        queue = self._queue
        while queue and queue[0][3].done():  # its caller has gone
            heappop(queue)
        return queue[0][:3] if queue else None

    def admit_first(self, now: float) -> None:
        """Let in the call of ``head``."""
        _, _, tokens, place = heappop(self._queue)
        place.set_result(self._admit(now, tokens))

    def serve_alone(self) -> float:
        """Let in what fits where no other model shares the endpoint; see ``Endpoint.serve``."""
        queue, time = self._queue, asyncio.get_running_loop().time
        while queue:
            _, _, tokens, place = queue[0]
            if place.done():  # its caller has gone
                heappop(queue)
                continue
            wait = self.wait(now := time(), tokens)
            if wait is None:
                return inf
            if wait > 0.0:
                return wait
            heappop(queue)
            place.set_result(self._admit(now, tokens))
        return inf

    def _admit(self, now: float, tokens: int) -> Booked | None:
        self.in_flight += 1
        if not self.quotas:
            return None
        booked = [(quota, quota.book(now, tokens)) for quota in self.quotas]
        return [(quota, entry) for quota, entry in booked if entry is not None]

    def _update(self, limits: Limits) -> None:
        """Take over limits that may be others than before."""
        self._seen = limits
        stated = Rates(requests=limits.requests_per_minute, tokens=limits.tokens_per_minute)
        before = None if self.own is None else self.own.rates
        after = None if stated == _NO_RATES else stated
        told = None if limits.told == _NO_RATES else limits.told
        if before == after and told == self.told:
            return
        if after is None:
            self.own = None
        elif self.own is None:
            self.own = Quota(after, self._endpoint.minute)
        else:
            self.own.rates = after
        self.told = told
        self._endpoint.share()


_NO_RATES = Rates()
