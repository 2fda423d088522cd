"""The sentence of each run in the list: the one that its own page leads with."""

from collections.abc import Iterable
from time import monotonic
from typing import NamedTuple

from moot import MootError
from moot.contrib.server.pages.archive import RunArchive
from moot.contrib.server.pages.run_list import RunLine
from moot.extend.stores import StoreReader

MEASURED = 50_000
"""The most debates of a run whose sentence the list shows: it takes some 2 s."""
AGAIN = 30.0
"""Seconds for which the sentence of a run that goes on stays."""


class _Said(NamedTuple):
    """A sentence, the state of the run that it is of, and until when it stays all the same."""

    state: tuple[str, int]
    sentence: str
    until: float


class RunSentences:
    """The sentences of the runs of a store, each computed once for a state of its run.

    Args:
        known: the runs.
    """

    def __init__(self, known: RunArchive) -> None:
        self.known = known
        self._said: dict[int, _Said] = {}

    async def read(self, lines: Iterable[RunLine], *, patient: float) -> dict[str, str | None]:
        """Return the sentences of studies by the keys of their runs, in the order of the list.

        Args:
            lines: the runs.
            patient: seconds after which no further one is computed.

        Returns:
            A sentence, empty where there is none to say; None where it is not computed yet.
        """
        end, found = monotonic() + patient, dict[str, str | None]()
        for line in lines:
            if line.single or not 0 < line.debates <= MEASURED:
                found[line.key] = ""
            else:
                found[line.key] = await self._say(line, end)
        return found

    async def _say(self, line: RunLine, end: float) -> str | None:
        said, state = self._said.get(line.id), (line.status, line.debates)
        if said is None or (said.state != state and monotonic() > said.until):
            left = end - monotonic()
            sentence = await self._compute(line, left) if left > 0 else None
            if sentence is None:
                return said and said.sentence
            said = self._said[line.id] = _Said(state, sentence, monotonic() + AGAIN)
        return said.sentence

    async def _compute(self, line: RunLine, patient: float) -> str | None:
        """Return the sentence of a run; None where it takes longer."""
        try:
            rows = await self.known.read(StoreReader.runs_of, [line.id])
            if not rows:  # deleted since the runs were listed
                return ""
            answer = await self.known.get_answer(rows[0], patient=patient)
        except MootError:  # the run's own page says what is wrong
            return ""
        return None if answer is None else answer.sentence
