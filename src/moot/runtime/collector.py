"""Rare garbage collections during a run."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SELDOM = (100_000, 5, 100)
"""The thresholds that a run begins with; see ``gc.set_threshold``."""
RAREST = 16 * SELDOM[0]
"""The greatest first threshold."""

_running: list[tuple[int, int, int]] = []
"""The thresholds to restore, once for each run in progress."""


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Collect garbage less often inside the block, and as before afterwards.

    The objects of a debate live until it ends, so a collection after every few hundred allocations
    finds nothing: it took a fifth of the time of a call. Objects from before the run are left out
    until its end. Where hundreds of debates begin at once, even a collection after 100,000 finds
    nothing. So after one that has found next to nothing, the next comes later. Peak memory grows
    by about 3 MB.

    Where several runs overlap, the last to end restores the thresholds that the first has found.
    Objects that the host froze stay frozen.
    """
    frozen = gc.get_freeze_count() > 0
    if not _running:
        gc.callbacks.append(_adapt)
    _running.append(gc.get_threshold() if not _running else _running[0])
    if not frozen:
        gc.freeze()
    gc.set_threshold(*SELDOM)
    try:
        yield
    finally:
        before = _running.pop()
        if not _running:
            gc.callbacks.remove(_adapt)
            gc.set_threshold(*before)
        if not frozen:
            gc.unfreeze()


def _adapt(phase: str, info: dict[str, Any]) -> None:
    """After a collection, set when the next one comes, by what this one has found."""
    if phase != "stop":
        return
    after, *others = gc.get_threshold()
    if info["collected"] < after // 100:
        gc.set_threshold(min(2 * after, RAREST), *others)
    elif info["collected"] > after // 10:
        gc.set_threshold(SELDOM[0], *others)
