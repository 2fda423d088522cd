"""A relay between standard input and its reader: closing it ends the reader.

A library that waits in a thread for standard input cannot be cancelled, so that a signal would end
nothing until the client closes the input. Here the reader waits for a pipe, and the relay fills it.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Thread

PIECE = 1 << 16
"""Bytes that are read at once."""


@contextmanager
def relay_input(*, longest: int, told: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Put a pipe in the place of standard input inside the block; yield what closes the pipe.

    Args:
        longest: the most bytes of a line. The rest of a longer one is dropped.
        told: is called with a sentence for each line that was cut.
    """
    own = sys.stdin.fileno()
    wire = os.dup(own)  # never closed: the thread may wait for it until the process ends
    reads, writes = os.pipe()
    os.dup2(reads, own)
    os.close(reads)
    closed = False

    def close() -> None:
        nonlocal closed
        if not closed:
            closed = True
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, writes, inheritable=False)  # the number stays taken: the thread has it
            os.close(null)

    def forward() -> None:
        with suppress(OSError):  # the pipe is closed
            for piece in _cut_lines(wire, longest, told):
                if closed:
                    return
                left = memoryview(piece)
                while left:
                    left = left[os.write(writes, left) :]
        close()

    Thread(target=forward, name="moot-input", daemon=True).start()
    try:
        yield close
    finally:
        close()
        os.dup2(wire, own)


def _cut_lines(wire: int, longest: int, told: Callable[[str], None]) -> Iterator[bytes]:
    """Yield the bytes of a file; of a line that is longer than allowed, only the beginning."""
    held = 0
    while piece := os.read(wire, PIECE):
        for part in piece.splitlines(keepends=True):
            ended = part.endswith(b"\n")
            left = longest - held
            if held <= longest < held + len(part):
                told(f"a message of more than {longest} bytes was not read")
            yield part if len(part) <= left else part[: max(left, 0)] + b"\n" * ended
            held = 0 if ended else held + len(part)
