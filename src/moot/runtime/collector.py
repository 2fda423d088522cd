"""Rare garbage collections during a run."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = (100_000, 5, 100)

_running: list[tuple[int, int, int]] = []
"""The thresholds to restore, once for each run in progress."""


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Collect garbage less often inside the block, and as before afterwards.

    The objects of a debate live until it ends, so a collection after every few hundred allocations
    finds nothing: it took a fifth of the time of a call. Objects from before the run are left out
    until its end. Peak memory grows by about 3 MB. Where several runs overlap, the last to end
    restores the thresholds that the first has found. Objects that the host froze stay frozen.
    """
    frozen = gc.get_freeze_count() > 0
    _running.append(gc.get_threshold() if not _running else _running[0])
    if not frozen:
        gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        before = _running.pop()
        if not _running:
            gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()
