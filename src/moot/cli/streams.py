"""Standard streams whose failures end no command with a traceback.

Standard output raises ``ReaderGone`` when its reader has closed it, and ``OutputError`` when it
cannot be written: once, and then it ignores all output. Standard error raises nothing. Characters
that a stream has no code for are replaced.
"""

import codecs
import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from moot.core.errors import OutputError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

HANDLER = "moot"
"""The name of the error handler that replaces characters."""

_ALIKE = {"−": "-", "–": "-", "…": "...", "→": "->", "·": "|", "×": "x", "█": "#", "░": "."}
"""Characters in moot's output, and their replacement in an encoding without them."""


class ReaderGone(Exception):
    """The reader of standard output has closed it.

    This is no ``BrokenPipeError``, for which click and rich would end the process with code 1.
    """


def prepare() -> None:
    """Replace the standard streams of this process by those described above."""
    codecs.register_error(HANDLER, _replace)
    sys.stdout = _wrap(sys.stdout, 1, quiet=False)
    sys.stderr = _wrap(sys.stderr, 2, quiet=True)


def flush() -> None:
    """Flush standard output. Raises the errors of standard output."""
    if sys.stdout is not None:
        sys.stdout.flush()


class _Raw(FileIO):
    """A file that ignores all output after its first failure."""

    def __init__(self, number: int, *, quiet: bool) -> None:
        super().__init__(number, "wb", closefd=False)
        self._quiet = quiet
        self._failed = False

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write data. Raises at the first failure; later it ignores the data."""
        size = memoryview(data).nbytes
        if self._failed or not size:  # click tests a stream by writing nothing
            return size
        try:
            while (written := super().write(data)) is None:  # full, and not blocking
                from select import select

                select([], [self], [])
        except BrokenPipeError:
            self._failed = True
            if not self._quiet:
                raise ReaderGone from None
            return size
        except OSError as error:
            self._failed = True
            if not self._quiet:
                why = error.strerror or error
                raise OutputError(f"standard output: cannot be written: {why}") from None
            return size
        return written


def _wrap(stream: TextIO | None, number: int, *, quiet: bool) -> TextIO:
    """Return a stream in place of this one; for no stream, one that ignores all output."""
    if stream is None:  # closed before this process began
        return Path(os.devnull).open("w", encoding="utf-8")
    if not isinstance(stream, TextIOWrapper):
        return stream
    raw = getattr(stream.buffer, "raw", stream.buffer)  # itself where it is unbuffered
    if type(raw) is not FileIO or raw.fileno() != number:  # the console of Windows has its own
        stream.reconfigure(errors=HANDLER)
        return stream
    stream.flush()
    own = _Raw(number, quiet=quiet)
    return TextIOWrapper(
        own if stream.write_through else BufferedWriter(own),
        encoding=stream.encoding,
        errors=HANDLER,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of characters without a code: similar ones, or their numbers."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    written = "".join(_ALIKE.get(c) or c.encode("ascii", "backslashreplace").decode() for c in text)
    return written, error.end
