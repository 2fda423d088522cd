"""What a store holds of a run that has ended."""

from moot.core.stored import DebateRow, Spent
from moot.studies.lab import open_lab


async def read_debates(store, run, **of) -> list[DebateRow]:
    """Return the debates of a run, or those of an arm."""
    async with open_lab(store, readonly=True) as lab:
        return list(lab.store.debates(lab.store.find_run(run).id, **of))


async def read_spent(store, run) -> Spent:
    """Return what was paid in a run."""
    async with open_lab(store, readonly=True) as lab:
        return lab.store.sum_spent(lab.store.find_run(run).id)


async def read_states(store) -> list[str]:
    """Return how each run stands."""
    async with open_lab(store, readonly=True) as lab:
        return [row.status for row in lab.store.runs()]
