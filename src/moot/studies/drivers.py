"""Drivers: they have workers in other processes run the debates of a laboratory.

A package brings one by an entry point in the group ``moot.drivers``; its name is that of the option
that asks for it: ``ray``.
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol

from moot.core.errors import InputError
from moot.models.model_names import refuse_people
from moot.models.prices import Price
from moot.runtime.budget import Budget
from moot.runtime.path import CallPath
from moot.runtime.retry import Retry

if TYPE_CHECKING:
    from moot.studies.lab import Lab
    from moot.studies.plan import Plan
    from moot.studies.progress_counts import RunProgress

GROUP = "moot.drivers"
HERE = ""
"""The address that stands for workers on this machine."""
MOST_WORKERS = 100_000


class Workers(Protocol):
    """Workers that run debates and pay for them."""

    def set_budget(
        self,
        budget: Budget,
        retry: Retry,
        prices: Mapping[str, Price],
        *,
        run: int,
        also: tuple[int, ...],
    ) -> CallPath:
        """Have them pay for a run from now on; return a path that counts their calls."""

    async def run_all(self, plan: "Plan", progress: "RunProgress") -> str:
        """Run every debate of a plan; return why it stopped before the end, or an empty text."""

    def count_shared(self) -> dict[str, int]:
        """Return how many replies came from processes that are no workers, by process."""


class Driver(Protocol):
    """An entry point of the group."""

    def check(self, lab: "Lab", address: str) -> None:
        """Check that workers can run a laboratory's debates.

        Raises:
            InputError: they cannot reach its store, or a library is not installed.
        """

    def open(
        self, lab: "Lab", address: str, workers: int | None
    ) -> AbstractAsyncContextManager[Workers]:
        """Start workers, for the block.

        Args:
            lab: the laboratory.
            address: where they are; ``HERE`` for this machine.
            workers: how many there are; None: as many as there are CPUs.

        Raises:
            ClusterError: they cannot be started or reached.
        """


def find_driver() -> Driver:
    """Return the driver that the option ``ray`` asks for. Raises ``InputError`` without one."""
    for entry in entry_points(group=GROUP, name="ray"):
        found: Driver = entry.load()
        return found
    raise InputError("--ray: no package is installed that runs debates on Ray")


def check_workers(
    lab: "Lab", address: str | None, workers: int | None, models: Iterable[str] = ()
) -> None:
    """Check what ``Lab.use_workers`` is to be given; see ``Lab.check_workers``."""
    if address is None:
        if workers is not None:
            raise InputError("workers are those of a cluster: add --ray (in Python ray='')")
        return
    refuse_people(models, "--ray")
    if not isinstance(address, str):
        raise InputError(f"ray = {address!r}: give a cluster's address, or '' for this machine")
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise InputError(f"workers = {workers}: must be 1 to {MOST_WORKERS}")
    find_driver().check(lab, address)
    if lab.batch is not None:
        raise InputError("--ray and batches do not go together: one process sends the batches")
