"""The finished debates of a run: those in its store that would come out the same again."""

import asyncio

from moot.core.stored import RunRow
from moot.studies.asked_values import AskedValues
from moot.studies.debate_origins import DebateOrigins
from moot.studies.lab import Lab
from moot.studies.plan import Plan
from moot.studies.task import Task

_ROWS = 1_000
"""Rows of the store that are read together."""


class FinishedDebates:
    """Knows which debates of a run need not be run again.

    A debate is run again if it failed, if anything that it depends on has changed, or if its
    record is not what was written. Records of an older moot do not say what they depend on: such
    debates are run again, too. That costs time and no call.

    Args:
        lab: has the store and the models.
        plan: has the debates.
        row: their run.

    Attributes:
        run: the number of the run.
        origins: of the debates.
        measured: the debates of which what the end of a run shows was measured again, since its
            metrics have changed.
    """

    def __init__(self, lab: Lab, plan: Plan, row: RunRow) -> None:
        self._lab, self._row, self.run = lab, row, row.id
        self.origins = DebateOrigins(lab, plan)
        self.measured = 0
        self._known = frozenset[bytes]()

    @property
    def has_any(self) -> bool:
        """Whether there is any."""
        return bool(self._known)

    def __contains__(self, task: object) -> bool:
        if not self._known or not isinstance(task, Task):
            return False
        return self.origins.find(task) in self._known

    async def load(self) -> None:
        """Read the store; measure debates again of which other metrics have measured the end."""
        values, run = self._lab.store.debate_values, self.run
        span, known = values.find_span(run), set[bytes]()
        for first in range(span.first, span.last + 1, _ROWS):
            known.update(values.read_origins(run, first, first + _ROWS - 1))
            await asyncio.sleep(0)
        for measured in AskedValues(self._lab, self._row).measure_shown() if known else ():
            self.measured += measured
            await asyncio.sleep(0)
        self._known = frozenset(known)
