"""The garbage collector is as it was when the last run has ended."""

import gc

import pytest

from moot.runtime.collector import RAREST, SELDOM, collect_seldom


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


def leave(objects):
    """Leave so many objects behind that hold themselves."""
    for _ in range(objects):
        own = []
        own.append(own)


def test_garbage_is_looked_for_less_and_less_where_there_is_none():
    gc.collect()
    with collect_seldom():
        for times in (2, 4, 8, 16, 16):
            gc.collect(0)
            assert gc.get_threshold()[0] == times * SELDOM[0]
        assert gc.get_threshold()[0] == RAREST
    gc.collect()
    with collect_seldom():
        gc.collect(0)
        for share, after in ((20, 2), (9, 1)):  # little, and much
            leave(gc.get_threshold()[0] // share)
            gc.collect(0)
            assert gc.get_threshold()[0] == after * SELDOM[0]
