"""What is left to the garbage collector: frames that hold each other, and all that they hold."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import isframe


@contextmanager
def find_frames() -> Iterator[list[str]]:
    """Yield a list that has, after the block, the moot functions whose frames it left behind."""
    left: list[str] = []
    gc.disable()
    gc.collect(0)
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield left
        gc.collect(0)  # all that the block has made, since nothing was collected meanwhile
        frames = [each for each in gc.garbage if isframe(each)]
        left += [each.f_code.co_qualname for each in frames if "/moot/" in each.f_code.co_filename]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
