"""Raters of essays, and all places that they gave, in order of time.

Nothing is overwritten. Of the places that one rater gave an essay for one aspect the last counts;
earlier ones stay, with their times.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import time
from typing import Any, NamedTuple, TypeVar

from moot.extend.stores import (
    PartTable,
    Store,
    StoreConnection,
    StorePart,
    read_changes,
    transaction,
)
from moot.extend.words import replace_surrogates

T = TypeVar("T")

PART = StorePart(
    name="essays",
    changes=read_changes(Path(__file__).with_name("rankings.sql")),
    tables={
        "raters": PartTable(
            kind="rater",
            columns={"run": int, "name": str, "key": str, "seed": int, "created": float},
            parent="runs",
            unique=("run", "name"),
        ),
        "rankings": PartTable(
            kind="ranking",
            columns={
                "rater": int,
                "created": float,
                "dataset": str,
                "question": str,
                "replicate": int,
                "aspect": str,
                "arm": str,
                "place": int,
                "shown": int,
                "essays": int,
            },
            parent="raters",
        ),
    },
)
PART.add()


class Rater(NamedTuple):
    """A person who ranks essays of a run.

    Attributes:
        id: the rater's number in this store.
        run: the number of the run.
        name: the name that the person gave; unique in the run.
        key: the secret by which the server knows the rater.
        seed: the seed of the order in which the rater sees the essays of an item.
        created: the time of enrolment, in Unix seconds.
    """

    id: int
    run: int
    name: str
    key: str
    seed: int
    created: float


class ComparedItem(NamedTuple):
    """The subject of a comparison: a question of a dataset, in one replicate."""

    dataset: str
    question: str
    replicate: int


class RankingChoice(NamedTuple):
    """A place that a rater gives an essay.

    Attributes:
        item: the subject of the essay.
        aspect: the aspect of the comparison.
        arm: the arm that wrote the essay.
        place: from 1, the best; equal places are ties.
        shown: the position, from 1, in which the rater saw the essay.
        essays: the number of essays that the rater compared.
    """

    item: ComparedItem
    aspect: str
    arm: str
    place: int
    shown: int
    essays: int


class RecordedChoice(NamedTuple):
    """A choice, the name of its rater, and its time in Unix seconds."""

    rater: str
    choice: RankingChoice
    created: float


_RATER = ", ".join(Rater._fields)
_CHOICE = "dataset, question, replicate, aspect, arm, place, shown, essays"


class Rankings:
    """The raters of runs in a store, and their choices.

    Every method raises ``StoreError`` where the store cannot be read or written.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def _query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query; none where nobody has ever rated."""
        return self._store.query(statement, *values) if self._store.has_table("rankings") else []

    async def _change(self, work: Callable[[StoreConnection], T]) -> T:
        """Do work in the thread that writes, over tables that are there."""
        await self._store.extend(PART)
        return await self._store.change(work)

    async def add_rater(self, run: int, name: str, key: str, seed: int) -> Rater:
        """Return the rater of this name in a run; make it, durably, where there is none.

        The rater is new if it has the given key.
        """

        def work(connection: StoreConnection) -> Rater:
            connection.execute(
                "INSERT INTO raters (run, name, key, seed, created) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (run, name) DO NOTHING",
                (run, replace_surrogates(name), key, seed, time()),
            )
            query = f"SELECT {_RATER} FROM raters WHERE run = ? AND name = ?"  # noqa: S608  own
            return Rater(*connection.execute(query, (run, replace_surrogates(name))).fetchone())

        return await self._change(work)

    def raters(self, run: int) -> list[Rater]:
        """Return every rater of a run, in the order of their enrolment."""
        query = f"SELECT {_RATER} FROM raters WHERE run = ? ORDER BY id"  # noqa: S608  own names
        return [Rater(*row) for row in self._query(query, run)]

    def rater(self, run: int, key: str) -> Rater | None:
        """Return the rater of a run with this key, or None."""
        query = f"SELECT {_RATER} FROM raters WHERE run = ? AND key = ?"  # noqa: S608  own names
        found = self._query(query, run, replace_surrogates(key))
        return Rater(*found[0]) if found else None

    async def add_choices(self, rater: int, choices: Sequence[RankingChoice]) -> float:
        """Store choices of a rater in one transaction, and return once they are durable.

        Args:
            rater: the rater's number.
            choices: the choices, in their order.

        Returns:
            The time that is stored with them, in Unix seconds.
        """
        now = time()
        rows = [(rater, now, *each.item, *each[1:]) for each in choices]

        def work(connection: StoreConnection) -> float:
            with transaction(connection):
                connection.executemany(
                    f"INSERT INTO rankings (rater, created, {_CHOICE}) "  # noqa: S608  own names
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )
            (newest,) = connection.execute("SELECT MAX(id) FROM rankings").fetchone()
            self._store.database.note("rankings", newest)
            return now

        return await self._change(work)

    def choices_of(self, rater: int) -> list[RankingChoice]:
        """Return all choices of a rater, in their order."""
        query = f"SELECT {_CHOICE} FROM rankings WHERE rater = ? ORDER BY id"  # noqa: S608  own
        return [_choice(row) for row in self._query(query, rater)]

    def choices_about(self, run: int) -> list[RecordedChoice]:
        """Return all choices about a run, in their order."""
        query = (
            f"SELECT raters.name, rankings.created, {_CHOICE} FROM rankings "  # noqa: S608  own
            "JOIN raters ON raters.id = rankings.rater WHERE raters.run = ? ORDER BY rankings.id"
        )
        return [RecordedChoice(row[0], _choice(row[2:]), row[1]) for row in self._query(query, run)]


def _choice(row: Sequence[Any]) -> RankingChoice:
    return RankingChoice(ComparedItem(*row[:3]), *row[3:])
