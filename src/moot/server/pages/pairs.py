"""Two arms on the same questions: which arm answers each question right."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from moot.analyses.comparison import Compared
from moot.analyses.comparison import compare as compared
from moot.ledger.reader import Reader
from moot.server.pages.index import Index, Line
from moot.server.pages.listing import asked
from moot.studies.lab import open_lab

KINDS = {
    "differ": "only one is right",
    "first": "only the first is right",
    "second": "only the second is right",
    "both": "both are right",
    "none": "none is right",
}
"""The kinds of questions that a list can show."""


class Pair(NamedTuple):
    """The debates of two arms on one question and replicate, with known right answers."""

    first: Line
    second: Line

    @property
    def kind(self) -> str:
        """Which of them is right, as a key of ``KINDS``."""
        right = (self.first.outcome == "right", self.second.outcome == "right")
        return {(True, True): "both", (True, False): "first", (False, True): "second"}.get(
            right, "none"
        )

    @property
    def cursor(self) -> str:
        """Its question and replicate in a URL."""
        return "\x1f".join(map(str, self.first.key[2:]))


@dataclass(frozen=True)
class Agreement:
    """Two arms on one dataset.

    Attributes:
        told: their accuracies and the difference.
        pairs: all questions that both have debated, in order.
        counts: the number of questions of each of ``KINDS``.
    """

    told: Compared
    pairs: list[Pair]
    counts: dict[str, int]

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self.told.dataset

    def of(self, kind: str) -> list[Pair]:
        """Return the questions of a kind."""
        kinds = {"first", "second"} if kind == "differ" else {kind}
        return [pair for pair in self.pairs if pair.kind in kinds]


def contrast(place: Path, runs: tuple[str, str], arms: tuple[str, str]) -> tuple[Compared, ...]:
    """Compare two arms as ``moot compare`` does, where no event loop is running.

    Raises ``InputError`` if they cannot be compared.
    """

    async def work() -> tuple[Compared, ...]:
        async with open_lab(place, readonly=True) as lab:
            second = None if runs[0] == runs[1] else runs[1]
            return compared(lab, runs[0], second, arms=["=".join(arms)])

    return asyncio.run(work())


def agreements(
    found: Sequence[Compared], indexes: tuple[Index, Index], arms: tuple[str, str]
) -> list[Agreement]:
    """Return the questions of two arms, for each dataset."""
    made = []
    for each in found:
        others = indexes[1].outcomes(arms[1], each.dataset)
        pairs = [
            Pair(line, others[key])
            for key, line in indexes[0].outcomes(arms[0], each.dataset).items()
            if key in others and "open" not in {line.outcome, others[key].outcome}
        ]
        counts = dict.fromkeys(KINDS, 0)
        for pair in pairs:
            counts[pair.kind] += 1
        counts["differ"] = counts["first"] + counts["second"]
        made.append(Agreement(each, pairs, counts))
    return made


class Shown(NamedTuple):
    """A page of questions with their texts, and the cursor of the next page."""

    entries: list[tuple[Pair, str]]
    first: int
    total: int
    after: str


def shown(reader: Reader, pairs: Sequence[Pair], cursor: str, *, most: int) -> Shown:
    """Return the page of questions after a cursor."""
    start = next((at for at, pair in enumerate(pairs, 1) if pair.cursor == cursor), 0)
    page = pairs[start : start + most]
    texts = asked(reader, [pair.first.number for pair in page])
    entries = [(pair, texts.get(pair.first.number, "")) for pair in page]
    after = page[-1].cursor if start + most < len(pairs) else ""
    return Shown(entries, start + 1, len(pairs), after)
