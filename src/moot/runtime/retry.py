"""Retries of failed calls, and the waits before them."""

from math import inf
from random import random

import msgspec

from moot.core.errors import InputError, TransientError


class Retry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exponential backoff with jitter and a limit.

    Attributes:
        attempts: the most attempts of one call, the first included; at least 1.
        first: the longest first wait, in seconds; each further one may be twice as long.
        longest: the longest wait, in seconds. An endpoint that asks for more fails the call.

    Raises:
        InputError: a value is out of range.
    """

    attempts: int = 6
    first: float = 0.5
    longest: float = 60.0

    def __post_init__(self) -> None:
        for name, least in (("attempts", 1), ("first", 0), ("longest", 0)):
            value = getattr(self, name)
            if not least <= value < inf:
                raise InputError(f"retry: {name} = {value}: must be a number, {least} or more")

    def wait(self, error: TransientError, attempt: int) -> float | None:
        """Return the seconds before the next attempt; None for no further attempt.

        Args:
            error: the error of the last attempt.
            attempt: the number of attempts so far, from 1.
        """
        if attempt >= self.attempts:
            return None
        spread = random()  # noqa: S311 -- spreads load, guards no secret
        if error.retry_after is not None:
            if error.retry_after > self.longest:
                return None
            # A little later than asked, and each caller at another time.
            return min(self.longest, error.retry_after * (1 + spread / 10))
        doublings = min(attempt - 1, 64)  # so that the power stays a finite number
        longest = min(self.longest, self.first * 2.0**doublings)
        return longest * (0.5 + spread / 2)
