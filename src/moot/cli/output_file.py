"""The file that an option of a command names, or standard output in its place."""

from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from moot.cli.console import print_text, say
from moot.core.errors import InputError
from moot.core.files import check_place, output_error, write_file
from moot.reports.export.row_files import write_csv

SUFFIXES = (".csv", ".json")
"""The endings of files of rows."""


class OutputFile:
    """A file to write to.

    Args:
        path: of the file; None for standard output.
        option: that names it, e.g. ``--output``.
    """

    def __init__(self, path: Path | None, option: str) -> None:
        self.path, self._where = path, f"{option} {path}"

    def check(self, *, force: bool = False, advice: str = "--force writes over it") -> None:
        """Check that it can be written, before its content is paid for.

        Args:
            force: whether a file that exists may be written over.
            advice: what to do about such a file.

        Raises:
            InputError: it cannot be written, or exists.
        """
        if self.path is None:
            return
        try:
            if self.path.is_dir():
                raise InputError(f"{self._where}: it is a folder; name a file in it")
            if self.path.is_file() and not force:
                raise InputError(f"{self._where}: it is there; {advice}")
            check_place(self.path)
        except OSError as error:
            raise output_error(self._where, error) from None

    def write(self, content: str | bytes, *, advice: str = "") -> None:
        """Write it and print its path; or print a text.

        Args:
            content: of the file; a text where nothing names one.
            advice: what to do where the file cannot be written; empty for nothing.

        Raises:
            InputError: the file cannot be written.
            OutputError: the disk is full or broken.
        """
        if self.path is None:
            print_text(str(content))
            return
        try:
            write_file(self.path, content)
        except OSError as error:
            trouble = output_error(self._where, error)
            if isinstance(trouble, OSError):
                raise trouble from None
            raise type(trouble)("; ".join(filter(None, (str(trouble), advice)))) from None
        say(str(self.path))

    def write_rows(self, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Write rows as CSV or JSON, by the file's ending, and print its path.

        Raises:
            InputError: the name has another ending, or the file cannot be written.
        """
        ending = "" if self.path is None else self.path.suffix.lower()
        if ending not in SUFFIXES:
            raise InputError(f"{self._where}: name a file that ends in {' or '.join(SUFFIXES)}")
        if ending == ".json":
            named = [dict(zip(columns, row, strict=True)) for row in rows]
            self.write(msgspec.json.format(msgspec.json.encode(named)) + b"\n")
            return
        made = BytesIO()
        with write_csv(made, columns) as write:
            for row in rows:
                write(row)
        self.write(made.getvalue())
