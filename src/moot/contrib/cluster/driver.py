"""The driver: it has Ray place workers, sends them chunks, and follows how far they are.

Ray starts workers again when they die. A chunk whose worker died goes to another: what the dead
one has paid for is in the store, and costs nothing again.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from math import ceil
from typing import Any

import msgspec

from moot import Budget, InputError, Model, Price
from moot.contrib.cluster.chunk_run import CLOSE, ChunkRun, ReportedGuard, WorkerPlace
from moot.contrib.cluster.chunks import SentArm, list_chunks
from moot.contrib.cluster.ray_link import RayLink, finish, import_ray, open_ray, wait_for
from moot.contrib.cluster.registered import list_registered, moot_version
from moot.contrib.cluster.worker import ChunkWorker
from moot.contrib.cluster.worker_limits import RateKeeper
from moot.contrib.cluster.worker_messages import RunOrder, WorkerAccess
from moot.extend.calls import CallPath, LeasedGuard, Retry
from moot.extend.studies import Lab, Plan, RunProgress

CHUNKS = 4
"""Chunks that each worker gets at least, where there are enough questions."""
_MOST_WORKERS = 100_000


class RayCluster:
    """The workers of a laboratory.

    Args:
        lab: the laboratory; its store is in PostgreSQL.
        link: the connection to Ray.
        workers: how many workers there are.
    """

    def __init__(self, lab: Lab, link: RayLink, workers: int) -> None:
        self._lab, self._link = lab, link
        self._payment: dict[str, Any] = {}
        self._payments = 0
        self._keeper: Any = None
        options = {
            "num_cpus": 1,
            "max_restarts": -1,
            "max_task_retries": 0,
            "max_concurrency": 10000,
        }
        self._workers = [
            WorkerPlace(number, link.make_actor(ChunkWorker, **options))
            for number in range(workers)
        ]

    def set_budget(
        self,
        budget: Budget,
        retry: Retry,
        prices: Mapping[str, Price],
        *,
        run: int,
        also: tuple[int, ...],
    ) -> CallPath:
        """Have the workers pay for a run from now on; return a path that counts their calls."""
        self._payments += 1
        for worker in self._workers:
            worker.state = None
            worker.accounts.clear()
        self._payment = {
            "payment": self._payments,
            "budget": budget,
            "retry": retry,
            "prices": dict(prices),
            "run": run,
            "also": also,
        }
        return CallPath(self._lab.store, guard=ReportedGuard(budget))

    async def run_all(self, plan: Plan, progress: RunProgress) -> str:
        """Run every debate of a plan; return why it stopped before the end, or an empty text.

        Raises:
            InputError: a worker lacks something, or a model refuses every call.
            ClusterError: a worker cannot be started, or one chunk brings every worker down.
            StoreError: a worker cannot reach or write the store.
        """
        lab = self._lab
        models = {name: lab.model(name) for name in plan.models}
        variables, brought = _find_variables(models.values()), tuple(lab.brought.values())
        access = WorkerAccess(str(lab.place), variables, lab.tables, brought)
        order = self._make_order(plan)
        least = min(order.width, plan.size // (len(self._workers) * CHUNKS))
        work = ChunkRun(
            self._workers, access, order, models, await self._find_keeper(models), progress
        )
        try:
            return await work.run(list_chunks(plan, least))
        finally:
            self._count_budget(lab.path, order)

    async def _find_keeper(self, models: Mapping[str, Model]) -> Any:  # noqa: ANN401 -- Ray's
        """Return the actor that keeps rates, started once; None where no model has an endpoint."""
        if self._keeper is None and any(model.limits.files for model in models.values()):
            options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1}
            self._keeper = self._link.make_actor(
                RateKeeper, **options, max_concurrency=_MOST_WORKERS
            )
            await wait_for(self._keeper.open.remote())
        return self._keeper

    def _find_width(self, plan: Plan) -> int:
        """Return how many debates one worker runs at once."""
        if plan.study.at_once:
            return ceil(plan.study.at_once / len(self._workers))
        width = 0
        for name in plan.models:
            limits = self._lab.model(name).limits
            parts = len(self._workers) if limits.files else 1
            width += ceil(limits.concurrency / parts)
        return max(1, width)

    def _make_order(self, plan: Plan) -> RunOrder:
        arms = tuple(
            SentArm(
                ready.arm,
                ready.overlay,
                ready.prompts,
                ready.content,
            )
            for ready in plan.arms
        )
        files = {ready.overlay for ready in plan.arms if ready.overlay is not None}
        models = {name: self._lab.model(name) for name in plan.models}
        return RunOrder(
            **self._payment,
            width=self._find_width(plan),
            arms=arms,
            overlays={file: file.read_bytes() for file in files},
            models={written: (model.name, model.endpoint) for written, model in models.items()},
            version=moot_version(),
            registered=list_registered(),
        )

    def _count_budget(self, path: CallPath, order: RunOrder) -> None:
        """Have the path's guard tell what the store says that all processes have spent."""
        if order.budget == Budget():
            return
        runs = tuple(dict.fromkeys((order.run, *order.also)))
        lease = self._lab.lease(f"run {order.run}", order.budget, order.prices, runs=runs)
        guard = LeasedGuard(order.budget, lease)
        guard.close()
        before, reached = path.guard.caps(), path.guard.reached
        path.guard = ReportedGuard(order.budget)
        path.guard.reached = reached
        path.guard.reported = tuple(
            msgspec.structs.replace(cap, estimated=old.estimated)
            for cap, old in zip(guard.caps(), before, strict=True)
        )

    def count_shared(self) -> dict[str, int]:
        """Return how many replies came from processes that are no workers, by process."""
        states = [each.state for each in self._workers if each.state is not None]
        own, shared = {state.process for state in states}, Counter[str]()
        for state in states:
            shared.update(state.shared)
        return {process: replies for process, replies in shared.items() if process not in own}

    async def close(self) -> None:
        """End all workers; each gives back what it has not spent."""
        closing = [wait_for(each.actor.close.remote()) for each in self._workers]
        try:
            await asyncio.wait_for(asyncio.gather(*closing, return_exceptions=True), CLOSE)
        except TimeoutError:
            pass  # those that hang are ended, too
        finally:
            actors = [worker.actor for worker in self._workers]
            for actor in [*actors, *([self._keeper] if self._keeper is not None else [])]:
                self._link.kill(actor)


def _find_variables(models: Iterable[Model]) -> dict[str, str]:
    """Return the variables of the environment that store and models may need.

    They are sent with a call: as a part of Ray's runtime environment they would stand in its
    dashboard and its logs.
    """
    names = {name for model in models for name in getattr(model, "variables", ())}
    return {
        name: value
        for name, value in os.environ.items()
        if name in names or name.startswith("PG") or name.lower().endswith("_proxy")
    }


class RayDriver:
    """The driver that the option ``ray`` asks for."""

    @staticmethod
    def check(lab: Lab, address: str) -> None:
        """Check that a cluster can run a laboratory's debates.

        Raises:
            InputError: the store is not in PostgreSQL, or Ray is not installed.
        """
        if not isinstance(lab.place, str):
            raise InputError(
                "--ray needs a store that all workers can reach: --store postgresql://… "
                "(in Python store='postgresql://…'); `moot store copy` takes runs there"
            )
        import_ray(address)

    @staticmethod
    @asynccontextmanager
    async def open(lab: Lab, address: str, workers: int | None) -> AsyncIterator[RayCluster]:
        """Start workers on a cluster, for the block.

        Args:
            lab: the laboratory.
            address: of Ray's cluster, as ``ray.init`` takes it; an empty text for a Ray of our own
                on this machine.
            workers: how many workers there are; None: as many as the cluster has CPUs.

        Raises:
            InputError: Ray is not installed.
            ClusterError: Ray cannot be started, or no cluster is at the address.
        """
        async with open_ray(address, workers) as link:
            cluster = RayCluster(lab, link, workers or link.cpus)
            try:
                yield cluster
            finally:
                await finish(cluster.close())
