"""Quotas: requests and tokens a minute, and the calls booked in them."""

from collections import deque
from dataclasses import dataclass

from moot.core.ports import Rates

MINUTE = 60.0


@dataclass(slots=True)
class BookedAmount:
    """An amount booked in a window: its time, and whether it still counts."""

    then: float
    amount: float
    counts: bool = True


class Window:
    """The sum of the amounts booked in the last minute, exact at every time.

    Args:
        minute: the length in seconds.
    """

    def __init__(self, minute: float = MINUTE) -> None:
        self.total = 0.0
        self._minute = minute
        self._entries: deque[BookedAmount] = deque()

    def add(self, now: float, amount: float) -> BookedAmount:
        """Book an amount; times must not decrease."""
        entry = BookedAmount(now, amount)
        self._entries.append(entry)
        self.total += amount
        return entry

    def correct(self, entry: BookedAmount, amount: float) -> None:
        """Replace an estimate by the true amount, at the time of the estimate."""
        if entry.counts:
            self.total += amount - entry.amount
        entry.amount = amount

    def wait(self, now: float, amount: float, most: float) -> float:
        """Return seconds until ``amount`` more fits under ``most``; 0 when it fits now."""
        entries = self._entries
        while entries and entries[0].then <= now - self._minute:
            oldest = entries.popleft()
            oldest.counts = False
            self.total -= oldest.amount
        if not entries or self.total + amount <= most:
            return 0.0  # an amount larger than the limit goes alone
        excess = self.total + amount - most
        for entry in entries:
            excess -= entry.amount
            if excess <= 0:
                return max(0.0, entry.then + self._minute - now)
        return max(0.0, entries[-1].then + self._minute - now)


class Quota:
    """Requests and tokens a minute, and the calls booked in them.

    Args:
        rates: the limits.
        minute: the seconds over which calls are counted.
    """

    def __init__(self, rates: Rates, minute: float) -> None:
        self.rates = rates
        self._requests, self._tokens = Window(minute), Window(minute)

    def wait(self, now: float, tokens: int) -> float:
        """Return seconds until a call of so many tokens fits; 0 when it fits now."""
        wait = 0.0
        if self.rates.requests is not None:
            wait = self._requests.wait(now, 1, self.rates.requests)
        if self.rates.tokens is not None:
            wait = max(wait, self._tokens.wait(now, tokens, self.rates.tokens))
        return wait

    def book(self, now: float, tokens: int) -> "tuple[Window, BookedAmount] | None":
        """Book a call; return its booked tokens, or None where tokens are not counted."""
        if self.rates.requests is not None:
            self._requests.add(now, 1)
        if self.rates.tokens is None:
            return None
        return self._tokens, self._tokens.add(now, tokens)


Booked = list[tuple[Window, BookedAmount]]
"""The booked tokens of one call, with the window of each; an entry is corrected by its window."""
