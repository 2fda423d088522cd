"""What an endpoint can take: requests at once, requests and tokens per minute."""

import asyncio
from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush

from moot.core.ports import Limits

MINUTE = 60.0

Urgency = tuple[int, int]
"""Smaller goes first: (minus the round, the debate's number), so started debates are finished."""


class Window:
    """The sum of what happened in the last minute, exact at every instant."""

    def __init__(self) -> None:
        self.total = 0.0
        self._entries: deque[tuple[float, float]] = deque()

    def add(self, now: float, amount: float) -> None:
        """Book ``amount``; negative to correct an estimate that was too high."""
        self._entries.append((now, amount))
        self.total += amount

    def wait(self, now: float, amount: float, most: float) -> float:
        """Seconds until ``amount`` more fits under ``most``; 0 when it fits now."""
        entries = self._entries
        while entries and entries[0][0] <= now - MINUTE:
            self.total -= entries.popleft()[1]
        if not entries or self.total + amount <= most:
            return 0.0  # an amount that fits in no minute goes alone rather than never
        excess = self.total + amount - most
        for then, spent in entries:
            excess -= spent
            if excess <= 0:
                return max(0.0, then + MINUTE - now)
        return max(0.0, entries[-1][0] + MINUTE - now)


class Limiter:
    """Lets calls to one endpoint through, the most urgent first."""

    def __init__(self, limits: Callable[[], Limits]) -> None:
        self._limits = limits
        self.in_flight = 0
        self._requests, self._tokens = Window(), Window()
        self._queue: list[tuple[Urgency, int, int, asyncio.Future[None]]] = []
        self._arrivals = 0
        self._paused_until = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    async def enter(self, urgency: Urgency, tokens: int) -> None:
        """Wait for a place; ``tokens`` is what the call is expected to take."""
        loop = asyncio.get_running_loop()
        if not self._queue and self._wait(loop.time(), tokens) == 0.0:
            self._admit(loop.time(), tokens)
            return
        place = loop.create_future()
        self._arrivals += 1
        heappush(self._queue, (urgency, self._arrivals, tokens, place))
        self._serve()
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self.leave(tokens, 0)  # the place came and was not taken: the next one has it
            raise

    def leave(self, expected: int, taken: int) -> None:
        """Give the place back as soon as the reply is there, and correct the token count."""
        self.in_flight -= 1
        if self._limits().tokens_per_minute is not None and taken != expected:
            self._tokens.add(asyncio.get_running_loop().time(), taken - expected)
        if self._queue:
            self._serve()

    def pause(self, seconds: float) -> None:
        """Send nothing more for a while: the endpoint asked for it."""
        until = asyncio.get_running_loop().time() + seconds
        self._paused_until = max(self._paused_until, until)

    def _wait(self, now: float, tokens: int) -> float | None:
        """Seconds until the next call may go; None when that hangs on a call in flight."""
        limits = self._limits()
        if self.in_flight >= limits.concurrency:
            return None
        wait = self._paused_until - now
        if limits.requests_per_minute is not None:
            wait = max(wait, self._requests.wait(now, 1, limits.requests_per_minute))
        if limits.tokens_per_minute is not None:
            wait = max(wait, self._tokens.wait(now, tokens, limits.tokens_per_minute))
        return max(wait, 0.0)

    def _admit(self, now: float, tokens: int) -> None:
        self.in_flight += 1
        limits = self._limits()
        if limits.requests_per_minute is not None:
            self._requests.add(now, 1)
        if limits.tokens_per_minute is not None:
            self._tokens.add(now, tokens)

    def _serve(self) -> None:
        """Let in whoever fits, the most urgent first; set an alarm for what only time allows."""
        loop = asyncio.get_running_loop()
        while self._queue:
            _, _, tokens, place = self._queue[0]
            if place.done():  # its caller has gone
                heappop(self._queue)
                continue
            wait = self._wait(loop.time(), tokens)
            if wait is None:
                return
            if wait > 0.0:
                if self._alarm is not None:
                    self._alarm.cancel()
                self._alarm = loop.call_later(wait, self._serve)
                return
            heappop(self._queue)
            self._admit(loop.time(), tokens)
            place.set_result(None)
