"""The garbage collector is as it was when the last run has ended."""

import gc

from moot.runtime.collector import SELDOM, collect_seldom


def test_overlapping_runs_leave_nothing_behind():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    one, two = collect_seldom(), collect_seldom()
    one.__enter__()
    two.__enter__()
    assert gc.get_threshold() == SELDOM
    one.__exit__(None, None, None)
    assert gc.get_threshold() == SELDOM
    two.__exit__(None, None, None)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == frozen


def test_what_the_host_froze_stays_frozen():
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        with collect_seldom():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
