"""The connections of an open store, shared by all its parts."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from moot.core.errors import DamagedError, StoreError
from moot.ledger.batch import copy_error
from moot.ledger.store_place import store_error
from moot.ledger.writer import Writer

T = TypeVar("T")


class StoreParts:
    """Reads in the calling thread and writes in that of the writer, for all parts of a store.

    An error of SQLite is raised as a ``StoreError`` that says what to do.

    Attributes:
        file: the SQLite file.
    """

    file: Path
    _reader: sqlite3.Connection
    _writer: Writer | None
    _closed: bool
    _loss_raised: bool

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._reader
        except (sqlite3.Error, DamagedError) as error:
            raise store_error(error, self.file) from error

    def query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self._reading() as reader:
            return reader.execute(statement, values).fetchall()

    async def change(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do work in the writer's thread, and return its result once it is durable."""
        done: T = await asyncio.wrap_future(self._writing().do(work))
        return done

    def _writing(self) -> Writer:
        if self._closed:
            raise StoreError(f"store {self.file}: it is closed")
        if self._writer is None:
            raise StoreError(f"store {self.file}: it was opened for reading only")
        return self._writer

    def _raise_trouble(self, writer: Writer) -> None:
        """Raise the error of an earlier write that no task has waited for, if there is one."""
        trouble, writer.trouble = writer.trouble, None
        if (halt := writer.patience.halt_error) is not None and not self._loss_raised:
            self._loss_raised = True
            raise copy_error(halt)
        if trouble:
            raise trouble
