"""Rows of a user's file that cannot be read: named, counted and, on request, left out."""

from collections.abc import Callable
from logging import getLogger
from os import sep
from pathlib import Path

from moot.core.errors import InputError

COUNTED = 1000
"""Rows that are counted where they stop the reading; a file without a right row is not read on."""
NAMED = 3
"""Rows that are named where they are left out."""

log = getLogger("moot.datasets")
_said: set[str] = set()


def say_once(note: str) -> None:
    """Log a note for people, the first time in this process; files here by their names alone."""
    note = note.removeprefix(f"{Path.cwd()}{sep}")
    if note not in _said:
        _said.add(note)
        log.warning(note)


class UnreadRows:
    """The rows of one file that cannot be read.

    Args:
        path: of the file.
        skip: whether they are left out; else the first of them is an error once all are counted.
    """

    def __init__(self, path: Path, *, skip: bool) -> None:
        self._path, self._skip = path, skip
        self._first: list[InputError] = []
        self._count = 0

    @property
    def stops(self) -> bool:
        """Whether no further question is given, since a row will be an error."""
        return self._count > 0 and not self._skip

    def add(self, error: InputError) -> None:
        """Count a row. Raises its error where so many are counted that the rest does not matter."""
        self._count += 1
        if len(self._first) < NAMED:
            self._first.append(error)
        if self._count >= COUNTED and not self._skip:
            raise self._describe(f"so it is with {self._count:,} rows and perhaps more")

    def finish(self, read: int) -> str:
        """Return a sentence on the rows that were left out; empty for none.

        Args:
            read: rows that could be read.

        Raises:
            InputError: a row cannot be read, and is not to be left out; or none can be read.
        """
        every = self._count + read
        if not self._count:
            return ""
        if not read:
            raise self._describe(f"so it is with all {every:,} rows" if every > 1 else "")
        if not self._skip:
            more = f"{self._count:,} of {every:,} rows cannot be read; " if self._count > 1 else ""
            raise self._describe(
                f"{more}to leave such rows out: skip_unreadable = true in a study, "
                "--skip-unreadable of moot worth"
            )
        named = "; ".join(str(each).removeprefix(f"{self._path}, ") for each in self._first)
        rest = f"; and {self._count - NAMED:,} more" if self._count > NAMED else ""
        left = "is" if self._count == 1 else "are"
        return f"{self._path}: {self._count:,} of {every:,} rows {left} left out: {named}{rest}"

    def _describe(self, count: str) -> InputError:
        """Return the error of the first row, with how many there are."""
        error = self._first[0]
        if count:
            error.args = (f"{error}; {count}",)
        return error


Tell = Callable[[str], None]
"""Takes a note for people."""
