"""What a store keeps beside its replies, runs and debates, each part with a class of its own."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moot.core.errors import DamagedError, StoreError
from moot.ledger.batch import copy_error
from moot.ledger.place import store_error
from moot.ledger.rankings import Rankings
from moot.ledger.values import Values
from moot.ledger.writer import Writer


class Parts:
    """The parts of a store; it reads and writes for them.

    Attributes:
        file: the SQLite file.
    """

    file: Path
    _reader: sqlite3.Connection
    _writer: Writer | None
    _closed: bool
    _told_of_loss: bool

    @property
    def measured(self) -> Values:
        """The metric values of recorded debates, to be measured again."""
        return Values(self.file, self._reader, self._writer)

    @property
    def rankings(self) -> Rankings:
        """What people entered who compared the essays of runs."""
        return Rankings(self.file, self._reader, self._writer)

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._reader
        except (sqlite3.Error, DamagedError) as error:
            raise store_error(error, self.file) from error

    def _writing(self) -> Writer:
        if self._closed:
            raise StoreError(f"store {self.file}: it is closed")
        if self._writer is None:
            raise StoreError(f"store {self.file}: it was opened for reading only")
        return self._writer

    def _raise_trouble(self, writer: Writer) -> None:
        trouble, writer.trouble = writer.trouble, None
        if (halt := writer.patience.halt) is not None and not self._told_of_loss:
            self._told_of_loss = True
            raise copy_error(halt)
        if trouble:
            raise trouble
