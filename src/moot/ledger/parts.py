"""What a store keeps beside its replies, runs and debates, each part with a class of its own."""

import sqlite3
from pathlib import Path

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

    @property
    def measured(self) -> Values:
        """The metric values of recorded debates, to be measured again."""
        return Values(self.file, self._reader, self._writer)

    @property
    def rankings(self) -> Rankings:
        """What people entered who compared the essays of runs."""
        return Rankings(self.file, self._reader, self._writer)
