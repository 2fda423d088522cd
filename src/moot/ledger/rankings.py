"""Who ranks the essays of a run, and every place that was given to one, in the order it was.

Nothing is ever overwritten: of the places that one rater gave an essay for one aspect the last
counts, and those before stay with their times.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from time import time
from typing import Any, NamedTuple, TypeVar

from moot.core.errors import StoreError
from moot.core.texts import clean
from moot.ledger.place import store_error
from moot.ledger.transaction import transaction
from moot.ledger.writer import Writer

T = TypeVar("T")


class Rater(NamedTuple):
    """One who ranks essays of a run.

    Attributes:
        id: the number in this store.
        run: the number of the run.
        name: as it was given; unique in the run.
        key: by which the rater is known to the server, not to be guessed.
        seed: decides in which order this rater sees the essays of each item.
        created: Unix seconds.
    """

    id: int
    run: int
    name: str
    key: str
    seed: int
    created: float


class Item(NamedTuple):
    """What essays are compared on: a question of a dataset, in one of its replicates."""

    dataset: str
    question: str
    replicate: int


class Choice(NamedTuple):
    """A place that a rater gives an essay.

    Attributes:
        item: what the essay is about.
        aspect: what it is compared in.
        arm: whose essay it is.
        place: from 1, the best; equal places are ties.
        shown: as which of the item's essays the rater saw it, from 1.
        essays: how many essays the rater compared.
    """

    item: Item
    aspect: str
    arm: str
    place: int
    shown: int
    essays: int


class Entered(NamedTuple):
    """A choice, the name of the rater who made it, and when in Unix seconds."""

    rater: str
    choice: Choice
    created: float


_RATER = ", ".join(Rater._fields)
_CHOICE = "dataset, question, replicate, aspect, arm, place, shown, essays"


class Rankings:
    """The raters of runs and what they entered; see ``Parts.rankings``.

    Every method raises ``StoreError`` where the file cannot be read or written.
    """

    def __init__(self, file: Path, reader: sqlite3.Connection, writer: Writer | None) -> None:
        self._file, self._reader, self._writer = file, reader, writer

    async def enrol(self, run: int, name: str, key: str, seed: int) -> Rater:
        """Make a rater, durably, unless the run has one of this name; give the one there is.

        Whoever wants to know whether it is a new one compares the keys.
        """

        def work(connection: sqlite3.Connection) -> Rater:
            connection.execute(
                "INSERT INTO raters (run, name, key, seed, created) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (run, name) DO NOTHING",
                (run, clean(name), key, seed, time()),
            )
            query = f"SELECT {_RATER} FROM raters WHERE run = ? AND name = ?"  # noqa: S608  own
            return Rater(*connection.execute(query, (run, clean(name))).fetchone())

        return await self._write(work)

    def raters(self, run: int) -> list[Rater]:
        """Every rater of a run, the first first."""
        query = f"SELECT {_RATER} FROM raters WHERE run = ? ORDER BY id"  # noqa: S608  own names
        return [Rater(*row) for row in self._rows(query, run)]

    def rater(self, run: int, key: str) -> Rater | None:
        """The rater of a run who has this key, or None."""
        query = f"SELECT {_RATER} FROM raters WHERE run = ? AND key = ?"  # noqa: S608  own names
        found = self._rows(query, run, clean(key))
        return Rater(*found[0]) if found else None

    async def enter(self, rater: int, choices: Sequence[Choice]) -> float:
        """Keep what a rater chose, all of it together; returns once it is durable.

        Args:
            rater: the rater's number.
            choices: in the order in which they were made.

        Returns:
            The time that is kept with them, in Unix seconds.
        """
        now = time()
        rows = [(rater, now, *each.item, *each[1:]) for each in choices]

        def work(connection: sqlite3.Connection) -> float:
            with transaction(connection):
                connection.executemany(
                    f"INSERT INTO rankings (rater, created, {_CHOICE}) "  # noqa: S608  own names
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )
            (newest,) = connection.execute("SELECT MAX(id) FROM rankings").fetchone()
            if self._writer is not None:
                self._writer.mark.note(rankings=newest)
            return now

        return await self._write(work)

    def chosen(self, rater: int) -> list[Choice]:
        """All that a rater entered, in that order."""
        query = f"SELECT {_CHOICE} FROM rankings WHERE rater = ? ORDER BY id"  # noqa: S608  own
        return [_choice(row) for row in self._rows(query, rater)]

    def entered(self, run: int) -> list[Entered]:
        """All that was entered about a run, in that order."""
        query = (
            f"SELECT raters.name, rankings.created, {_CHOICE} FROM rankings "  # noqa: S608  own
            "JOIN raters ON raters.id = rankings.rater WHERE raters.run = ? ORDER BY rankings.id"
        )
        return [Entered(row[0], _choice(row[2:]), row[1]) for row in self._rows(query, run)]

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        if self._writer is None:
            raise StoreError(f"store {self._file}: it was opened for reading only")
        done: T = await asyncio.wrap_future(self._writer.do(work))
        return done

    def _rows(self, query: str, *values: int | str) -> list[tuple[Any, ...]]:
        try:
            return self._reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise store_error(error, self._file) from error


def _choice(row: Sequence[Any]) -> Choice:
    return Choice(Item(*row[:3]), *row[3:])
