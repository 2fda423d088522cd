"""The garbage collector is as it was when the last run has ended."""

import gc

import pytest

from moot.runtime.collector import SELDOM, collect_seldom


@pytest.mark.parametrize("frozen", [False, True])
def test_overlapping_runs_leave_nothing_behind_and_what_the_host_froze_frozen(frozen):
    before = gc.get_threshold()
    if frozen:
        gc.freeze()
    count = gc.get_freeze_count()
    try:
        one, two = collect_seldom(), collect_seldom()
        one.__enter__()
        two.__enter__()
        assert gc.get_threshold() == SELDOM
        one.__exit__(None, None, None)
        assert gc.get_threshold() == SELDOM
        two.__exit__(None, None, None)
        assert gc.get_threshold() == before
        assert (gc.get_freeze_count() > 0) == (count > 0) == frozen
        assert "_adapt" not in [each.__name__ for each in gc.callbacks]
    finally:
        gc.unfreeze()
