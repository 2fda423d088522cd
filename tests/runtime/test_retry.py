"""Waits grow, keep within their bounds, and end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.errors import InputError, TransientError
from moot.runtime.retry import Retry

BUSY = TransientError("busy")


@given(st.integers(1, 5000), st.floats(0.001, 10), st.floats(0.001, 100), st.data())
def test_every_wait_is_bounded_and_the_last_attempt_has_none(attempts, first, longest, data):
    retry = Retry(attempts=attempts, first=first, longest=longest)
    attempt = data.draw(st.integers(1, attempts))
    wait = retry.wait(BUSY, attempt)
    if attempt == attempts:
        assert wait is None
    else:
        assert wait is not None
        bound = min(longest, first * 2 ** min(attempt - 1, 900))
        assert bound / 2 <= wait <= bound


@given(st.floats(0, 60))
def test_what_the_endpoint_asks_for_is_honoured(after):
    wait = Retry().wait(TransientError("busy", retry_after=after), 1)
    assert wait is not None
    assert after <= wait <= min(60, after * 1.1)
    assert Retry(longest=60).wait(TransientError("busy", retry_after=60.5 + after), 1) is None
    assert Retry(longest=130).wait(TransientError("busy", retry_after=60.5 + after), 1) is not None


def test_callers_do_not_arrive_together():
    waits = {Retry().wait(BUSY, 3) for _ in range(50)}
    asked = {Retry().wait(TransientError("busy", retry_after=5), 3) for _ in range(50)}
    assert len(waits) > 40
    assert len(asked) > 40


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"first": -1.0}, {"longest": float("nan")}])
def test_what_cannot_be_is_refused(wrong):
    with pytest.raises(InputError, match="retry"):
        Retry(**wrong)
