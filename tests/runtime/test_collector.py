"""The garbage collector is as it was when the last run has ended."""

import gc

import pytest

from moot.runtime.collector import RAREST, SELDOM, collect_seldom


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


@pytest.fixture
def known():
    """The collector as every run finds it, and afterwards as it was."""
    before = gc.get_threshold()
    gc.collect()
    with collect_seldom():
        yield
    assert gc.get_threshold() == before
    assert "_adapt" not in [each.__name__ for each in gc.callbacks]


def after():
    return gc.get_threshold()[0]


def test_where_there_is_none_it_is_looked_for_less_and_less(known):
    for times in (2, 4, 8, 16, 16):
        gc.collect(0)
        assert after() == times * SELDOM[0]
    assert after() == RAREST


def leave(objects):
    """Leave so many objects behind that hold themselves."""
    for _ in range(objects):
        own = []
        own.append(own)


def test_where_there_is_much_it_is_looked_for_as_at_first(known):
    for _ in range(3):
        gc.collect(0)
    assert after() == 8 * SELDOM[0]
    leave(after() // 20)
    gc.collect(0)
    assert after() == 8 * SELDOM[0]
    leave(after() // 9)
    gc.collect(0)
    assert after() == SELDOM[0]


def test_what_the_host_froze_stays_frozen():
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        with collect_seldom():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
