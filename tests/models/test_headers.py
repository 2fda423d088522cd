"""What is read from rate-limit headers, all of them as real endpoints write them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.models import headers as own
from moot.models.headers import find_rate, retry_after, seconds

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp()


TIMES = {"2": 2, " 0.5 ": 0.5, "0": 0, "12ms": 0.012, "6m0s": 360, "1h2m3.5s": 3723.5, "1d": 86400}
TIMES |= {str(int(NOW) + 30): 30, str((int(NOW) + 30) * 1000): 30, str(int(NOW) - 30): 0}
TIMES |= {"Fri, 02 Jan 2026 03:04:15 GMT": 10, "Fri, 02 Jan 2026 03:04:00 GMT": 0}
TIMES |= dict.fromkeys(("2026-01-02T03:04:25Z", "2026-01-02T03:04:25"), 20)
TIMES |= dict.fromkeys(("-5", "inf", "nan", "1e400", "soon", "", "5 parsecs"))


@pytest.mark.parametrize("text", TIMES)
def test_times(text):
    expected = TIMES[text]
    assert seconds(text, NOW) == (None if expected is None else pytest.approx(expected))


@given(st.text() | st.from_regex(r"[0-9:TZ ,GMTadnJ.-]{0,30}"))
def test_no_text_breaks_it(text):
    found = seconds(text, NOW)
    assert found is None or found >= 0
    waited = retry_after({"retry-after": text, "retry-after-ms": text}, NOW)
    assert waited is None or waited >= 0
    headers = {"x-ratelimit-limit-requests": text, "x-ratelimit-reset-requests": text}
    find_rate(headers, own.REQUESTS, NOW)


LATER = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2s"}
TOKENS = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "3", "retry-after-ms": "1500"}, 1.5),
        ({"retry-after": "later"}, None),
        (LATER, 2),
        (LATER | {"x-ratelimit-remaining-requests": "7"}, None),
        (LATER | TOKENS, 60),
        ({"anthropic-ratelimit-tokens-reset": "2026-01-02T03:04:25Z"}, 20),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "9"}, 9),
        ({"x-ratelimit-reset": str((int(NOW) + 4) * 1000)}, 4),
        ({"retry-after": "later", "ratelimit-reset": "9"}, 9),
    ],
)
def test_how_long_to_wait(headers, expected):
    found = retry_after(headers, NOW)
    assert found == (None if expected is None else pytest.approx(expected))


def limits(kind: str, *told: str) -> dict[str, str]:
    names = (f"x-ratelimit-{each}-{kind}" for each in ("limit", "remaining", "reset"))
    return dict(zip(names, told, strict=True))


ANTHROPIC = {"requests-limit": "50", "requests-remaining": "49", "tokens-limit": "40000"}
ANTHROPIC |= {"requests-reset": "2026-01-02T03:04:06Z"}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, (None, None)),
        (limits("requests", "500", "499", "120ms"), (500, None)),
        (limits("requests", "500", "500", "0s"), (500, None)),
        (limits("requests", "500", "100", "48s"), (500, None)),
        (limits("tokens", "30000", "29000", "2s"), (None, 30000)),
        # 30 of 14400 come back in 3 minutes: these are requests a day, which limit no minute.
        (limits("requests", "14400", "14370", "2m59.56s"), (None, None)),
        (limits("requests", "0", "0", "1s"), (None, None)),
        (limits("requests", "many", "few", "soon"), (None, None)),
        ({"x-ratelimit-limit-requests": "60"}, (60, None)),
        ({"x-ratelimit-limit-req-minute": "30"}, (30, None)),
        ({f"anthropic-ratelimit-{name}": told for name, told in ANTHROPIC.items()}, (50, 40000)),
        ({"ratelimit-limit": "100", "ratelimit-reset": "3"}, (None, None)),
        ({"ratelimit-limit": "10", "ratelimit-policy": "10;w=2"}, (300, None)),
        ({"ratelimit-limit": "10", "ratelimit-policy": "10;w=0"}, (None, None)),
    ],
)
def test_rates(headers, expected):
    found = find_rate(headers, own.REQUESTS, NOW), find_rate(headers, own.TOKENS, NOW)
    assert found == expected
