"""Two arms on the same questions: which arm answers each question right."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from moot.analyses.comparison import ArmComparison
from moot.analyses.comparison import compare_arms as compared
from moot.ledger.reader import StoreReader
from moot.server.pages.index import DebateIndex, DebateLine
from moot.server.pages.listing import read_questions
from moot.studies.lab import open_lab

KINDS = {
    "differ": "only one is right",
    "first": "only the first is right",
    "second": "only the second is right",
    "both": "both are right",
    "none": "none is right",
}
"""The kinds of questions that a list can show."""


class DebatePair(NamedTuple):
    """The debates of two arms on one question and replicate, with known right answers."""

    first: DebateLine
    second: DebateLine

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
class ArmAgreement:
    """Two arms on one dataset.

    Attributes:
        told: their accuracies and the difference.
        pairs: all questions that both have debated, in order.
        counts: the number of questions of each of ``KINDS``.
    """

    told: ArmComparison
    pairs: list[DebatePair]
    counts: dict[str, int]

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return self.told.dataset

    def of(self, kind: str) -> list[DebatePair]:
        """Return the questions of a kind."""
        kinds = {"first", "second"} if kind == "differ" else {kind}
        return [pair for pair in self.pairs if pair.kind in kinds]


def compare_arms(
    place: Path, runs: tuple[str, str], arms: tuple[str, str]
) -> tuple[ArmComparison, ...]:
    """Compare two arms as ``moot analyse compare`` does, where no event loop is running.

    Raises ``InputError`` if they cannot be compared.
    """

    async def work() -> tuple[ArmComparison, ...]:
        async with open_lab(place, readonly=True) as lab:
            second = None if runs[0] == runs[1] else runs[1]
            return compared(lab, runs[0], second, arms=["=".join(arms)])

    return asyncio.run(work())


def pair_debates(
    found: Sequence[ArmComparison], indexes: tuple[DebateIndex, DebateIndex], arms: tuple[str, str]
) -> list[ArmAgreement]:
    """Return the questions of two arms, for each dataset."""
    made = []
    for each in found:
        others = indexes[1].outcomes(arms[1], each.dataset)
        pairs = [
            DebatePair(line, others[key])
            for key, line in indexes[0].outcomes(arms[0], each.dataset).items()
            if key in others and "open" not in {line.outcome, others[key].outcome}
        ]
        counts = dict.fromkeys(KINDS, 0)
        for pair in pairs:
            counts[pair.kind] += 1
        counts["differ"] = counts["first"] + counts["second"]
        made.append(ArmAgreement(each, pairs, counts))
    return made


class PairPage(NamedTuple):
    """A page of questions with their texts, and the cursor of the next page."""

    entries: list[tuple[DebatePair, str]]
    first: int
    total: int
    after: str


def list_pairs(
    reader: StoreReader, pairs: Sequence[DebatePair], cursor: str, *, most: int
) -> PairPage:
    """Return the page of questions after a cursor."""
    start = next((at for at, pair in enumerate(pairs, 1) if pair.cursor == cursor), 0)
    page = pairs[start : start + most]
    texts = read_questions(reader, [pair.first.number for pair in page])
    entries = [(pair, texts.get(pair.first.number, "")) for pair in page]
    after = page[-1].cursor if start + most < len(pairs) else ""
    return PairPage(entries, start + 1, len(pairs), after)
