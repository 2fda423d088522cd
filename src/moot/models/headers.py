"""Rate limits in the headers of a response."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

REQUESTS = (
    ("x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    (
        "anthropic-ratelimit-requests-limit",
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    ("x-ratelimit-limit-req-minute", "x-ratelimit-remaining-req-minute", ""),
    ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"),
    ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"),
)
TOKENS = (
    ("x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    (
        "anthropic-ratelimit-tokens-limit",
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    ("x-ratelimit-limit-tokens-minute", "x-ratelimit-remaining-tokens-minute", ""),
)
"""Of each kind of limit on requests or tokens: the headers with the limit, what is left of it, and
when all is free again."""
_LONGEST_WINDOW = 120.0
"""Seconds: a limit whose window is longer than this is no limit per minute."""


def _number(text: str | None) -> float | None:
    """Return a finite number of at least 0, or None."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def seconds(text: str, now: float) -> float | None:
    """Return the seconds from now that a header value means, at least 0; None if it is no time.

    It may be plain seconds, a Unix time in seconds or milliseconds, durations such as ``6m0.5s`` or
    ``12ms``, and HTTP and RFC 3339 dates.

    Args:
        text: the header's value.
        now: the time, in Unix seconds.
    """
    text = text.strip()
    value = _number(text)
    if value is not None:
        if value > 1e12:
            value /= 1000
        return max(0.0, value - now) if value > 1e9 else value
    if text and not _PART.sub("", text):
        return sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(text))
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            when = read(text)
        except ValueError:
            continue
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0.0, when.timestamp() - now)
    return None


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that the endpoint asks to wait before the next attempt, or None.

    ``retry-after-ms`` and ``Retry-After`` come first; without them, the latest reset time of the
    limits that are used up.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    if "retry-after" in headers:
        asked = seconds(headers["retry-after"], now)
        if asked is not None:
            return asked
    waits = [
        wait
        for _, remaining, reset in (*REQUESTS, *TOKENS)
        if reset in headers
        and not _number(headers.get(remaining))
        and (wait := seconds(headers[reset], now)) is not None
    ]
    return max(waits, default=None)


def find_rate(
    headers: Mapping[str, str], names: tuple[tuple[str, str, str], ...], now: float
) -> float | None:
    """Return the requests or tokens a minute that the endpoint allows; None for unknown.

    Args:
        headers: of a response.
        names: ``REQUESTS`` or ``TOKENS``.
        now: the time, in Unix seconds.
    """
    for limit_name, remaining_name, reset_name in names:
        limit = _number(headers.get(limit_name))
        if not limit:
            continue
        if limit_name in {"ratelimit-limit", "x-ratelimit-limit"}:
            # These count in a window of any length. Only a window that is stated gives a rate.
            window = re.search(r"\bw=(\d+)", headers.get("ratelimit-policy", ""))
            return limit * 60 / float(window[1]) if window and float(window[1]) else None
        remaining = _number(headers.get(remaining_name))
        wait = seconds(headers.get(reset_name, ""), now)
        used = limit - remaining if remaining is not None else 0
        # At the reset all that is used is free again, so the window is wait * limit / used: about
        # a minute, or a day where an endpoint counts requests by the day.
        if used > 0 and wait is not None and wait * limit / used > _LONGEST_WINDOW * 2:
            return None
        return limit
    return None
