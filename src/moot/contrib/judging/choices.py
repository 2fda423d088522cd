"""Raters of pairs, and everything that they chose, in order of time.

Nothing is overwritten. Of what one rater chose for a pair the last counts; to undo a choice is an
entry of its own.
"""

from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

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

Side: TypeAlias = Literal["council", "solo"]
"""The author of an answer: the method that is judged, or the single reply beside it."""
Chosen: TypeAlias = Literal["council", "solo", "same", "skip", "undo"]
"""A choice: the better side, neither, no choice for this pair, or the last choice taken back."""

PART = StorePart(
    name="judging",
    changes=read_changes(Path(__file__).with_name("choices.sql")),
    tables={
        "pair_raters": PartTable(
            kind="rater of pairs",
            columns={"run": int, "name": str, "key": str, "seed": int, "created": float},
            parent="runs",
            unique=("run", "name"),
        ),
        "pair_choices": PartTable(
            kind="choice of a pair",
            columns={
                "rater": int,
                "created": float,
                "solo": str,
                "council": str,
                "dataset": str,
                "question": str,
                "replicate": int,
                "first": str,
                "choice": str,
            },
            parent="pair_raters",
        ),
    },
)
PART.add()


class PairRater(NamedTuple):
    """A person who judges pairs of a run.

    Attributes:
        id: the number of the rater in this store.
        run: the number of the run.
        name: the name that the person gave; unique in the run.
        key: the secret by which the server knows the rater.
        seed: of the order in which the two answers of a pair are shown; a secret, too.
        created: the time of enrolment, in Unix seconds.
    """

    id: int
    run: int
    name: str
    key: str
    seed: int
    created: float


class PairKey(NamedTuple):
    """The place of a pair in a run."""

    dataset: str
    question: str
    replicate: int


class Match(NamedTuple):
    """The two arms, or speakers, whose answers are compared, by name."""

    solo: str
    council: str


class PairChoice(NamedTuple):
    """A choice of a rater.

    Attributes:
        pair: the place of the pair.
        first: the side whose answer was shown first.
        choice: what was chosen.
        created: the time, in Unix seconds.
    """

    pair: PairKey
    first: Side
    choice: Chosen
    created: float = 0.0


_RATER = ", ".join(PairRater._fields)
_CHOICE = "dataset, question, replicate, first, choice, created"


class PairChoices:
    """The raters of a run in a store, and their choices between the answers of two arms.

    Every method raises ``StoreError`` where the store cannot be read or written.
    """

    def __init__(self, store: Store, run: int, match: Match) -> None:
        self._store, self._run, self._match = store, run, match

    def _query(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query; none where nobody has ever judged pairs."""
        known = self._store.has_table("pair_choices")
        return self._store.query(statement, *values) if known else []

    async def _change(self, work: Callable[[StoreConnection], T]) -> T:
        """Do work in the thread that writes, over tables that are there."""
        await self._store.extend(PART)
        return await self._store.change(work)

    async def add_rater(self, name: str, key: str, seed: int) -> PairRater:
        """Return the rater of this name; make it, durably, where there is none.

        The rater is new if it has the given key.
        """
        name = replace_surrogates(name)

        def work(connection: StoreConnection) -> PairRater:
            connection.execute(
                "INSERT INTO pair_raters (run, name, key, seed, created) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (run, name) DO NOTHING",
                (self._run, name, key, seed, time()),
            )
            query = f"SELECT {_RATER} FROM pair_raters WHERE run = ? AND name = ?"  # noqa: S608  own
            return PairRater(*connection.execute(query, (self._run, name)).fetchone())

        return await self._change(work)

    def raters(self) -> list[PairRater]:
        """Return every rater of the run, in the order of their enrolment."""
        query = f"SELECT {_RATER} FROM pair_raters WHERE run = ? ORDER BY id"  # noqa: S608  own names
        return [PairRater(*row) for row in self._query(query, self._run)]

    def rater(self, key: str) -> PairRater | None:
        """Return the rater with this key, or None."""
        query = f"SELECT {_RATER} FROM pair_raters WHERE run = ? AND key = ?"  # noqa: S608  own names
        found = self._query(query, self._run, replace_surrogates(key))
        return PairRater(*found[0]) if found else None

    async def add(self, rater: PairRater, pair: PairKey, first: Side, choice: Chosen) -> None:
        """Store a choice, and return once it is durable."""
        row = (rater.id, time(), *self._match, *pair, first, choice)

        def work(connection: StoreConnection) -> None:
            with transaction(connection):
                connection.execute(
                    "INSERT INTO pair_choices (rater, created, solo, council, dataset, question, "
                    "replicate, first, choice) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row,
                )
            (newest,) = connection.execute("SELECT MAX(id) FROM pair_choices").fetchone()
            self._store.database.note("pair_choices", newest)

        await self._change(work)

    def of(self, rater: PairRater) -> list[PairChoice]:
        """Return all choices of a rater between these arms, in the order of their entry."""
        query = (
            f"SELECT {_CHOICE} FROM pair_choices "  # noqa: S608  own names
            "WHERE rater = ? AND solo = ? AND council = ? ORDER BY id"
        )
        found = self._query(query, rater.id, *self._match)
        return [PairChoice(PairKey(*row[:3]), *row[3:]) for row in found]
