"""What an endpoint can take: requests at once, requests and tokens per minute."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush

from moot.core.ports import Limits

MINUTE = 60.0

Urgency = tuple[int, int]
"""Smaller goes first: (minus the round, the debate's number), so started debates are finished."""


@dataclass(slots=True)
class Entry:
    """What was booked in a window: when, how much, and whether it still counts."""

    then: float
    amount: float
    counts: bool = True


class Window:
    """The sum of what was booked in the last minute, exact at every instant.

    Args:
        minute: its length in seconds.
    """

    def __init__(self, minute: float = MINUTE) -> None:
        self.total = 0.0
        self._minute = minute
        self._entries: deque[Entry] = deque()

    def add(self, now: float, amount: float) -> Entry:
        """Book ``amount``; times must not decrease."""
        entry = Entry(now, amount)
        self._entries.append(entry)
        self.total += amount
        return entry

    def correct(self, entry: Entry, amount: float) -> None:
        """Put what was really taken in place of an estimate, at the time of the estimate."""
        if entry.counts:
            self.total += amount - entry.amount
        entry.amount = amount

    def wait(self, now: float, amount: float, most: float) -> float:
        """Seconds until ``amount`` more fits under ``most``; 0 when it fits now."""
        entries = self._entries
        while entries and entries[0].then <= now - self._minute:
            oldest = entries.popleft()
            oldest.counts = False
            self.total -= oldest.amount
        if not entries or self.total + amount <= most:
            return 0.0  # an amount that fits in no minute goes alone rather than never
        excess = self.total + amount - most
        for entry in entries:
            excess -= entry.amount
            if excess <= 0:
                return max(0.0, entry.then + self._minute - now)
        return max(0.0, entries[-1].then + self._minute - now)


class Limiter:
    """Lets calls to one endpoint through, the most urgent first.

    Args:
        limits: what the endpoint can take, as known now.
        minute: the seconds over which requests and tokens are counted.
    """

    def __init__(self, limits: Callable[[], Limits], *, minute: float = MINUTE) -> None:
        self._limits = limits
        self.in_flight = 0
        self._requests, self._tokens = Window(minute), Window(minute)
        self._queue: list[tuple[Urgency, int, int, asyncio.Future[Entry | None]]] = []
        self._arrivals = 0
        self._paused_until = 0.0
        self._alarm: asyncio.TimerHandle | None = None

    async def enter(self, urgency: Urgency, tokens: int) -> Entry | None:
        """Wait for a place; ``tokens`` is what the call is expected to take.

        Returns:
            What ``leave`` is to be told: the tokens as booked, None where they are not counted.
        """
        loop = asyncio.get_running_loop()
        if not self._queue and self._wait(loop.time(), tokens) == 0.0:
            return self._admit(loop.time(), tokens)
        place: asyncio.Future[Entry | None] = loop.create_future()
        self._arrivals += 1
        heappush(self._queue, (urgency, self._arrivals, tokens, place))
        self._serve()
        try:
            return await place
        except asyncio.CancelledError:
            if place.cancelled():
                self._serve()  # whoever waited behind it may go at once
            else:
                self.leave(place.result(), 0)  # the place came and was not taken
            raise

    def leave(self, booked: Entry | None, taken: int | None) -> None:
        """Give the place back as soon as the reply is there, with the tokens it really took.

        Where the endpoint did not tell them (None) the estimate stands.
        """
        self.in_flight -= 1
        if booked is not None and taken is not None:
            self._tokens.correct(booked, taken)
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

    def _admit(self, now: float, tokens: int) -> Entry | None:
        self.in_flight += 1
        limits = self._limits()
        if limits.requests_per_minute is not None:
            self._requests.add(now, 1)
        if limits.tokens_per_minute is None:
            return None
        return self._tokens.add(now, tokens)

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
            place.set_result(self._admit(loop.time(), tokens))
